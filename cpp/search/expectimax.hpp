// Expectimax: chance is averaged over all outcomes, and every seat takes what is best for itself
// (max^n). Positions at the horizon are judged by the game's heuristic or by a network of
// afterstates. Teammates share a heuristic, so a team pulls together.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "../bits.hpp"
#include "afterstates.hpp"
#include "limits.hpp"

namespace spielwerk {

template <Game G>
class Expectimax {
 public:
  using State = typename G::State;
  using Values = std::array<double, kMaxSeats>;

  explicit Expectimax(const G& game, std::shared_ptr<const AfterstateWeights> network = nullptr)
      : game_(game), network_(std::move(network)) {}

  SearchReport search(const State& state, const SearchLimits& limits, std::uint64_t seed) {
    Stopwatch watch(limits);
    watch_ = &watch;
    SearchReport report = shuffled_actions(game_, state, seed);
    for (int depth = 1; depth <= limits.depth; ++depth) {
      if (!deepen(state, depth, report)) break;
      report.depth = depth;
      if (report.lines.size() == 1) break;
    }
    report.nodes = watch.nodes();
    report.milliseconds = watch.milliseconds();
    return report;
  }

 private:
  // One iteration of deepening over every root action; false when time ran out on the way.
  bool deepen(const State& state, int depth, SearchReport& report) {
    const auto seat = static_cast<std::size_t>(game_.player(state));
    std::vector<double> values;
    for (const SearchLine& line : report.lines) {
      State next = state;
      game_.apply(next, line.actions[0]);
      values.push_back(value(next, depth - 1, bit(static_cast<int>(seat)))[seat]);
      if (watch_->stopped()) return depth == 1 && keep_partial(values, report);
    }
    for (std::size_t i = 0; i < values.size(); ++i) report.lines[i].value = values[i];
    sort(report);
    return true;
  }

  static bool keep_partial(const std::vector<double>& values, SearchReport& report) {
    for (std::size_t i = 0; i < report.lines.size(); ++i)
      report.lines[i].value = i + 1 < values.size() ? values[i] : -1;
    sort(report);
    return false;
  }

  static void sort(SearchReport& report) {
    std::stable_sort(report.lines.begin(), report.lines.end(),
                     [](const SearchLine& a, const SearchLine& b) { return a.value > b.value; });
  }

  // Depth counts decisions; dice come free. Only the values of the seats in `wanted` are right.
  Values value(const State& state, int depth, Bits wanted) {
    watch_->tick();
    const Seat player = game_.player(state);
    if (player == kNobody || watch_->stopped()) return leaf(state, wanted);
    if (player == kChance) return expected(state, depth, wanted);
    if (depth <= 0) return leaf(state, wanted);
    if (depth == 1) return last_decision(state, player, wanted);
    const auto own = static_cast<std::size_t>(player);
    Values best{};
    bool first = true;
    game_.legal(state).each([&](Action action) {
      State next = state;
      game_.apply(next, action);
      const Values values = value(next, depth - 1, wanted | bit(player));
      if (first || values[own] > best[own]) best = values;
      first = false;
    });
    return best;
  }

  // What others think of an action matters once it is chosen.
  Values last_decision(const State& state, Seat player, Bits wanted) {
    const auto own = static_cast<std::size_t>(player);
    State chosen = state;
    double most = 0;
    bool first = true;
    game_.legal(state).each([&](Action action) {
      State next = state;
      game_.apply(next, action);
      const double found = value(next, 0, bit(player))[own];
      if (!first && !(found > most)) return;
      chosen = next;
      most = found;
      first = false;
    });
    Values values = leaf(chosen, wanted & ~bit(player));
    values[own] = most;
    return values;
  }

  // At the horizon the position is judged before the die is known.
  Values expected(const State& state, int depth, Bits wanted) {
    if (depth <= 0) return leaf(state, wanted);
    Values sum{};
    if constexpr (G::kHasChance) {
      for (const ChanceOutcome& outcome : game_.outcomes(state)) {
        State next = state;
        game_.apply(next, outcome.action);
        const Values values = value(next, depth, wanted);
        for (std::size_t seat = 0; seat < sum.size(); ++seat)
          sum[seat] += outcome.probability * values[seat];
      }
    }
    return sum;
  }

  Values leaf(const State& state, Bits wanted) const {
    Values values{};
    each(wanted, [&](int seat) { values[static_cast<std::size_t>(seat)] = judged(state, seat); });
    return values;
  }

  double judged(const State& state, Seat seat) const {
    if constexpr (HasAfterstates<G>)
      if (network_ != nullptr) return expectation(game_, *network_, state, seat);
    return game_.evaluate(state, seat);
  }

  const G& game_;
  std::shared_ptr<const AfterstateWeights> network_;
  Stopwatch* watch_ = nullptr;
};

}  // namespace spielwerk
