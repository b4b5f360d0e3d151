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

// Where a thread's bits lie among those of its warp, from which bit on, and whether other threads
// have bits in the words that hold them.
struct Strip {
  unsigned first;
  bool shares_words;
};

// The bits of a warp's games in shared memory, game after game without a gap, as they will lie in
// the device's memory a byte each. At most `MaxLength` bits a game.
template <int MaxLength>
class WarpBits {
 public:
  // `length` bits a game. Those of the first `games` begin as zeros.
  __device__ __forceinline__ void begin(int length, int games) {
    for (int word = lane(); word <= length * games / 32; word += kWarp) words_[word] = 0;
    __syncwarp();
  }

  // Adds bits at .. at + count - 1 of a strip.
  __device__ __forceinline__ void add(Strip strip, int at, Bits members, int count) {
    const unsigned first = bit_of(strip, at), shift = first % 32;
    const Bits kept = members & first_bits(count);
    std::uint32_t* word = words_ + first / 32;
    join(strip, word, static_cast<std::uint32_t>(kept << shift));
    join(strip, word + 1, static_cast<std::uint32_t>(kept >> (32 - shift)));
    if (shift != 0) join(strip, word + 2, static_cast<std::uint32_t>(kept >> 32 >> (32 - shift)));
  }

  // The same, of at most 32, none of them beyond the strip.
  __device__ __forceinline__ void add_few(Strip strip, int at, std::uint32_t members) {
    const unsigned first = bit_of(strip, at);
    const Bits placed = Bits{members} << (first % 32);
    std::uint32_t* word = words_ + first / 32;
    join(strip, word, static_cast<std::uint32_t>(placed));
    join(strip, word + 1, static_cast<std::uint32_t>(placed >> 32));
  }

  __device__ __forceinline__ void add_one(Strip strip, int at) {
    const unsigned bit = bit_of(strip, at);
    join(strip, words_ + bit / 32, 1u << (bit % 32));
  }

  // Writes a byte for each of `total` bits, from `out` on. Ends with the memory free to be used again.
  __device__ __forceinline__ void write(std::uint8_t* out, int total) {
    __syncwarp();
    const int head = bytes_before_vectors(out, total), vectors = (total - head) / 16;
    auto* const aligned = reinterpret_cast<uint4*>(out + head);
    if (head == 0) {
      for (int vector = lane(); vector < vectors; vector += kWarp)
        aligned[vector] = spread16(sixteen(vector));
    } else {
      write_bytes(out, 0, head);
      for (int vector = lane(); vector < vectors; vector += kWarp)
        aligned[vector] = spread16(sixteen_from(head + 16 * vector));
    }
    write_bytes(out, head + 16 * vectors, total);
    __syncwarp();
  }

  __device__ __forceinline__ unsigned sixteen(int vector) const {
    return reinterpret_cast<const std::uint16_t*>(words_)[vector];
  }

 private:
  // Without a sign, dividing by 32 is a mere shift.
  __device__ __forceinline__ static unsigned bit_of(Strip strip, int at) {
    return strip.first + static_cast<unsigned>(at);
  }

  __device__ __forceinline__ static void join(Strip strip, std::uint32_t* word,
                                              std::uint32_t bits) {
    if (bits == 0) return;
    if (strip.shares_words) {
      atomicOr(word, bits);
    } else {
      *word |= bits;
    }
  }

  __device__ __forceinline__ unsigned sixteen_from(int bit) const {
    return __funnelshift_r(words_[bit / 32], words_[bit / 32 + 1], bit % 32) & 0xffff;
  }

  // Before the first address that is a multiple of 16.
  __device__ __forceinline__ static int bytes_before_vectors(const std::uint8_t* out, int total) {
    const int bytes = static_cast<int>(-reinterpret_cast<std::uintptr_t>(out) % 16);
    return bytes < total ? bytes : total;
  }

  // Fewer than the warp has threads.
  __device__ __forceinline__ void write_bytes(std::uint8_t* out, int from, int to) const {
    const int at = from + lane();
    if (at < to) out[at] = words_[at / 32] >> at % 32 & 1;
  }

  std::uint32_t words_[MaxLength + 3];
};

// Which part of a game a thread paints, of how many, a power of two.
struct Share {
  unsigned number = 0, of = 1;

  // Every so many members of a word.
  __device__ __forceinline__ Bits of_a_word() const {
    Bits members = 1;
    for (unsigned width = of; width < 64; width *= 2) members |= members << width;
    return members << number;
  }
};

// The canvas of a GPU (see canvas.hpp): all planes of the warp's games, to be written at once. Where
// several threads paint a game, all go through it in step, each marks its share of the cells, and
// the first of them paints what is no set to go through.
template <int Planes, int MaxCells>
class WarpCanvas {
 public:
  struct Shared {
    WarpBits<Planes * MaxCells> bits;
    std::uint8_t values[kWarp * Planes];  // what a 1 stands for, by game and plane
  };

  // Numbers above 1 in cells of their own, which follow when the bits are written. A list that is
  // indexed at run time lies in memory, and would take the canvas with it if it were a member.
  struct Corrections {
    static constexpr int kMost = 12;
    std::uint16_t at[kMost], value[kMost];
  };

  __device__ __forceinline__ WarpCanvas(Shared& shared, Corrections& corrections, int cells,
                                        int games, int own_game, Share share = {})
      : shared_(shared),
        corrections_(corrections),
        own_game_(own_game),
        cells_(cells),
        length_(Planes * cells),
        strip_{static_cast<unsigned>(own_game * length_), share.of > 1 || length_ % 32 != 0},
        share_(share),
        is_first_(share.number == 0),
        own_members_(share.of_a_word()) {
    for (int plane = 0; plane < Planes; ++plane) shared_.values[kWarp * plane + lane()] = 1;
    shared_.bits.begin(length_, games);
  }

  __device__ __forceinline__ void set(Bits members) {
    if (is_first_) shared_.bits.add(strip_, at_, members, cells_ < 64 ? cells_ : 64);
    next_planes(1);
  }

  template <int Words>
  __device__ __forceinline__ void set(const BitSet<Words>& members) {
    for (int word = 0; 64 * word < cells_ && is_first_; ++word)
      shared_.bits.add(strip_, at_ + 64 * word, members.words[word], cells_ - 64 * word);
    next_planes(1);
  }

  __device__ __forceinline__ void one(int cell) {
    if (is_first_) shared_.bits.add_one(strip_, at_ + cell);
    next_planes(1);
  }

  __device__ __forceinline__ void everywhere(int value) {
    if (is_first_) fill(plane_, at_, value);
    next_planes(1);
  }

  // Of several such planes each thread paints its share. A loop: code written out for each would
  // take longer to fetch than to run.
  template <class... Values>
  __device__ __forceinline__ void everywhere(int first, Values... others) {
    const int values[] = {first, others...};
    constexpr int kValues = 1 + sizeof...(others);
#pragma unroll 1
    for (int i = static_cast<int>(share_.number); i < kValues; i += static_cast<int>(share_.of))
      fill(plane_ + i, at_ + i * cells_, values[i]);
    next_planes(kValues);
  }

  template <class Cell, class Value>
  __device__ __forceinline__ void few(int count, Cell&& cell, Value&& value) {
    for (int i = 0; i < count && is_first_; ++i) {
      shared_.bits.add_one(strip_, at_ + cell(i));
      if (value(i) > 1 && corrected_ < Corrections::kMost) {
        corrections_.at[corrected_] = static_cast<std::uint16_t>(at_ + cell(i));
        corrections_.value[corrected_++] = static_cast<std::uint16_t>(value(i));
      }
    }
    next_planes(1);
  }

  template <int K, class Visit>
  __device__ __forceinline__ void lines(int count, int width, Visit&& visit) {
    for (int line = static_cast<int>(share_.number); line < count; line += static_cast<int>(share_.of))
      visit(line, [&](int plane, Bits bits) {
        shared_.bits.add_few(strip_, at_ + plane * cells_ + line * width, static_cast<std::uint32_t>(bits));
      });
    next_planes(K);
  }

  template <int K, int Words, class Visit>
  __device__ __forceinline__ void marked(const BitSet<Words>& members, Visit&& visit) {
    const auto mark = [this](int plane, int cell) {
      shared_.bits.add_one(strip_, at_ + plane * cells_ + cell);
    };
    BitSet<Words>::each_word([&](int word) {
      each(members.words[word] & own_members_, [&](int i) { visit(64 * word + i, mark); });
    });
    next_planes(K);
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
    for (int i = 0; i < corrected_; ++i)
      out[own_game_ * length_ + corrections_.at[i]] =
          static_cast<std::uint8_t>(corrections_.value[i]);
  }

 private:
  __device__ __forceinline__ void fill(int plane, int at, int value) {
    if (value != 0)
      for (int cell = 0; cell < cells_; cell += 64)
        shared_.bits.add(strip_, at + cell, ~Bits{0}, cells_ - cell < 64 ? cells_ - cell : 64);
    // A 0 counts, too: another game of the warp may have a number here.
    if (value != 1) shared_.values[own_game_ * Planes + plane] = static_cast<std::uint8_t>(value);
    if (value > 1) numbered_ |= 1u << plane;
  }

  __device__ __forceinline__ void next_planes(int count) {
    plane_ += count;
    at_ += count * cells_;
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
  Corrections& corrections_;
  int own_game_, cells_, length_, plane_ = 0, at_ = 0, corrected_ = 0;
  Strip strip_;
  Share share_;
  bool is_first_;
  Bits own_members_;
  unsigned numbered_ = 0;  // planes with a number above 1
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

  template <class... Values>
  __device__ __forceinline__ void everywhere(Values... values) {
    Set all;
    for (Bits& word : all.words) word = ~Bits{0};
    (write(all, static_cast<unsigned>(values)), ...);
  }

  template <int K, class Visit>
  __device__ __forceinline__ void lines(int count, int width, Visit&& visit) {
    Set planes[K];
    for (int line = 0; line < count; ++line)
      visit(line, [&](int plane, Bits bits) { planes[plane].add_shifted(bits, width * line); });
    for (const Set& plane : planes) write(plane, 1);
  }

  template <int K, class Members, class Visit>
  __device__ __forceinline__ void marked(const Members& members, Visit&& visit) {
    Set planes[K];
    const auto mark = [&planes](int plane, int cell) { planes[plane].add(cell); };
    members.each([&](int member) { visit(member, mark); });
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
