// The canvas of a GPU (see canvas.hpp): the 32 games of a warp are painted plane by plane, and all
// 32 threads write each game's bytes together. A thread that wrote its own game alone would touch
// a different cache line at every byte.
#pragma once

#include "../bits.hpp"

namespace spielwerk::gpu {

inline constexpr unsigned kWholeWarp = 0xffffffffu;
inline constexpr int kWarp = 32;

// Eight bytes, each 0 or 1, from the lowest eight bits.
__device__ inline std::uint64_t spread8(unsigned bits) {
  const std::uint64_t picked = (bits & 0xff) * 0x0101010101010101ull & 0x8040201008040201ull;
  return ((picked + 0x7f7f7f7f7f7f7f7full) >> 7) & 0x0101010101010101ull;
}

// Where the bytes of a warp's games go: game g's at out + g * stride, for g < games.
struct Rows {
  std::uint8_t* out;
  std::size_t stride;
  int cells, games;
};

// Rows of 64 bytes that lie well: four threads a game, 16 bytes each, eight games at a time.
__device__ inline void write_vectors(Bits own, unsigned value, const Rows& rows) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, quarter = lane % 4;
#pragma unroll
  for (int round = 0; round < 4; ++round) {
    const int game = 8 * round + lane / 4;
    const Bits word = __shfl_sync(kWholeWarp, own, game);
    const std::uint64_t factor = __shfl_sync(kWholeWarp, value, game);
    const auto bits = static_cast<unsigned>(word >> (16 * quarter));
    const std::uint64_t low = spread8(bits) * factor, high = spread8(bits >> 8) * factor;
    if (game < rows.games)
      *reinterpret_cast<ulonglong2*>(rows.out + game * rows.stride + 16 * quarter) = {low, high};
  }
}

// Rows of any length, a byte a thread. Not inlined: games have many planes, and the code of each
// would be as long as this.
__device__ __noinline__ void write_bytes(const Bits* own, int words, unsigned value, Rows rows) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll 1
  for (int word = 0; word < words && 64 * word < rows.cells; ++word) {
    const int cell = 64 * word + lane;
    const bool low = cell < rows.cells, high = cell + kWarp < rows.cells;
#pragma unroll 4
    for (int game = 0; game < rows.games; ++game) {
      const Bits members = __shfl_sync(kWholeWarp, own[word], game);
      const unsigned factor = __shfl_sync(kWholeWarp, value, game);
      std::uint8_t* row = rows.out + game * rows.stride + cell;
      if (low) row[0] = static_cast<std::uint8_t>(contains(members, lane) * factor);
      if (high) row[kWarp] = static_cast<std::uint8_t>(contains(members, lane + kWarp) * factor);
    }
  }
}

// Every thread brings the set of its own game; byte c of a row is `value` where c is a member, 0
// elsewhere.
template <int Words>
__device__ inline void write_rows(const BitSet<Words>& own, unsigned value, const Rows& rows) {
  const bool vectors = Words == 1 && rows.cells == 64 && rows.stride % 16 == 0 &&
                       reinterpret_cast<std::uintptr_t>(rows.out) % 16 == 0;
  if (vectors) {
    write_vectors(own.words[0], value, rows);
  } else {
    write_bytes(own.words.data(), Words, value, rows);
  }
}

template <int MaxCells>
class WarpCanvas {
 public:
  __device__ explicit WarpCanvas(const Rows& first_plane) : rows_(first_plane) {}

  __device__ void set(Bits members) { write(BitSet<1>{{members}}, 1); }
  __device__ void one(int cell) { set(bit(cell)); }
  __device__ void everywhere(int value) { write(all(), static_cast<unsigned>(value)); }

  // Numbers up to 7, bit by bit.
  template <class Cell, class Value>
  __device__ void few(int count, Cell&& cell, Value&& value) {
    Bits digit[3] = {};
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k) {
        digit[k] &= ~bit(cell(i));
        if (value(i) >> k & 1) digit[k] |= bit(cell(i));
      }
    write_digits(digit);
  }

  template <int K, class Visit>
  __device__ void marked(Visit&& visit) {
    BitSet<words_for(MaxCells)> planes[K];
    visit([&planes](int plane, int cell) { planes[plane].add(cell); });
    for (const auto& plane : planes) write(plane, 1);
  }

 private:
  __device__ static BitSet<words_for(MaxCells)> all() {
    BitSet<words_for(MaxCells)> every;
    for (Bits& word : every.words) word = ~Bits{0};
    return every;
  }

  template <int Words>
  __device__ void write(const BitSet<Words>& members, unsigned value) {
    write_rows(members, value, rows_);
    rows_.out += rows_.cells;
  }

  __device__ void write_digits(const Bits* digit) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    for (int game = 0; game < rows_.games; ++game) {
      Bits shown[3];
      for (int k = 0; k < 3; ++k) shown[k] = __shfl_sync(kWholeWarp, digit[k], game);
      for (int cell = lane; cell < rows_.cells; cell += kWarp)
        rows_.out[game * rows_.stride + cell] = static_cast<std::uint8_t>(
            contains(shown[0], cell) + 2 * contains(shown[1], cell) + 4 * contains(shown[2], cell));
    }
    rows_.out += rows_.cells;
  }

  Rows rows_;
};

}  // namespace spielwerk::gpu
