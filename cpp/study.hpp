// What every action of a position is worth, by means that know no game.
#pragma once

#include <algorithm>

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

inline constexpr double kLeastThinking = 1;  // milliseconds

// The same limits with a share of their time.
inline SearchLimits within(SearchLimits limits, double milliseconds) {
  limits.milliseconds = std::max(kLeastThinking, milliseconds);
  return limits;
}

inline bool goes_on(const SearchLimits& limits) { return !limits.go_on || limits.go_on(); }

// Alpha-beta knows the value of its best action only; of the others it knows that they are not
// better. Here each of them is searched, too, within the same time, so that values can be compared.
class Study {
 public:
  Study(AnySearch& search, const AnyState& state, const SearchLimits& limits, std::uint64_t seed)
      : search_(search), state_(state), limits_(limits), seed_(seed), watch_(limits) {}

  SearchReport report() {
    SearchReport whole =
        search_.search(state_, within(limits_, kRootShare * limits_.milliseconds), seed_);
    auto& lines = whole.lines;
    for (std::size_t i = 1; i < lines.size() && left() >= kLeastThinking && goes_on(limits_); ++i)
      whole.nodes += improve(lines[i], left() / static_cast<double>(lines.size() - i), lines[0]);
    std::stable_sort(lines.begin() + (lines.empty() ? 0 : 1), lines.end(),
                     [](const auto& one, const auto& other) { return one.value > other.value; });
    whole.milliseconds = watch_.milliseconds();
    return whole;
  }

 private:
  static constexpr double kRootShare = 0.4;  // of the time, for the position itself

  double left() const { return limits_.milliseconds - watch_.milliseconds(); }

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
    const SearchReport found = search_.search(*after, within(limits_, milliseconds), seed_);
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
  Stopwatch watch_;
};

// A line and, where that is exactly known, how many actions are left when both sides play their
// best; -1 where it is not.
struct ProvedLine : SearchLine {
  int distance = -1;
};

struct ProofReport {
  std::vector<ProvedLine> lines;  // best first
  std::uint64_t nodes = 0;
  int depth = 0;
  double milliseconds = 0;
  bool proved = false;
};

// Proved results of every action, and alpha-beta's opinion where no proof comes in time: half of
// the time goes to the position itself, some to alpha-beta, the rest to what each action leads to.
class ProofStudy {
 public:
  ProofStudy(AnySolver& solver, AnySearch& guesser, const AnyState& state,
             const SearchLimits& limits, std::uint64_t seed)
      : solver_(solver),
        guesser_(guesser),
        state_(state),
        limits_(limits),
        seed_(seed),
        watch_(limits) {}

  ProofReport report() {
    best_ = proof(state_, limits_.milliseconds / 2);
    const SearchReport guess =
        guesser_.search(state_, within(limits_, limits_.milliseconds * kGuessingShare), seed_);
    ProofReport found{.lines = {}, .nodes = best_.nodes, .depth = guess.depth};
    for (std::size_t i = 0; i < guess.lines.size(); ++i) {
      const double left = limits_.milliseconds - watch_.milliseconds();
      found.lines.push_back(
          line_of(guess.lines[i], left / static_cast<double>(guess.lines.size() - i), found.nodes));
    }
    std::stable_sort(found.lines.begin(), found.lines.end(),
                     [this](const auto& one, const auto& other) { return better(one, other); });
    found.milliseconds = watch_.milliseconds();
    found.proved = best_.solved;
    return found;
  }

 private:
  static constexpr double kGuessingShare = 0.25;  // of the time, for alpha-beta

  Solution proof(const AnyState& state, double milliseconds) {
    const auto progress = [this](const Solution&) { return goes_on(limits_); };
    return solver_.solve(state, within(limits_, milliseconds), true, progress);
  }

  double value(const Solution& solution) const {
    if (solution.winner == kNobody) return 0;
    return solution.winner == state_.player() ? 1 : -1;
  }

  bool is_best(const SearchLine& line) const {
    return !best_.line.empty() && line.actions.front() == best_.line.front();
  }

  // What is known about an action, the guess where it could not be proved.
  ProvedLine line_of(const SearchLine& guessed, double milliseconds, std::uint64_t& nodes) {
    if (is_best(guessed)) return {{best_.line, value(best_), 0, true}, best_.distance};
    if (!goes_on(limits_)) return {guessed};
    const auto after = state_.clone();
    after->play(static_cast<long long>(guessed.actions.front()));
    const Solution solution = proof(*after, milliseconds);
    nodes += solution.nodes;
    if (!solution.solved) return {guessed};
    std::vector<Action> actions = {guessed.actions.front()};
    actions.insert(actions.end(), solution.line.begin(), solution.line.end());
    const int distance = solution.distance < 0 ? -1 : solution.distance + 1;
    return {{std::move(actions), value(solution), 0, true}, distance};
  }

  // Proved best play first; then by value, fast wins and long defences before others.
  bool better(const ProvedLine& one, const ProvedLine& other) const {
    if (is_best(one) != is_best(other)) return is_best(one);
    if (one.value != other.value) return one.value > other.value;
    const int lead = std::max(one.distance, 0) - std::max(other.distance, 0);
    return one.value > 0 ? lead < 0 : lead > 0;
  }

  AnySolver& solver_;
  AnySearch& guesser_;
  const AnyState& state_;
  SearchLimits limits_;
  std::uint64_t seed_;
  Stopwatch watch_;
  Solution best_;
};

}  // namespace spielwerk
