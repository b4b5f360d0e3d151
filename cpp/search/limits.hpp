// When a search must stop, and what it has to say.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "../game.hpp"

namespace spielwerk {

struct SearchLimits {
  std::uint64_t nodes = std::numeric_limits<std::uint64_t>::max();
  int depth = 1000;
  double milliseconds = 1e12;
  std::function<bool()> go_on = {};  // asked with every look at the clock; false stops the search
};

// Looks at the clock about four times a millisecond: asking more often can cost more than a node.
class Stopwatch {
 public:
  explicit Stopwatch(const SearchLimits& limits) : limits_(limits) {}

  // Counts one node; true once a limit is reached.
  bool tick() {
    ++nodes_;
    if (nodes_ >= limits_.nodes) finished_ = true;
    if (nodes_ >= next_look_) look();
    return stopped();
  }

  bool stopped() const { return finished_ || nodes_ >= trial_end_; }
  void stop() { finished_ = true; }

  // Until end_trial() the watch also stops after so many more nodes.
  void begin_trial(std::uint64_t nodes) { trial_end_ = nodes_ + nodes; }
  void end_trial() { trial_end_ = std::numeric_limits<std::uint64_t>::max(); }
  std::uint64_t nodes() const { return nodes_; }
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void look() {
    const double elapsed = milliseconds();
    if (elapsed >= limits_.milliseconds || (limits_.go_on && !limits_.go_on())) finished_ = true;
    const double per_look = 0.25 * static_cast<double>(nodes_) / (elapsed + 1e-3);
    next_look_ = nodes_ + 1 + static_cast<std::uint64_t>(std::min(per_look, 4096.0));
  }

  SearchLimits limits_;
  Clock::time_point start_ = Clock::now();
  std::uint64_t nodes_ = 0, next_look_ = 1;
  std::uint64_t trial_end_ = std::numeric_limits<std::uint64_t>::max();
  bool finished_ = false;
};

// One way the game may go on, as the search sees it.
struct SearchLine {
  std::vector<Action> actions;
  double value = 0;  // for the seat to act, -1 .. +1
  std::uint64_t visits = 0;
  bool proved = false;  // the value is exact
};

// What a search found; lines are ordered best first, one per action it considered at the root.
struct SearchReport {
  std::vector<SearchLine> lines;
  std::uint64_t nodes = 0;
  int depth = 0;
  double milliseconds = 0;
  bool proved = false;
};

// A report that lists every action of the position, in random order so that equal values are not
// always the first.
template <Game G>
SearchReport shuffled_actions(const G& game, const typename G::State& state, std::uint64_t seed) {
  SearchReport report;
  Rng rng = Rng::stream(seed, Purpose::search);
  game.legal(state).each([&](Action action) { report.lines.push_back({{action}, 0, 0, false}); });
  for (std::size_t i = report.lines.size(); i > 1; --i)
    std::swap(report.lines[i - 1],
              report.lines[static_cast<std::size_t>(rng.below(static_cast<int>(i)))]);
  return report;
}

}  // namespace spielwerk
