// A small network that judges afterstates, the positions before a die falls, as one seat sees them.
//
// The game says which features a position has (afterstate_features). Each feature has a row of
// weights; the rows are summed up, cut off below 0 and weighed, and the game's own heuristic is one
// more input. Sums and products of floats in a fixed order: every build finds the same values.
// cpp/td.hpp trains it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../arithmetic.hpp"
#include "../game.hpp"

namespace spielwerk {

template <class G>
concept HasAfterstates = G::kHasChance && requires {
  { G::kAfterstateFeatures } -> std::convertible_to<int>;
};

// What the network sees of a position.
struct Afterstate {
  static constexpr int kMost = 64;

  std::array<std::int16_t, kMost> features;
  int count = 0;
  float heuristic = 0;

  template <HasAfterstates G>
  Afterstate(const G& game, const typename G::State& state, Seat seat)
      : heuristic(static_cast<float>(game.evaluate(state, seat))) {
    game.afterstate_features(state, seat, [this](int feature) {
      features[static_cast<std::size_t>(count++)] = static_cast<std::int16_t>(feature);
    });
  }
};

struct AfterstateWeights {
  static constexpr std::size_t kHidden = 64;
  using Hidden = std::array<float, kHidden>;

  std::vector<float> rows;  // [features, kHidden]
  std::vector<float> bias = std::vector<float>(kHidden), last = std::vector<float>(kHidden);
  float last_bias = 0, heuristic_weight = 1;

  // std::invalid_argument unless all parts are there and finite.
  void check(int features) const {
    const auto finite = [](const std::vector<float>& all) {
      return std::all_of(all.begin(), all.end(), [](float value) { return std::isfinite(value); });
    };
    if (rows.size() != static_cast<std::size_t>(features) * kHidden || bias.size() != kHidden ||
        last.size() != kHidden)
      throw std::invalid_argument("the network of afterstates was made for another game");
    if (!finite(rows) || !finite(bias) || !finite(last) || !std::isfinite(last_bias) ||
        !std::isfinite(heuristic_weight))
      throw std::invalid_argument("the network of afterstates has weights that are no numbers");
  }

  // Within -1 .. +1; `hidden` becomes the sums of the first layer.
  float value(const Afterstate& seen, Hidden& hidden) const {
    std::copy_n(bias.data(), kHidden, hidden.data());
    for (int i = 0; i < seen.count; ++i) {
      const float* row = rows.data() + row_of(seen, i);
      for (std::size_t j = 0; j < kHidden; ++j) hidden[j] += row[j];
    }
    constexpr std::size_t kLanes = 8;  // sums that a compiler may take side by side
    std::array<float, kLanes> sums{};
    for (std::size_t j = 0; j < kHidden; ++j)
      sums[j % kLanes] += (hidden[j] > 0 ? hidden[j] : 0) * last[j];
    float sum = last_bias + heuristic_weight * seen.heuristic;
    for (const float part : sums) sum += part;
    return static_cast<float>(squashed(sum));
  }

  // One step of gradient descent towards `target`; gives the value from before it.
  float learn(const Afterstate& seen, float target, float learning_rate) {
    Hidden hidden;
    const float before = value(seen, hidden);
    const float step = learning_rate * (target - before) * (1 - before * before);
    Hidden back;
    for (std::size_t j = 0; j < kHidden; ++j) {
      const bool active = hidden[j] > 0;
      back[j] = active ? step * last[j] : 0;
      last[j] += active ? step * hidden[j] : 0;
      bias[j] += back[j];
    }
    last_bias += step;
    heuristic_weight += step * seen.heuristic;
    for (int i = 0; i < seen.count; ++i) {
      float* row = rows.data() + row_of(seen, i);
      for (std::size_t j = 0; j < kHidden; ++j) row[j] += back[j];
    }
    return before;
  }

 private:
  static std::size_t row_of(const Afterstate& seen, int i) {
    return kHidden * static_cast<std::size_t>(seen.features[static_cast<std::size_t>(i)]);
  }
};

// What a seat can expect from a position: by the network, or exactly once the game is over.
template <HasAfterstates G>
double expectation(const G& game, const AfterstateWeights& weights, const typename G::State& state,
                   Seat seat) {
  if (game.player(state) == kNobody) return game.evaluate(state, seat);
  AfterstateWeights::Hidden hidden;
  return weights.value(Afterstate(game, state, seat), hidden);
}

}  // namespace spielwerk
