// Whole games and whole trees inside the core: random play, and counts that pin the rules.
#pragma once

#include "game.hpp"

namespace spielwerk {

struct PlayoutCount {
  std::uint64_t games = 0, plies = 0;
};

// Plays random legal actions to the end; returns the number of decisions.
template <Game G>
inline std::uint64_t play_out(const G& game, typename G::State& state, Rng& rng) {
  std::uint64_t plies = 0;
  settle_chance(game, state, rng);
  while (!over(game, state)) {
    game.apply(state, random_member(game.legal(state), rng));
    ++plies;
    settle_chance(game, state, rng);
  }
  return plies;
}

template <Game G>
inline PlayoutCount random_playouts(const G& game, std::uint64_t games, std::uint64_t seed) {
  Rng rng = Rng::stream(seed, Purpose::playouts);
  PlayoutCount total;
  for (; total.games < games; ++total.games) {
    auto state = game.start(rng);
    total.plies += play_out(game, state, rng);
  }
  return total;
}

// The number of sequences of exactly `depth` actions, chance outcomes counted as actions.
template <Game G>
std::uint64_t perft(const G& game, const typename G::State& state, int depth) {
  if (depth == 0) return 1;
  const auto legal = game.legal(state);
  if (depth == 1) return static_cast<std::uint64_t>(legal.count());
  std::uint64_t total = 0;
  legal.each([&](Action action) {
    auto next = state;
    game.apply(next, action);
    total += perft(game, next, depth - 1);
  });
  return total;
}

}  // namespace spielwerk
