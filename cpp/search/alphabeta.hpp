// Alpha-beta (negamax) for two-seat games without chance: iterative deepening, transposition table,
// and at the leaves the game's own heuristic, which a network may correct (nnue.hpp). A turn may
// hold several actions: the sign of a value changes with the player, not with the ply.
//
// The first action of a node is expected to be the best (principal variation search): the others
// need only be shown to be no better, by a search with a null window, late ones at first less deep
// (late move reductions), and are searched again when they are not.
//
// Several threads search the same position and share the transposition table (lazy SMP): what one
// has found out, the others need not. The first thread's result counts. One thread with a limit of
// nodes always finds the same, given the same searches before; with more, or a limit of time,
// results depend on the machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../thread_pool.hpp"
#include "hashing.hpp"
#include "limits.hpp"
#include "nnue.hpp"

namespace spielwerk {

struct AlphaBetaOptions {
  int threads = 1;
  std::size_t megabytes = 16;                            // of the transposition table
  std::shared_ptr<const NnueWeights> network = nullptr;  // judges leaves with the heuristic
};

// One thread's share of a search: everything but the table is its own.
template <Game G>
class AlphaBetaWorker {
 public:
  using State = typename G::State;

  AlphaBetaWorker(const G& game, TranspositionTable& table, const NnueWeights* network)
      : game_(game), table_(table), history_(2 * static_cast<std::size_t>(game.actions())) {
    if (network != nullptr) network_.emplace(game, *network);
  }

  // Deepens from `first_depth` on, until a limit is reached or the result is proved.
  SearchReport search(const State& state, const SearchLimits& limits, std::uint64_t seed,
                      int first_depth) {
    Stopwatch watch(limits);
    watch_ = &watch;
    result_open_ = game_.settled(state) == kNobody;
    for (int& count : history_) count /= 8;  // what earlier positions taught fades
    SearchReport report = ordered_root(state, seed);
    for (int depth = first_depth; depth <= limits.depth; ++depth) {
      if (!deepen(state, depth, report)) break;
      report.depth = depth;
      report.proved = std::abs(best_) >= kCertain || complete_;
      if (report.proved || report.lines.size() == 1) break;
    }
    report.nodes = watch.nodes();
    report.milliseconds = watch.milliseconds();
    return report;
  }

 private:
  // Heuristics lie strictly within ±kHeuristic; a win at ply p scores kWin - p.
  static constexpr int kHeuristic = 10'000, kWin = 1'000'000, kCertain = kWin - 10'000;
  static constexpr int kInfinity = kWin + 1;

  // Late move reductions.
  static constexpr int kReducedFrom = 2, kFullDepthActions = 3, kLogsPerPly = 6;

  // Actions with hints sort as one number: the best hint first, then the lowest action.
  using Move = std::uint64_t;
  static Move move_of(Action action, int hint) {
    return static_cast<Move>(hint + kInfinity) << 32 |
           (0xffffffffU - static_cast<unsigned>(action));
  }
  static Action action_of(Move move) {
    return static_cast<Action>(0xffffffffU - static_cast<unsigned>(move));
  }

  // Every action of the root, the most promising first.
  SearchReport ordered_root(const State& state, std::uint64_t seed) {
    SearchReport report = shuffled_actions(game_, state, seed);
    const Seat seat = game_.player(state);
    for (SearchLine& line : report.lines) {
      State next = state;
      game_.apply(next, line.actions[0]);
      line.value = game_.evaluate(next, seat);
    }
    std::stable_sort(report.lines.begin(), report.lines.end(),
                     [](const SearchLine& a, const SearchLine& b) { return a.value > b.value; });
    return report;
  }

  // One iteration of deepening; false when a limit cut it short. What was found until then counts.
  bool deepen(const State& state, int depth, SearchReport& report) {
    const Seat seat = game_.player(state);
    complete_ = true;
    std::vector<std::pair<int, std::size_t>> ranked;
    int alpha = -kInfinity;
    for (std::size_t i = 0; i < report.lines.size(); ++i) {
      State next = state;
      game_.apply(next, report.lines[i].actions[0]);
      const int score = value_after(seat, next, depth, alpha, kInfinity, 0, static_cast<int>(i));
      if (watch_->stopped()) break;
      ranked.emplace_back(score, i);
      alpha = std::max(alpha, score);
    }
    if (ranked.empty()) return false;
    // Scores below the best are upper bounds: only the best changes places when the iteration was
    // cut short.
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    // Whatever was not looked at is better than a certain loss.
    if (watch_->stopped() && ranked.front().first <= -kCertain) return false;
    adopt(state, depth, ranked, report);
    return !watch_->stopped();
  }

  void adopt(const State& state, int depth, const std::vector<std::pair<int, std::size_t>>& ranked,
             SearchReport& report) {
    std::vector<SearchLine> lines;
    std::vector<bool> taken(report.lines.size());
    for (const auto& [score, index] : ranked) {
      SearchLine line = report.lines[index];
      line.value = shown(score);
      line.proved = std::abs(score) >= kCertain;
      lines.push_back(std::move(line));
      taken[index] = true;
    }
    for (std::size_t i = 0; i < report.lines.size(); ++i)
      if (!taken[i]) lines.push_back(report.lines[i]);
    best_ = ranked.front().first;
    report.lines = std::move(lines);
    report.lines[0].actions = principal_variation(state, report.lines[0].actions[0], depth);
  }

  double shown(int score) const {
    if (score >= kCertain) return 1;
    if (score <= -kCertain) return -1;
    const double value = static_cast<double>(score) / kHeuristic;
    return network_ ? std::tanh(NnueWeights::kSure * value) : value;
  }

  // The value of `state` for `seat`, whoever is to act in it.
  int value_for(Seat seat, const State& state, int depth, int alpha, int beta, int ply) {
    const Seat player = game_.player(state);
    if (player == kNobody) return ended(state, seat, ply);
    return player == seat ? search_node(state, depth, alpha, beta, ply)
                          : -search_node(state, depth, -beta, -alpha, ply);
  }

  int ended(const State& state, Seat seat, int ply) const {
    double returns[kMaxSeats];
    game_.returns(state, returns);
    if (returns[seat] == 0) return 0;
    return returns[seat] > 0 ? kWin - ply : ply - kWin;
  }

  int leaf(const State& state, Seat seat) {
    complete_ = false;
    if (!network_) return heuristic(state, seat);
    const int value = network_->evaluate(state, [&] { return heuristic(state, 0); });
    return seat == 0 ? value : -value;
  }

  int heuristic(const State& state, Seat seat) const {
    return static_cast<int>(std::lround((kHeuristic - 1) * game_.evaluate(state, seat)));
  }

  int search_node(const State& state, int depth, int alpha, int beta, int ply) {
    if (watch_->tick()) return 0;
    const Seat seat = game_.player(state);
    if (result_open_) {
      if (const Seat winner = game_.settled(state); winner != kNobody)
        return winner == seat ? kWin - ply : ply - kWin;
    }
    if (depth <= 0) return leaf(state, seat);
    const std::uint64_t key = key_of(state);
    const BoundEntry known = table_.find(key);
    if (known.bound != Bound::none && known.depth >= depth) {
      const int value = from_table(known.value, ply);
      if (cuts(known.bound, value, alpha, beta)) {
        if (std::abs(value) < kCertain) complete_ = false;
        return value;
      }
    }
    const Action table_action = known.bound == Bound::none ? -1 : known.action;
    const std::size_t first = list_moves(state, depth, table_action);
    const std::size_t last = moves_.size();
    const int first_alpha = alpha;
    int best = -kInfinity;
    Action best_action = -1;
    for (std::size_t at = first; at < last; ++at) {
      const Action action = action_of(next_move(first, at));
      State next = state;
      game_.apply(next, action);
      const int value =
          value_after(seat, next, depth, alpha, beta, ply, static_cast<int>(at - first));
      if (watch_->stopped()) break;
      if (value > best) best = value, best_action = action;
      alpha = std::max(alpha, value);
      if (alpha >= beta) {
        history(seat, action) += depth * depth;
        break;
      }
    }
    moves_.resize(first);
    if (watch_->stopped()) return 0;
    const Bound bound = best >= beta          ? Bound::lower
                        : best <= first_alpha ? Bound::upper
                                              : Bound::exact;
    table_.store(key, {to_table(best, ply), static_cast<std::int16_t>(best_action),
                       static_cast<std::uint8_t>(std::min(depth, 255)), bound});
    return best;
  }

  // The value of the position after the action that was tried as number `tried`: after the first
  // one a search with a null window (alpha, alpha + 1), reduced for late actions; a full search
  // only where that fails high.
  int value_after(Seat seat, const State& next, int depth, int alpha, int beta, int ply,
                  int tried) {
    if (tried > 0) {
      const int reduction = ply == 0 ? 0 : reduced_by(depth, tried);
      int value = value_for(seat, next, depth - 1 - reduction, alpha, alpha + 1, ply + 1);
      if (reduction > 0 && value > alpha && !watch_->stopped())
        value = value_for(seat, next, depth - 1, alpha, alpha + 1, ply + 1);
      if (value <= alpha || value >= beta || watch_->stopped()) return value;
    }
    return value_for(seat, next, depth - 1, alpha, beta, ply + 1);
  }

  // Grows with the logarithms of the depth and of the number of actions tried before.
  static int reduced_by(int depth, int tried) {
    if (depth <= kReducedFrom || tried < kFullDepthActions) return 0;
    const int logs = static_cast<int>(std::bit_width(static_cast<unsigned>(depth)) *
                                      std::bit_width(static_cast<unsigned>(tried)));
    return std::clamp(logs / kLogsPerPly, 1, depth - 2);
  }

  static bool cuts(Bound bound, int value, int alpha, int beta) {
    if (bound == Bound::exact) return true;
    return bound == Bound::lower ? value >= beta : value <= alpha;
  }

  // Wins are stored by their distance from the position, not from the root.
  static int to_table(int value, int ply) {
    return value >= kCertain ? value + ply : value <= -kCertain ? value - ply : value;
  }
  static int from_table(int value, int ply) {
    return value >= kCertain ? value - ply : value <= -kCertain ? value + ply : value;
  }

  // Move ordering: the transposition table's action first; the game's heuristic sorts the rest, and
  // near the leaves, where that would cost too much, the history heuristic. Appends to `moves_` and
  // returns where they begin.
  std::size_t list_moves(const State& state, int depth, Action table_action) {
    const std::size_t first = moves_.size();
    const Seat seat = game_.player(state);
    game_.legal(state).each([&](Action action) {
      int hint = 0;
      if (action == table_action) {
        hint = 2 * kHeuristic;
      } else if (depth > 1) {
        State next = state;
        game_.apply(next, action);
        table_.prefetch(key_of(next));
        hint = static_cast<int>(kHeuristic * game_.evaluate(next, seat));
      } else {
        hint = std::min(history(seat, action), 2 * kHeuristic - 1);
      }
      moves_.push_back(move_of(action, hint));
    });
    return first;
  }

  // Most nodes are cut off by their first action: the rest is sorted when it is needed.
  Move next_move(std::size_t first, std::size_t at) {
    const auto begin = moves_.begin() + static_cast<std::ptrdiff_t>(at);
    if (at == first) std::iter_swap(begin, std::max_element(begin, moves_.end()));
    if (at == first + 1) std::sort(begin, moves_.end(), std::greater<>());
    return moves_[at];
  }

  // The principal variation, as far as the transposition table still holds it.
  std::vector<Action> principal_variation(const State& state, Action first, int depth) {
    std::vector<Action> line = {first};
    State next = state;
    game_.apply(next, first);
    while (static_cast<int>(line.size()) < depth && !over(game_, next)) {
      const BoundEntry entry = table_.find(key_of(next));
      if (entry.bound == Bound::none || !game_.legal(next).contains(entry.action)) break;
      line.push_back(entry.action);
      game_.apply(next, entry.action);
    }
    return line;
  }

  int& history(Seat seat, Action action) {
    return history_[static_cast<std::size_t>(action) * 2 + static_cast<std::size_t>(seat)];
  }

  const G& game_;
  TranspositionTable& table_;
  std::vector<int> history_;  // by action and seat: its beta cut-offs, weighted by depth squared
  std::vector<Move> moves_;   // of all nodes on the way from the root, one after the other
  std::optional<Nnue<G>> network_;
  Stopwatch* watch_ = nullptr;
  int best_ = 0;  // the first line's score
  // At the root; where the result is settled already, the rest is played as well as it goes.
  bool result_open_ = true;
  bool complete_ = false;  // no leaf of the last iteration was a guess
};

template <Game G>
class AlphaBeta {
 public:
  using State = typename G::State;

  explicit AlphaBeta(const G& game, AlphaBetaOptions options = {})
      : network_(options.network), table_(options.megabytes), pool_(options.threads) {
    for (int i = 0; i < options.threads; ++i) workers_.emplace_back(game, table_, network_.get());
  }

  // Keeps what earlier searches found out; only the table's oldest entries make room.
  SearchReport search(const State& state, const SearchLimits& limits, std::uint64_t seed) {
    table_.grow_older();
    if (workers_.size() == 1) return workers_[0].search(state, limits, seed, 1);
    return search_together(state, limits, seed);
  }

 private:
  // The first thread asks the caller whether to go on; the others stop when it does. They begin at
  // different depths, so that they are seldom at the same place.
  SearchReport search_together(const State& state, const SearchLimits& limits, std::uint64_t seed) {
    std::atomic<bool> finished = false;
    std::atomic<std::uint64_t> nodes = 0;
    std::exception_ptr failure;
    SearchReport report;
    SearchLimits share = limits;
    if (limits.nodes != SearchLimits{}.nodes)
      share.nodes = std::max<std::uint64_t>(limits.nodes / workers_.size(), 1);
    SearchLimits helping = share;
    helping.go_on = [&] { return !finished.load(std::memory_order_relaxed); };
    pool_.run([&](int part) {
      auto& worker = workers_[static_cast<std::size_t>(part)];
      try {
        SearchReport found = worker.search(state, part == 0 ? share : helping, seed, 1 + part % 2);
        nodes += found.nodes;
        if (part == 0) report = std::move(found);
      } catch (...) {
        if (part == 0) failure = std::current_exception();  // without helpers it goes on
      }
      if (part == 0) finished = true;
    });
    if (failure) std::rethrow_exception(failure);
    report.nodes = nodes;
    return report;
  }

  std::shared_ptr<const NnueWeights> network_;
  TranspositionTable table_;
  std::vector<AlphaBetaWorker<G>> workers_;
  ThreadPool pool_;
};

}  // namespace spielwerk
