// What every action of a position is worth, by means that know no game.
#pragma once

#include <algorithm>
#include <chrono>

#include "any_game.hpp"

namespace spielwerk {

// Each action's position as the heuristic sees it, the best first; of equal ones, the greedy choice.
inline SearchReport one_ply(const AnyState& state, std::uint64_t seed) {
  const Seat seat = state.player();
  if (seat < 0) throw std::invalid_argument("no seat is to act in this position");
  const Action choice = state.greedy(seed);
  std::vector<Action> actions;
  state.legal_actions(actions);
  SearchReport report{.lines = {}, .nodes = actions.size(), .depth = 1};
  for (const Action action : actions) {
    const auto after = state.clone();
    after->play(static_cast<long long>(action));
    report.lines.push_back({{action}, after->evaluate(seat)});
  }
  const auto before = [&](const SearchLine& one, const SearchLine& other) {
    return one.actions[0] == choice || (other.actions[0] != choice && one.value > other.value);
  };
  std::stable_sort(report.lines.begin(), report.lines.end(), before);
  return report;
}

// Alpha-beta knows the value of its best action only; of the others it knows that they are not
// better. Here each of them is searched, too, within the same time, so that values can be compared.
class Study {
 public:
  Study(AnySearch& search, const AnyState& state, const SearchLimits& limits, std::uint64_t seed)
      : search_(search), state_(state), limits_(limits), seed_(seed) {}

  SearchReport report() {
    SearchReport whole = search_.search(state_, within(kRootShare * limits_.milliseconds), seed_);
    auto& lines = whole.lines;
    for (std::size_t i = 1; i < lines.size() && goes_on(); ++i)
      whole.nodes += improve(lines[i], left() / static_cast<double>(lines.size() - i), lines[0]);
    std::stable_sort(lines.begin() + (lines.empty() ? 0 : 1), lines.end(),
                     [](const auto& one, const auto& other) { return one.value > other.value; });
    whole.milliseconds = elapsed();
    return whole;
  }

 private:
  static constexpr double kRootShare = 0.4;  // of the time, for the position itself
  static constexpr double kLeast = 1;        // milliseconds
  using Clock = std::chrono::steady_clock;

  double elapsed() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }
  double left() const { return limits_.milliseconds - elapsed(); }
  bool goes_on() const { return left() >= kLeast && (!limits_.go_on || limits_.go_on()); }

  SearchLimits within(double milliseconds) const {
    SearchLimits some = limits_;
    some.milliseconds = std::max(kLeast, milliseconds);
    return some;
  }

  // Searches a line's action; the nodes that took. It is not better than the best one: that was
  // looked into.
  std::uint64_t improve(SearchLine& line, double milliseconds, const SearchLine& best) {
    const Seat seat = state_.player();
    const auto after = state_.clone();
    after->play(static_cast<long long>(line.actions.front()));
    line.actions.resize(1);
    if (after->player() == kNobody) {
      line.value = after->returns()[static_cast<std::size_t>(seat)];
      line.proved = true;
      return 0;
    }
    const SearchReport found = search_.search(*after, within(milliseconds), seed_);
    const SearchLine& reply = found.lines.front();
    const double value = after->player() == seat ? reply.value : -reply.value;
    line.actions.insert(line.actions.end(), reply.actions.begin(), reply.actions.end());
    line.value = reply.proved ? value : std::min(value, best.value);
    line.proved = reply.proved;
    return found.nodes;
  }

  AnySearch& search_;
  const AnyState& state_;
  SearchLimits limits_;
  std::uint64_t seed_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace spielwerk
