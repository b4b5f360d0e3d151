// Positions as 64-bit keys, and a transposition table of what is known about them.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace spielwerk {

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a ^= 0x9e3779b97f4a7c15ULL;
  b ^= 0xd1342543de82ef95ULL;
#if defined(_MSC_VER)
  std::uint64_t high = 0;
  const std::uint64_t low = _umul128(a, b, &high);
  return low ^ high;
#else
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#endif
}

// States have no padding, so their bytes are their identity.
template <class State>
std::uint64_t key_of(const State& state, std::uint64_t stream = sizeof(State)) {
  std::uint64_t words[(sizeof(State) + 7) / 8] = {};
  std::memcpy(words, &state, sizeof(State));
  std::uint64_t key = stream;
  for (const std::uint64_t word : words) key = mixed(key ^ word, 0xa0761d6478bd642fULL + key);
  return key;
}

// For proofs: where to look and what to compare come from keys of their own, so that two positions
// are mistaken for each other less than once in 10^19 comparisons.
struct PositionKey {
  std::uint64_t place, check;
};

template <class State>
PositionKey wide_key_of(const State& state) {
  return {key_of(state), key_of(state, 0x8ebc6af09c88c6e3ULL)};
}

// A fixed number of slots, always replaced: a newer entry takes the place of an older one.
template <class Entry>
class TranspositionTable {
 public:
  explicit TranspositionTable(int bits)
      : slots_(std::size_t{1} << bits), mask_(slots_.size() - 1) {}

  Entry* find(std::uint64_t key) {
    Entry& slot = slots_[key & mask_];
    return slot.key == key ? &slot : nullptr;
  }

  Entry& slot(std::uint64_t key) { return slots_[key & mask_]; }

 private:
  std::vector<Entry> slots_;
  std::uint64_t mask_;
};

}  // namespace spielwerk
