// Sets of small integers as machine words, and the fastest way to spread them into bytes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__) || defined(__BMI2__)
#include <immintrin.h>
#endif

namespace spielwerk {

using Bits = std::uint64_t;

constexpr Bits bit(int index) { return Bits{1} << index; }
constexpr bool contains(Bits set, int index) { return (set >> index) & 1; }
// The standard's bit counting is no code for a GPU; its compiler has its own.
#if defined(__CUDA_ARCH__)
constexpr int count(Bits set) { return __popcll(set); }
constexpr int count_half(std::uint32_t half) { return __popc(half); }
constexpr int lowest(Bits set) { return __ffsll(static_cast<long long>(set)) - 1; }
#else
constexpr int count(Bits set) { return std::popcount(set); }
constexpr int count_half(std::uint32_t half) { return std::popcount(half); }
constexpr int lowest(Bits set) { return std::countr_zero(set); }
#endif
constexpr bool single(Bits set) { return set != 0 && (set & (set - 1)) == 0; }
constexpr Bits first_bits(int n) { return n >= 64 ? ~Bits{0} : bit(n) - 1; }
constexpr int words_for(int members) { return (members + 63) / 64; }

// Calls visit(index) for each member, ascending.
template <class Visit>
constexpr void each(Bits set, Visit&& visit) {
  for (; set != 0; set &= set - 1) visit(lowest(set));
}

// The member with `rank` smaller members. Needs rank < count(set). Halves of 32 bits, since that is
// what a GPU's registers hold.
constexpr int select(Bits set, int rank) {
#if defined(__BMI2__)
  if (!std::is_constant_evaluated()) return lowest(_pdep_u64(bit(rank), set));
#endif
  auto left = static_cast<std::uint32_t>(set);
  int skipped = 0;
  if (const int below = count_half(left); rank >= below) {
    rank -= below;
    left = static_cast<std::uint32_t>(set >> 32);
    skipped = 32;
  }
  for (int width = 16; width > 0; width /= 2) {
    const int below = count_half(left & ((std::uint32_t{1} << width) - 1));
    if (rank < below) continue;
    rank -= below;
    left >>= width;
    skipped += width;
  }
  return skipped;
}

// The members 0, 2, 4, ... of a set below `Width`, as 0, 1, 2, ...
template <int Width>
constexpr Bits every_other(Bits set) {
#if defined(__BMI2__)
  if (!std::is_constant_evaluated()) return _pext_u64(set, 0x5555555555555555ULL);
#endif
  using Word = std::conditional_t<Width <= 32, std::uint32_t, Bits>;
  auto kept = static_cast<Word>(set & 0x5555555555555555ULL);
  for (int step = 1; step < Width / 2; step *= 2)
    kept = (kept | kept >> step) & static_cast<Word>(~Bits{0} / (bit(2 * step) + 1));
  return kept;
}

// Writes eight bytes, each 0 or 1, for the members below 8.
inline void expand8(Bits set, std::uint8_t* out) {
#if defined(__BMI2__)
  const Bits bytes = _pdep_u64(set, 0x0101010101010101ULL);
#else
  const Bits picked = ((set & 0xff) * 0x0101010101010101ULL) & 0x8040201008040201ULL;
  const Bits bytes = ((picked + 0x7f7f7f7f7f7f7f7fULL) >> 7) & 0x0101010101010101ULL;
#endif
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(out, &bytes, 8);
  } else {
    for (int i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(bytes >> (8 * i));
  }
}

// Writes 64 bytes, each 0 or 1. Byte expansion dominates the cost of a batched step, hence the
// two versions; the portable one handles eight squares per multiplication.
inline void expand64(Bits set, std::uint8_t* out) {
#if defined(__AVX2__)
  const __m256i spread = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,  //
                                          2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i pick = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
  const __m256i one = _mm256_set1_epi8(1);
  for (int half = 0; half < 2; ++half) {
    const __m256i word = _mm256_set1_epi32(static_cast<int>(set >> (32 * half)));
    const __m256i picked = _mm256_and_si256(_mm256_shuffle_epi8(word, spread), pick);
    const __m256i bytes = _mm256_and_si256(_mm256_cmpeq_epi8(picked, pick), one);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * half), bytes);
  }
#else
  for (int row = 0; row < 8; ++row) {
    expand8(set >> (8 * row), out + 8 * row);
  }
#endif
}

// Writes 64 bytes, all 0 but a 1 at `index`.
inline void expand_one(int index, std::uint8_t* out) {
  std::memset(out, 0, 64);
  out[index] = 1;
}

// Copies n ≤ 64 bytes. Calls with a length that the compiler does not know cost more than the
// bytes, so from 32 bytes on two pieces of a known length overlap.
inline void copy_short(std::uint8_t* out, const std::uint8_t* from, int n) {
  if (n < 32) {
    std::memcpy(out, from, static_cast<std::size_t>(n));
  } else {
    std::memcpy(out, from, 32);
    std::memcpy(out + n - 32, from + n - 32, 32);
  }
}

// Sets n bytes, in the same way where it can.
inline void fill_short(std::uint8_t* out, int value, int n) {
  if (n < 32 || n > 64) {
    std::memset(out, value, static_cast<std::size_t>(n));
  } else {
    std::memset(out, value, 32);
    std::memset(out + n - 32, value, 32);
  }
}

// Writes the first n ≤ 64 members as bytes and touches nothing behind them.
inline void expand(Bits set, int n, std::uint8_t* out) {
  if (n == 64) return expand64(set, out);
  std::uint8_t bytes[64];
  expand64(set, bytes);
  copy_short(out, bytes, n);
}

// A set of action ids: what is legal now.
template <int Words>
struct BitSet {
  std::array<Bits, Words> words{};

  // Calls visit(word) for the number of every word. The GPU's compiler would write a long loop out
  // once for each, and drivers take minutes to finish such kernels.
  template <class Visit>
  static constexpr void each_word(Visit&& visit) {
#if defined(__CUDA_ARCH__)
#pragma unroll(Words > 8 ? 1 : Words)
#endif
    for (int word = 0; word < Words; ++word) visit(word);
  }

  constexpr void add(int index) { words[word_of(index)] |= bit(place_of(index)); }
  constexpr void remove(int index) { words[word_of(index)] &= ~bit(place_of(index)); }

  // Adds {offset + i : i in set}.
  constexpr void add_shifted(Bits set, int offset) {
    const int word = offset / 64, shift = offset % 64;
    words[word] |= set << shift;
    if (shift != 0 && word + 1 < Words) words[word + 1] |= set >> (64 - shift);
  }

  // Adds {offset + i : i in set}.
  template <int Others>
  constexpr void add_shifted(const BitSet<Others>& set, int offset) {
    set.each_word([&](int word) { add_shifted(set.words[word], 64 * word + offset); });
  }

  constexpr bool contains(int index) const {
    return index >= 0 && index < 64 * Words &&
           spielwerk::contains(words[word_of(index)], place_of(index));
  }

  constexpr bool empty() const {
    Bits any = 0;
    each_word([&](int word) { any |= words[word]; });
    return any == 0;
  }

  constexpr bool meets(const BitSet& other) const {
    Bits common = 0;
    each_word([&](int word) { common |= words[word] & other.words[word]; });
    return common != 0;
  }

  constexpr int count() const {
    int total = 0;
    each_word([&](int word) { total += spielwerk::count(words[word]); });
    return total;
  }

  // Needs a member.
  constexpr int lowest() const {
    int word = 0;
    while (words[word] == 0) ++word;
    return 64 * word + spielwerk::lowest(words[word]);
  }

  // The member with `rank` smaller members. Needs rank < count().
  constexpr int select(int rank) const {
    for (int word = 0; word < Words - 1; ++word) {
      const int here = spielwerk::count(words[word]);
      if (rank < here) return 64 * word + spielwerk::select(words[word], rank);
      rank -= here;
    }
    return 64 * (Words - 1) + spielwerk::select(words[Words - 1], rank);
  }

  template <class Visit>
  constexpr void each(Visit&& visit) const {
    each_word([&](int word) {
      spielwerk::each(words[word], [&](int index) { visit(64 * word + index); });
    });
  }

  // The members from `first` on, `count` ≤ 64 of them, as 0, 1, 2, ...
  constexpr Bits slice(int first, int count) const {
    const int word = word_of(first), shift = place_of(first);
    Bits members = words[word] >> shift;
    if (shift != 0 && word + 1 < Words) members |= words[word + 1] << (64 - shift);
    return members & first_bits(count);
  }

  // Writes n bytes, each 0 or 1.
  void expand_to(std::uint8_t* out, int n) const {
    int word = 0;
    for (; n >= 64; ++word, n -= 64, out += 64) expand64(words[word], out);
    for (int i = 0; i < n; ++i) out[i] = spielwerk::contains(words[word], i);
  }

  constexpr BitSet& operator|=(const BitSet& other) {
    each_word([&](int word) { words[word] |= other.words[word]; });
    return *this;
  }

  // The members that are in `other`, too.
  constexpr BitSet in(const BitSet& other) const {
    BitSet both;
    each_word([&](int word) { both.words[word] = words[word] & other.words[word]; });
    return both;
  }

  // The members that are not in `other`.
  constexpr BitSet without(const BitSet& other) const {
    BitSet rest;
    each_word([&](int word) { rest.words[word] = words[word] & ~other.words[word]; });
    return rest;
  }

  bool operator==(const BitSet&) const = default;

 private:
  // Without a sign, these are a shift and a mask; and a set of one word that is not indexed can stay
  // in a register.
  static constexpr int word_of(int index) {
    return Words == 1 ? 0 : static_cast<int>(static_cast<unsigned>(index) / 64);
  }
  static constexpr int place_of(int index) {
    return static_cast<int>(static_cast<unsigned>(index) % 64);
  }
};

}  // namespace spielwerk
