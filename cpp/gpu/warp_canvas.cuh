// How games that play side by side (a warp) write their bytes together. A thread that wrote its own
// game alone would touch another cache line at every byte; here each thread leaves its planes as
// bits in shared memory, and then all 32 write long runs of whole 16-byte vectors, however many of
// them have a game of their own.
#pragma once

#include <cstdint>

#include "../bits.hpp"

namespace spielwerk::gpu {

inline constexpr unsigned kWholeWarp = 0xffffffffu;
inline constexpr int kWarp = 32;

__device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x % kWarp); }

// Four bytes, each 0 or 1, from the lowest four bits.
__device__ __forceinline__ unsigned spread4(unsigned bits) {
  return ((bits & 0xf) * 0x00204081u) & 0x01010101u;
}

// Sixteen bytes, each 0 or 1, from sixteen bits.
__device__ __forceinline__ uint4 spread16(unsigned bits) {
  return {spread4(bits), spread4(bits >> 4), spread4(bits >> 8), spread4(bits >> 12)};
}

// What at least one thread of the warp has set (a butterfly: older GPUs cannot reduce at once).
__device__ __forceinline__ unsigned in_any_game(unsigned flags) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    flags |= __shfl_xor_sync(kWholeWarp, flags, distance);
  return flags;
}

// The bits of a warp's games in shared memory, game after game without a gap, as they will lie in
// the device's memory a byte each. At most `MaxLength` bits a game. Threads without a game of their
// own add nothing.
template <int MaxLength>
class WarpBits {
 public:
  // `length` bits a game. Those of the first `games` begin as zeros.
  __device__ __forceinline__ void begin(int length, int games) {
    for (int word = lane(); word <= length * games / 32; word += kWarp) words_[word] = 0;
    __syncwarp();
  }

  // Adds bits at .. at + count - 1 of this thread's own game.
  __device__ __forceinline__ void add(int length, int at, Bits members, int count) {
    const unsigned first = bit_of_own_game(length, at), shift = first % 32;
    const Bits kept = members & first_bits(count);
    std::uint32_t* word = words_ + first / 32;
    join(length, word, static_cast<std::uint32_t>(kept << shift));
    join(length, word + 1, static_cast<std::uint32_t>(kept >> (32 - shift)));
    if (shift != 0) join(length, word + 2, static_cast<std::uint32_t>(kept >> 32 >> (32 - shift)));
  }

  __device__ __forceinline__ void add_one(int length, int at) {
    const unsigned bit = bit_of_own_game(length, at);
    join(length, words_ + bit / 32, 1u << (bit % 32));
  }

  // Writes a byte for each of `total` bits, from `out` on, which lies on a multiple of 16 where the
  // warp has 16 games or more, and else of 4 at least. Ends with the memory free to be used again.
  __device__ __forceinline__ void write(std::uint8_t* out, int total) {
    __syncwarp();
    if (reinterpret_cast<std::uintptr_t>(out) % 16 == 0) {
      for (int vector = lane(); vector < total / 16; vector += kWarp)
        reinterpret_cast<uint4*>(out)[vector] = spread16(sixteen(vector));
      write_rest(out, total, total / 16 * 16);
    } else {
      for (int four = lane(); four < total / 4; four += kWarp)
        reinterpret_cast<unsigned*>(out)[four] = spread4(words_[four / 8] >> four % 8 * 4);
      write_rest(out, total, total / 4 * 4);
    }
    __syncwarp();
  }

  __device__ __forceinline__ unsigned sixteen(int vector) const {
    return reinterpret_cast<const std::uint16_t*>(words_)[vector];
  }

 private:
  // Without a sign, dividing by 32 is a mere shift.
  __device__ __forceinline__ static unsigned bit_of_own_game(int length, int at) {
    return static_cast<unsigned>(lane() * length + at);
  }

  // Games whose bits begin within a word share it with their neighbours, threads of their own.
  __device__ __forceinline__ static void join(int length, std::uint32_t* word, std::uint32_t bits) {
    if (bits == 0) return;
    if (length % 32 == 0) {
      *word |= bits;
    } else {
      atomicOr(word, bits);
    }
  }

  // The bytes behind the last whole vector, fewer than the warp has threads.
  __device__ __forceinline__ void write_rest(std::uint8_t* out, int total, int written) const {
    const int at = written + lane();
    if (at < total) out[at] = words_[at / 32] >> at % 32 & 1;
  }

  std::uint32_t words_[MaxLength + 3];
};

// The canvas of a GPU (see canvas.hpp): all planes of the warp's games, to be written at once.
template <int Planes, int MaxCells>
class WarpCanvas {
 public:
  struct Shared {
    WarpBits<Planes * MaxCells> bits;
    std::uint8_t values[kWarp * Planes];  // what a 1 stands for, by game and plane
  };

  __device__ __forceinline__ WarpCanvas(Shared& shared, int cells, int games)
      : shared_(shared), cells_(cells), length_(Planes * cells) {
    for (int plane = 0; plane < Planes; ++plane) shared_.values[kWarp * plane + lane()] = 1;
    shared_.bits.begin(length_, games);
  }

  __device__ __forceinline__ void set(Bits members) {
    shared_.bits.add(length_, at_, members, cells_ < 64 ? cells_ : 64);
    next_plane();
  }

  template <int Words>
  __device__ __forceinline__ void set(const BitSet<Words>& members) {
    for (int word = 0; 64 * word < cells_; ++word)
      shared_.bits.add(length_, at_ + 64 * word, members.words[word], cells_ - 64 * word);
    next_plane();
  }

  __device__ __forceinline__ void one(int cell) {
    shared_.bits.add_one(length_, at_ + cell);
    next_plane();
  }

  __device__ __forceinline__ void everywhere(int value) {
    if (value != 0)
      for (int cell = 0; cell < cells_; cell += 64)
        shared_.bits.add(length_, at_ + cell, ~Bits{0}, cells_ - cell < 64 ? cells_ - cell : 64);
    // A 0 counts, too: another game of the warp may have a number here.
    if (value != 1) shared_.values[lane() * Planes + plane_] = static_cast<std::uint8_t>(value);
    if (value > 1) numbered_ |= 1u << plane_;
    next_plane();
  }

  // Marks the cells; numbers above 1 follow when the bits are written.
  template <class Cell, class Value>
  __device__ __forceinline__ void few(int count, Cell&& cell, Value&& value) {
    for (int i = 0; i < count; ++i) {
      shared_.bits.add_one(length_, at_ + cell(i));
      if (value(i) > 1 && corrections_ < kMaxCorrections)
        correction_[corrections_++] = {static_cast<std::uint16_t>(at_ + cell(i)),
                                       static_cast<std::uint16_t>(value(i))};
    }
    next_plane();
  }

  template <int K, class Visit>
  __device__ __forceinline__ void marked(Visit&& visit) {
    visit([this](int plane, int cell) {
      shared_.bits.add_one(length_, at_ + plane * cells_ + cell);
    });
    plane_ += K;
    at_ += K * cells_;
  }

  // `out` is where the warp's first game begins.
  __device__ __forceinline__ void write(std::uint8_t* out, int games) {
    const unsigned numbered = in_any_game(numbered_);
    if (numbered != 0 && planes_are_vectors()) {
      write_numbered(out, games);
    } else {
      shared_.bits.write(out, length_ * games);
      for (unsigned left = numbered; left != 0; left &= left - 1)
        overwrite(out, __ffs(static_cast<int>(left)) - 1, games);
    }
    __syncwarp();
    if (lane() < games)
      for (int i = 0; i < corrections_; ++i)
        out[lane() * length_ + correction_[i].at] = static_cast<std::uint8_t>(correction_[i].value);
  }

 private:
  static constexpr int kMaxCorrections = 12;

  struct Correction {
    std::uint16_t at, value;
  };

  __device__ __forceinline__ void next_plane() {
    ++plane_;
    at_ += cells_;
  }

  // As many 16-byte vectors as a power of two, so that shifting finds the plane of each.
  __device__ __forceinline__ bool planes_are_vectors() const {
    return cells_ % 16 == 0 && (cells_ & (cells_ - 1)) == 0;
  }

  // Each bit times what a 1 stands for in its plane and game.
  __device__ __forceinline__ void write_numbered(std::uint8_t* out, int games) {
    __syncwarp();
    const int shift = __ffs(cells_ / 16) - 1;
    for (int vector = lane(); vector < length_ * games / 16; vector += kWarp) {
      const uint4 bytes = spread16(shared_.bits.sixteen(vector));
      const unsigned factor = shared_.values[vector >> shift];
      reinterpret_cast<uint4*>(out)[vector] = {bytes.x * factor, bytes.y * factor, bytes.z * factor,
                                               bytes.w * factor};
    }
    __syncwarp();
  }

  __device__ __forceinline__ void overwrite(std::uint8_t* out, int plane, int games) {
    for (int game = 0; game < games; ++game)
      for (int cell = lane(); cell < cells_; cell += kWarp)
        out[game * length_ + plane * cells_ + cell] = shared_.values[game * Planes + plane];
  }

  Shared& shared_;
  int cells_, length_, plane_ = 0, at_ = 0, corrections_ = 0;
  unsigned numbered_ = 0;  // planes with a number above 1
  Correction correction_[kMaxCorrections];
};

// Boards too large for shared memory: plane by plane, a byte a thread. So all threads of a warp meet in
// every write(), those without a game of their own through write_along().
template <int MaxCells>
class LargeWarpCanvas {
  using Set = BitSet<words_for(MaxCells)>;

 public:
  __device__ __forceinline__ LargeWarpCanvas(std::uint8_t* out, std::size_t length, int cells,
                                             int games)
      : out_(out), length_(length), cells_(cells), games_(games) {}

  __device__ __forceinline__ void set(Bits members) { write({{members}}, 1); }
  __device__ __forceinline__ void set(const Set& members) { write(members, 1); }
  __device__ __forceinline__ void one(int cell) { set(bit(cell)); }

  __device__ __forceinline__ void everywhere(int value) {
    Set all;
    for (Bits& word : all.words) word = ~Bits{0};
    write(all, static_cast<unsigned>(value));
  }

  template <int K, class Visit>
  __device__ __forceinline__ void marked(Visit&& visit) {
    Set planes[K];
    visit([&planes](int plane, int cell) { planes[plane].add(cell); });
    for (const Set& plane : planes) write(plane, 1);
  }

  // Takes part in writing so many planes of the others.
  __device__ __forceinline__ void write_along(int planes) {
    const Set nothing;
#pragma unroll 1
    for (int plane = 0; plane < planes; ++plane) write(nothing, 0);
  }

 private:
  // Not inlined: games have many planes, and the code of each would be as long as this. Works on
  // copies of the members, which would be read again after every byte: it might be one of theirs.
  __device__ __noinline__ void write(const Set& own, unsigned value) {
    const int cells = cells_, games = games_;
    const std::size_t length = length_;
    std::uint8_t* const out = out_;
#pragma unroll 1
    for (int word = 0; 64 * word < cells; ++word) {
      const Bits own_members = own.words[word];
#pragma unroll 4
      for (int game = 0; game < games; ++game) {
        const Bits members = __shfl_sync(kWholeWarp, own_members, game);
        const unsigned factor = __shfl_sync(kWholeWarp, value, game);
        for (const int cell : {lane(), lane() + kWarp})
          if (64 * word + cell < cells)
            out[game * length + 64 * word + cell] =
                static_cast<std::uint8_t>(contains(members, cell) * factor);
      }
    }
    out_ = out + cells;
  }

  std::uint8_t* out_;
  std::size_t length_;
  int cells_, games_;
};

}  // namespace spielwerk::gpu
