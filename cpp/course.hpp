// How one game of a batch goes on by itself: chance decides, forced decisions are played, and a
// game that is over makes room for the next. The same on the processor and on a GPU.
#pragma once

#include "game.hpp"

namespace spielwerk {

template <Game G>
struct Course {
  using State = typename G::State;

  const G& game;
  bool skip_forced = false;  // decisions with a single legal action are played at once

  // The next game, at its first decision.
  constexpr void begin(State& state, Rng& dice) const {
    do {
      state = game.start(dice);
      settle(state, dice);
    } while (over(game, state));
  }

  // Plays a legal action and what follows from it.
  constexpr void play(State& state, Rng& dice, Action action) const {
    game.apply(state, action);
    settle(state, dice);
  }

  // Until there is a decision to take or the game is over.
  constexpr void settle(State& state, Rng& dice) const {
    settle_chance(game, state, dice);
    if (!skip_forced) return;
    while (!over(game, state)) {
      const auto legal = game.legal(state);
      if (legal.count() != 1) return;
      game.apply(state, legal.select(0));
      settle_chance(game, state, dice);
    }
  }
};

}  // namespace spielwerk
