// Fields that are joined into parts, and how many marked ones each part has.
//   join(few)            joins these, and with them whatever any of them was joined to before
//   each(visit)          calls visit(marked) for every part
//   each_of(few, visit)  the same for the parts that have any of these
//   lowest(f)            the lowest field of the part that has this one
// Fields that were joined to none may be left out as parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "../bits.hpp"
#include "triangular.hpp"

namespace spielwerk {

// A field knows a lower one of its part; the lowest knows itself (union-find).
template <int Words, int Fields>
class Parts {
 public:
  using Set = BitSet<Words>;

  constexpr Parts(const Set& fields, const Set& marked) : fields_(fields) {
    fields.each([&](int f) {
      lower_[f] = static_cast<std::int16_t>(f);
      marked_[f] = marked.contains(f);
    });
  }

  template <class Few>
  constexpr void join(const Few& few) {
    int first = -1;
    few.each([&](int f) { first = first < 0 ? lowest(f) : united(first, lowest(f)); });
  }

  template <class Visit>
  constexpr void each(Visit&& visit) const {
    fields_.each([&](int f) {
      if (lower_[f] == f) visit(marked_[f]);
    });
  }

  template <class Few, class Visit>
  constexpr void each_of(const Few& few, Visit&& visit) const {
    Set seen;
    few.each([&](int f) {
      const int part = lowest(f);
      if (!seen.contains(part)) visit(marked_[part]);
      seen.add(part);
    });
  }

  constexpr int lowest(int f) const {
    while (lower_[f] != f) f = lower_[f];
    return f;
  }

 private:
  constexpr int united(int one, int other) {
    if (one == other) return one;
    const int low = std::min(one, other), high = std::max(one, other);
    lower_[high] = static_cast<std::int16_t>(low);
    marked_[low] = static_cast<std::int16_t>(marked_[low] + marked_[high]);
    return low;
  }

  const Set& fields_;
  std::array<std::int16_t, Fields> lower_, marked_;  // by field; the latter of the lowest
};

// Where a set of fields is a few words, so is each part.
template <int Words, int Fields>
  requires(Words <= kFewWords)
class Parts<Words, Fields> {
 public:
  using Set = BitSet<Words>;

  constexpr Parts(const Set&, const Set& marked) : marked_(marked) {}

  template <class Few>
  constexpr void join(const Few& few) {
    Set whole;
    few.add_to(whole);
    int kept = 0;
    for (int i = 0; i < size_; ++i) {
      const Set part = parts_[i];
      if (part.meets(whole)) {
        whole |= part;
      } else {
        parts_[kept++] = part;
      }
    }
    parts_[kept] = whole;
    size_ = kept + 1;
  }

  template <class Visit>
  constexpr void each(Visit&& visit) const {
    for (int i = 0; i < size_; ++i) visit(parts_[i].in(marked_).count());
  }

  template <class Few, class Visit>
  constexpr void each_of(const Few& few, Visit&& visit) const {
    for (int i = 0; i < size_; ++i)
      if (few.meets(parts_[i])) visit(parts_[i].in(marked_).count());
  }

  constexpr int lowest(int f) const {
    for (int i = 0; i < size_; ++i)
      if (parts_[i].contains(f)) return parts_[i].lowest();
    return f;
  }

 private:
  Set marked_;
  std::array<Set, Fields> parts_;
  int size_ = 0;
};

}  // namespace spielwerk
