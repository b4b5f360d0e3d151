// One ply: try every action, keep the one the game's own heuristic likes best.
#pragma once

#include "../game.hpp"

namespace spielwerk {

// Ties are broken at random, so that two greedy games differ. Needs a seat to act.
template <Game G>
constexpr Action greedy_action(const G& game, const typename G::State& state, Rng& rng) {
  const Seat seat = game.player(state);
  Action best = -1;
  double best_value = -2;
  int ties = 0;
  for (auto left = game.legal(state); !left.empty();) {
    const Action action = left.select(0);
    left.remove(action);
    auto next = state;
    game.apply(next, action);
    const double value = game.evaluate(next, seat);
    if (value > best_value) ties = 0;
    if (value >= best_value && rng.below(++ties) == 0) best = action;
    best_value = value > best_value ? value : best_value;
  }
  return best;
}

}  // namespace spielwerk
