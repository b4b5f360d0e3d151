// Positions as 64-bit keys, and a transposition table of what is known about them.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#if defined(_MSC_VER)
#include <intrin.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
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

// What a bounded search knows about a position.
enum class Bound : std::uint8_t { none, lower, upper, exact };

struct BoundEntry {
  std::int32_t value = 0;
  std::int16_t action = -1;
  std::uint8_t depth = 0;
  Bound bound = Bound::none;
};

// Looked at all over the place, a table costs more in page walks than in anything else.
inline void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kPage - 1) / kPage * kPage;
  if (first < address + bytes)
    madvise(reinterpret_cast<void*>(first), address + bytes - first, MADV_HUGEPAGE);
#endif
}

// Has memory on its way before it is read.
inline void prefetch([[maybe_unused]] const void* at) {
#if !defined(_MSC_VER)
  __builtin_prefetch(at);
#endif
}

// A transposition table that several threads share without locks. An entry is two words, the data
// and the key with the data mixed in (XOR): one that two threads wrote halves of matches no key.
// Buckets of four share a cache line; where one is full, the shallowest and oldest entry goes.
class TranspositionTable {
 public:
  explicit TranspositionTable(std::size_t megabytes)
      : mask_(std::bit_floor(std::max<std::size_t>(megabytes, 1) << 14) - 1),
        words_(static_cast<std::uint64_t*>(
            std::calloc((mask_ + 1) * 2 * kBucket, sizeof(std::uint64_t)))) {
    if (words_ == nullptr) throw std::bad_alloc();
    prefer_large_pages(words_.get(), (mask_ + 1) * 2 * kBucket * sizeof(std::uint64_t));
  }

  // From now on, what is in the table is older than what will be stored.
  void grow_older() { age_ = (age_ + 1) % kAges; }

  // Bound::none where nothing is known.
  BoundEntry find(std::uint64_t key) const {
    const std::uint64_t* bucket = bucket_of(key);
    for (int i = 0; i < kBucket; ++i) {
      const std::uint64_t data = read(bucket[2 * i + 1]);
      if (data != 0 && (read(bucket[2 * i]) ^ data) == key) return unpacked(data);
    }
    return {};
  }

  void prefetch(std::uint64_t key) const { spielwerk::prefetch(bucket_of(key)); }

  void store(std::uint64_t key, const BoundEntry& entry) {
    std::uint64_t* slot = slot_for(key);
    const std::uint64_t data = packed(entry);
    write(slot[0], key ^ data);
    write(slot[1], data);
  }

 private:
  static constexpr int kBucket = 4;
  static constexpr std::uint64_t kAges = 64;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  static std::uint64_t read(const std::uint64_t& word) {
    return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(std::memory_order_relaxed);
  }
  static void write(std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
  }

  std::uint64_t packed(const BoundEntry& entry) const {
    return std::uint64_t{static_cast<std::uint32_t>(entry.value)} |
           std::uint64_t{static_cast<std::uint16_t>(entry.action)} << 32 |
           std::uint64_t{entry.depth} << 48 | static_cast<std::uint64_t>(entry.bound) << 56 |
           age_ << 58;
  }
  static BoundEntry unpacked(std::uint64_t data) {
    return {static_cast<std::int32_t>(data), static_cast<std::int16_t>(data >> 32),
            static_cast<std::uint8_t>(data >> 48), static_cast<Bound>(data >> 56 & 3)};
  }

  // The position's own slot, an empty one, or the one that is missed least.
  std::uint64_t* slot_for(std::uint64_t key) {
    std::uint64_t* bucket = bucket_of(key);
    std::uint64_t* cheapest = bucket;
    int lowest = std::numeric_limits<int>::max();
    for (int i = 0; i < kBucket; ++i) {
      const std::uint64_t data = read(bucket[2 * i + 1]);
      if (data == 0 || (read(bucket[2 * i]) ^ data) == key) return bucket + 2 * i;
      if (const int worth = worth_of(data); worth < lowest)
        lowest = worth, cheapest = bucket + 2 * i;
    }
    return cheapest;
  }

  int worth_of(std::uint64_t data) const {
    const std::uint64_t searches_ago = (age_ + kAges - (data >> 58)) % kAges;
    return static_cast<int>(data >> 48 & 0xff) - 4 * static_cast<int>(searches_ago);
  }

  const std::uint64_t* bucket_of(std::uint64_t key) const {
    return words_.get() + 2 * kBucket * (key & mask_);
  }
  std::uint64_t* bucket_of(std::uint64_t key) { return words_.get() + 2 * kBucket * (key & mask_); }

  std::uint64_t mask_, age_ = 0;
  std::unique_ptr<std::uint64_t[], Free> words_;
};

}  // namespace spielwerk
