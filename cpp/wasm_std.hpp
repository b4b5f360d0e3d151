// What Emscripten's standard library lacks of C++20 as Debian 12 has it (3.1.6); nothing where a newer one is used.
// Included before every unit of the WebAssembly build, and nowhere else.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <version>

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
#endif

#ifndef __cpp_lib_atomic_ref
// One thread runs there, so a plain word is as good as an atomic one.
template <class T>
class atomic_ref {
 public:
  explicit atomic_ref(T& object) : object_(object) {}
  T load(memory_order = memory_order_seq_cst) const { return object_; }
  void store(T value, memory_order = memory_order_seq_cst) const { object_ = value; }

 private:
  T& object_;
};
#endif

#ifndef __cpp_lib_ranges
namespace ranges {
template <class Range, class Test>
auto find_if(Range&& range, Test test) {
  return std::find_if(range.begin(), range.end(), test);
}
template <class Range, class Test>
bool any_of(Range&& range, Test test) {
  return std::any_of(range.begin(), range.end(), test);
}
template <class Range, class Before>
void stable_sort(Range&& range, Before before) {
  std::stable_sort(range.begin(), range.end(), before);
}
}  // namespace ranges
#endif

}  // namespace std
