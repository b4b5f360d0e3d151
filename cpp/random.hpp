// The only source of chance in the core: one 64-bit state, the same numbers on every machine.
#pragma once

#include <cstdint>

namespace spielwerk {

// SplitMix64 (Steele, Lea, Flood 2014): every seed is a good seed, and streams split cheaply.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed = 0) : state_(seed) {}

  // An independent stream, a pure function of (seed, index).
  static constexpr Rng stream(std::uint64_t seed, std::uint64_t index) {
    Rng outer(seed);
    Rng inner(outer.next() ^ (index * 0xd1342543de82ef95ULL));
    return Rng(inner.next());
  }

  constexpr std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Uniform in 0 .. n-1 up to a bias below n / 2^32, which no experiment here can see.
  constexpr int below(int n) {
    return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }

  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace spielwerk
