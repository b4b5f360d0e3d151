// The only source of chance in the core: one 64-bit state, the same numbers on every machine.
//
// What a seed means (docs/seeds.md has the same for every door of the package):
//  - start(seed) draws the starting position and then every die from the stream Rng(seed).
//  - Game i of a batch that was reset with a seed is the game that start(game_seed(seed, i))
//    begins. The next game in the same place goes on with the numbers that the last one left.
//  - Everything else that draws under a seed (random and greedy actions, playouts, searches) has
//    streams of its own: no purpose ever sees the numbers of another one.
#pragma once

#include <cstdint>

namespace spielwerk {

// What random numbers are for (domain separation). The values only have to differ by more than
// seeds that people choose.
enum class Purpose : std::uint64_t {
  games = 0,                     // starting positions and dice
  actions = 0x616374696f6e7321,  // random actions, and ties between equally good ones
  playouts = 0x706c61796f757421,
  search = 0x7365617263682121,
};

// SplitMix64 (Steele, Lea, Flood 2014): every seed is a good seed, and streams split cheaply.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed = 0) : state_(seed) {}

  // An independent stream, a pure function of its arguments.
  static constexpr Rng stream(std::uint64_t seed, Purpose purpose, std::uint64_t index = 0) {
    Rng outer(seed ^ static_cast<std::uint64_t>(purpose));
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

  constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

// The seed of game `index` among many games under one seed.
constexpr std::uint64_t game_seed(std::uint64_t seed, std::uint64_t index) {
  return Rng::stream(seed, Purpose::games, index).state();
}

}  // namespace spielwerk
