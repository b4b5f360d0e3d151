// How one game of a batch goes on by itself to the caller's next decision: chance decides, the
// others play, forced decisions are taken, and a game that is over makes room for the next. The
// same on the processor and on a GPU.
#pragma once

#include "game.hpp"
#include "search/greedy.hpp"

namespace spielwerk {

// Who plays the seats that the caller does not; with `none` the caller plays all of them.
enum class Opponent : std::uint8_t { none, random, greedy };

constexpr int kAnySeat = -1;

template <Game G>
struct Course {
  using State = typename G::State;

  const G& game;
  bool skip_forced = false;  // decisions with a single legal action are played at once
  Opponent opponent = Opponent::none;
  int seat = 0;  // the caller's where there are opponents; kAnySeat: drawn for every game

  // A game that the others end before the caller's first decision is none: another one starts.
  constexpr void begin(State& state, Rng& dice, Seat& own) const {
    do {
      start(state, dice, own);
    } while (over(game, state));
  }

  // `own` becomes the caller's seat.
  constexpr void start(State& state, Rng& dice, Seat& own) const {
    own = seat == kAnySeat ? dice.below(game.seats()) : seat;
    state = game.start(dice);
    settle(state, dice, own);
  }

  // Plays a legal action and what follows from it.
  constexpr void play(State& state, Rng& dice, Seat own, Action action) const {
    game.apply(state, action);
    settle(state, dice, own);
  }

  // Until the caller has a decision to take or the game is over.
  constexpr void settle(State& state, Rng& dice, Seat own) const {
    settle_chance(game, state, dice);
    if (!skip_forced && opponent == Opponent::none) return;
    while (!over(game, state)) {
      const auto legal = game.legal(state);
      if (opponent != Opponent::none && game.player(state) != own) {
        game.apply(state, opponents_action(state, legal, dice));
      } else if (skip_forced && legal.count() == 1) {
        game.apply(state, legal.select(0));
      } else {
        return;
      }
      settle_chance(game, state, dice);
    }
  }

 private:
  constexpr Action opponents_action(const State& state, const BitSet<G::kMaskWords>& legal,
                                    Rng& dice) const {
    return opponent == Opponent::random ? random_member(legal, dice)
                                        : greedy_action(game, state, dice);
  }
};

}  // namespace spielwerk
