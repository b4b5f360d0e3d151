// How 32 games that play side by side (a warp) write their bytes together. A thread that wrote its
// own game alone would touch another cache line at every byte; here each thread leaves its planes
// as bits in shared memory, and then all write long runs of whole 16-byte vectors.
#pragma once

#include <cstdint>

#include "../bits.hpp"

namespace spielwerk::gpu {

inline constexpr unsigned kWholeWarp = 0xffffffffu;
inline constexpr int kWarp = 32;

__device__ inline int lane() { return static_cast<int>(threadIdx.x) % kWarp; }

// Four bytes, each 0 or 1, from the lowest four bits.
__device__ inline unsigned spread4(unsigned bits) {
  return ((bits & 0xf) * 0x00204081u) & 0x01010101u;
}

// What at least one thread of the warp has set (a butterfly: older GPUs cannot reduce at once).
__device__ inline unsigned in_any_game(unsigned flags) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    flags |= __shfl_xor_sync(kWholeWarp, flags, distance);
  return flags;
}

// The games of a warp have one row of bits each in shared memory.
template <int Words>
class SharedRows {
 public:
  static constexpr int kStride = 2 * Words | 1;  // odd, so that threads meet in no memory bank

  __device__ std::uint32_t* own() { return bits_[lane()]; }

  __device__ void clear() {
    for (int word = 0; word < kStride; ++word) bits_[lane()][word] = 0;
  }

  // Writes `length` bytes a game, row after row without a gap, for `games` games from `out` on,
  // which lies on a multiple of 16. Ends with the rows free to be used again.
  __device__ void write(std::uint8_t* out, int length, int games) {
    __syncwarp();
    const int total = length * games;
    int game = 0, at = 16 * lane();
    for (int byte = 16 * lane(); byte < total; byte += 16 * kWarp, at += 16 * kWarp) {
      for (; at >= length; at -= length) ++game;
      const unsigned window = sixteen(game, at, length);
      if (byte + 16 <= total) {
        *reinterpret_cast<uint4*>(out + byte) = {spread4(window), spread4(window >> 4),
                                                 spread4(window >> 8), spread4(window >> 12)};
      } else {
        for (int i = 0; byte + i < total; ++i) out[byte + i] = window >> i & 1;
      }
    }
    __syncwarp();
  }

 private:
  // Bits at .. at + 15 of a game's row, going on with the rows of the games after it.
  __device__ unsigned sixteen(int game, int at, int length) const {
    unsigned window = bits_at(game, at);
    for (int have = length - at; have < 16; have += length) {
      window &= (1u << have) - 1;
      window |= bits_at(++game % kWarp, 0) << have;
    }
    return window & 0xffff;
  }

  __device__ unsigned bits_at(int game, int at) const {
    const std::uint32_t* row = bits_[game];
    return __funnelshift_r(row[at / 32], row[at / 32 + 1], at % 32);
  }

  std::uint32_t bits_[kWarp][kStride];
};

// The canvas of a GPU (see canvas.hpp): all planes of the warp's games, to be written at once.
template <int Planes, int MaxCells>
class WarpCanvas {
 public:
  static constexpr int kWords = words_for(Planes * MaxCells) + 1;

  struct Shared {
    SharedRows<kWords> rows;
    std::uint8_t values[Planes][kWarp];  // of planes that hold one number everywhere
  };

  __device__ WarpCanvas(Shared& shared, int cells) : shared_(shared), cells_(cells) {
    shared_.rows.clear();
  }

  __device__ void set(Bits members) {
    append(members, cells_ < 64 ? cells_ : 64);
    ++plane_;
  }

  __device__ void one(int cell) { set(bit(cell)); }

  __device__ void everywhere(int value) {
    if (value != 0)
      for (int cell = 0; cell < cells_; cell += 64)
        append(~Bits{0}, cells_ - cell < 64 ? cells_ - cell : 64, cell);
    shared_.values[plane_][lane()] = static_cast<std::uint8_t>(value);
    if (value > 1) numbered_ |= 1u << plane_;
    ++plane_;
  }

  // Marks the cells; numbers above 1 follow when the bits are written.
  template <class Cell, class Value>
  __device__ void few(int count, Cell&& cell, Value&& value) {
    Bits members = 0;
    for (int i = 0; i < count; ++i) members |= bit(cell(i));
    for (int i = 0; i < count; ++i)
      if (value(i) > 1 && corrections_ < kMaxCorrections)
        correction_[corrections_++] = {static_cast<std::uint16_t>(plane_ * cells_ + cell(i)),
                                       static_cast<std::uint16_t>(value(i))};
    set(members);
  }

  template <int K, class Visit>
  __device__ void marked(Visit&& visit) {
    std::uint32_t* row = shared_.rows.own();
    visit([row, first = plane_ * cells_, cells = cells_](int plane, int cell) {
      const int at = first + plane * cells + cell;
      row[at / 32] |= 1u << (at % 32);
    });
    plane_ += K;
  }

  // `out` is where the warp's first game begins.
  __device__ void write(std::uint8_t* out, int games) {
    const int length = plane_ * cells_;
    shared_.rows.write(out, length, games);
    write_numbers(out, length, games);
    __syncwarp();
    if (lane() < games)
      for (int i = 0; i < corrections_; ++i)
        out[lane() * length + correction_[i].at] = static_cast<std::uint8_t>(correction_[i].value);
  }

 private:
  static constexpr int kMaxCorrections = 12;

  struct Correction {
    std::uint16_t at, value;
  };

  __device__ void append(Bits members, int count, int cell = 0) {
    const int at = plane_ * cells_ + cell, shift = at % 32;
    std::uint32_t* row = shared_.rows.own() + at / 32;
    const Bits kept = members & first_bits(count);
    row[0] |= static_cast<std::uint32_t>(kept << shift);
    row[1] |= static_cast<std::uint32_t>(kept >> (32 - shift));
    if (shift != 0) row[2] |= static_cast<std::uint32_t>(kept >> (64 - shift));
  }

  __device__ void write_numbers(std::uint8_t* out, int length, int games) {
    for (unsigned left = in_any_game(numbered_); left != 0; left &= left - 1) {
      const int plane = __ffs(static_cast<int>(left)) - 1;
      for (int game = 0; game < games; ++game)
        for (int cell = lane(); cell < cells_; cell += kWarp)
          out[game * length + plane * cells_ + cell] = shared_.values[plane][game];
    }
  }

  Shared& shared_;
  int cells_, plane_ = 0, corrections_ = 0;
  unsigned numbered_ = 0;  // planes with a number above 1
  Correction correction_[kMaxCorrections];
};

// Boards too large for shared memory: plane by plane, a byte a thread.
template <int MaxCells>
class LargeWarpCanvas {
 public:
  __device__ LargeWarpCanvas(std::uint8_t* out, std::size_t length, int cells, int games)
      : out_(out), length_(length), cells_(cells), games_(games) {}

  __device__ void set(Bits members) { write({{members}}, 1); }
  __device__ void one(int cell) { set(bit(cell)); }

  __device__ void everywhere(int value) {
    Set all;
    for (Bits& word : all.words) word = ~Bits{0};
    write(all, static_cast<unsigned>(value));
  }

  template <int K, class Visit>
  __device__ void marked(Visit&& visit) {
    Set planes[K];
    visit([&planes](int plane, int cell) { planes[plane].add(cell); });
    for (const Set& plane : planes) write(plane, 1);
  }

 private:
  using Set = BitSet<words_for(MaxCells)>;

  // Not inlined: games have many planes, and the code of each would be as long as this.
  __device__ __noinline__ void write(const Set& own, unsigned value) {
#pragma unroll 1
    for (int word = 0; 64 * word < cells_; ++word)
#pragma unroll 4
      for (int game = 0; game < games_; ++game) {
        const Bits members = __shfl_sync(kWholeWarp, own.words[word], game);
        const unsigned factor = __shfl_sync(kWholeWarp, value, game);
        for (int cell = lane(); cell < 64; cell += kWarp)
          if (64 * word + cell < cells_)
            out_[game * length_ + 64 * word + cell] =
                static_cast<std::uint8_t>(contains(members, cell) * factor);
      }
    out_ += cells_;
  }

  std::uint8_t* out_;
  std::size_t length_;
  int cells_, games_;
};

}  // namespace spielwerk::gpu
