// TD(λ) on afterstates (Sutton 1988, as in TD-Gammon): a network plays games against itself, always
// the action that it likes best, and learns from each game what the next positions and the result
// say about the ones before. The dice see to it that games differ.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/afterstates.hpp"

namespace spielwerk {

struct TdOptions {
  int games = 1;
  std::uint64_t seed = 0, first_game = 0;
  float lambda = 0, learning_rate = 0;
};

template <HasAfterstates G>
class TdLearner {
 public:
  using State = typename G::State;

  TdLearner(const G& game, AfterstateWeights& weights) : game_(game), weights_(weights) {
    weights_.check(G::kAfterstateFeatures);
  }

  void learn(const TdOptions& options) {
    for (int i = 0; i < options.games; ++i) {
      Rng dice(game_seed(options.seed, options.first_game + static_cast<std::uint64_t>(i)));
      const State end = play(dice);
      learn_from(end, options);
    }
  }

 private:
  State play(Rng& dice) {
    seen_.clear();
    State state = game_.start(dice);
    while (game_.player(state) != kNobody) {
      if (game_.player(state) == kChance) {
        for (Seat seat = 0; seat < game_.seats(); ++seat) seen_.emplace_back(game_, state, seat);
        game_.apply(state, game_.roll(state, dice));
      } else {
        game_.apply(state, best_action(state));
      }
    }
    return state;
  }

  Action best_action(const State& state) const {
    const auto legal = game_.legal(state);
    if (legal.count() == 1) return legal.select(0);
    Action best = kNobody;
    double most = 0;
    legal.each([&](Action action) {
      State next = state;
      game_.apply(next, action);
      const double value = expectation(game_, weights_, next, game_.player(state));
      if (best != kNobody && value <= most) return;
      best = action;
      most = value;
    });
    return best;
  }

  // Backwards, so that each position's λ-return is there when the position before needs it.
  void learn_from(const State& end, const TdOptions& options) {
    const auto seats = static_cast<std::size_t>(game_.seats());
    std::array<double, kMaxSeats> returns{};
    game_.returns(end, returns.data());
    std::array<float, kMaxSeats> target{};
    std::copy_n(returns.begin(), seats, target.begin());
    for (std::size_t i = seen_.size(); i-- > 0;) {
      float& lambda_return = target[i % seats];
      const float value = weights_.learn(seen_[i], lambda_return, options.learning_rate);
      lambda_return = (1 - options.lambda) * value + options.lambda * lambda_return;
    }
  }

  const G& game_;
  AfterstateWeights& weights_;
  std::vector<Afterstate> seen_;  // of each position before a die, one for every seat
};

}  // namespace spielwerk
