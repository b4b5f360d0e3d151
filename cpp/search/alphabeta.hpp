// Alpha-beta (negamax) for two-seat games without chance: iterative deepening, transposition table,
// and the game's own heuristic at the leaves. A turn may hold several actions: the sign of a value
// changes with the player, not with the ply.
//
// The first action of a node is expected to be the best (principal variation search): the others
// need only be shown to be no better, by a search with a null window, late ones at first a ply less
// deep (late move reductions), and are searched again when they are not.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hashing.hpp"
#include "limits.hpp"

namespace spielwerk {

template <Game G>
class AlphaBeta {
 public:
  using State = typename G::State;

  explicit AlphaBeta(const G& game, int table_bits = 18)
      : game_(game), table_(table_bits), history_(2 * static_cast<std::size_t>(game.actions())) {}

  SearchReport search(const State& state, const SearchLimits& limits, std::uint64_t seed) {
    Stopwatch watch(limits);
    watch_ = &watch;
    for (int& count : history_) count /= 8;  // what earlier positions taught fades
    SearchReport report = ordered_root(state, seed);
    for (int depth = 1; depth <= limits.depth; ++depth) {
      if (!deepen(state, depth, report)) break;
      report.depth = depth;
      report.proved = std::abs(scores_.front()) >= kCertain || complete_;
      if (report.proved || report.lines.size() == 1 || watch.half_spent()) break;
    }
    report.nodes = watch.nodes();
    report.milliseconds = watch.milliseconds();
    return report;
  }

 private:
  // Heuristics lie strictly within ±kHeuristic; a win at ply p scores kWin - p.
  static constexpr int kHeuristic = 10'000, kWin = 1'000'000, kCertain = kWin - 10'000;
  static constexpr int kInfinity = kWin + 1;
  static constexpr int kReducedFrom = 2, kFullDepthActions = 6;  // late move reductions
  enum class Bound : std::uint8_t { exact, lower, upper };

  struct Entry {
    std::uint64_t key = 0;
    std::int32_t value = 0;
    std::int16_t action = -1;
    std::uint8_t depth = 0;
    Bound bound = Bound::exact;
  };

  struct Move {
    Action action;
    int hint;
  };

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

  // One iteration of deepening; false when time ran out before the first root action was known.
  bool deepen(const State& state, int depth, SearchReport& report) {
    const Seat seat = game_.player(state);
    complete_ = true;
    std::vector<std::pair<int, std::size_t>> ranked;
    int alpha = -kInfinity;
    for (std::size_t i = 0; i < report.lines.size(); ++i) {
      State next = state;
      game_.apply(next, report.lines[i].actions[0]);
      const int score = value_for(seat, next, depth - 1, alpha, kInfinity, 1);
      if (watch_->stopped()) break;
      ranked.emplace_back(score, i);
      alpha = std::max(alpha, score);
    }
    if (ranked.empty()) return false;
    // Scores below the best are upper bounds: only the best changes places when the iteration was
    // cut short.
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    adopt(state, depth, ranked, report);
    return !watch_->stopped();
  }

  void adopt(const State& state, int depth, const std::vector<std::pair<int, std::size_t>>& ranked,
             SearchReport& report) {
    std::vector<SearchLine> lines;
    scores_.clear();
    std::vector<bool> taken(report.lines.size());
    for (const auto& [score, index] : ranked) {
      SearchLine line = report.lines[index];
      line.value = shown(score);
      line.proved = std::abs(score) >= kCertain;
      lines.push_back(std::move(line));
      scores_.push_back(score);
      taken[index] = true;
    }
    for (std::size_t i = 0; i < report.lines.size(); ++i)
      if (!taken[i]) lines.push_back(report.lines[i]), scores_.push_back(-kInfinity);
    report.lines = std::move(lines);
    report.lines[0].actions = principal_variation(state, report.lines[0].actions[0], depth);
  }

  static double shown(int score) {
    if (score >= kCertain) return 1;
    if (score <= -kCertain) return -1;
    return static_cast<double>(score) / kHeuristic;
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
    return static_cast<int>(std::lround((kHeuristic - 1) * game_.evaluate(state, seat)));
  }

  int search_node(const State& state, int depth, int alpha, int beta, int ply) {
    if (watch_->tick()) return 0;
    const Seat seat = game_.player(state);
    if (depth <= 0) return leaf(state, seat);
    const std::uint64_t key = key_of(state);
    Action table_action = -1;
    if (const Entry* entry = table_.find(key)) {
      if (entry->depth >= depth && cuts(*entry, from_table(entry->value, ply), alpha, beta)) {
        if (std::abs(entry->value) < kCertain) complete_ = false;
        return from_table(entry->value, ply);
      }
      table_action = entry->action;
    }
    const int first_alpha = alpha;
    int best = -kInfinity, tried = 0;
    Action best_action = -1;
    for (const Move& move : ordered(state, depth, table_action)) {
      State next = state;
      game_.apply(next, move.action);
      const int value = value_after(seat, next, depth, alpha, beta, ply, tried++);
      if (watch_->stopped()) return 0;
      if (value > best) best = value, best_action = move.action;
      alpha = std::max(alpha, value);
      if (alpha >= beta) {
        history(seat, move.action) += depth * depth;
        break;
      }
    }
    const Bound bound = best >= beta          ? Bound::lower
                        : best <= first_alpha ? Bound::upper
                                              : Bound::exact;
    table_.slot(key) = {key, to_table(best, ply), static_cast<std::int16_t>(best_action),
                        static_cast<std::uint8_t>(std::min(depth, 255)), bound};
    return best;
  }

  // The value of the position after the action that was tried as number `tried`: after the first
  // one a search with a null window (alpha, alpha + 1), reduced for late actions; a full search
  // only where that fails high.
  int value_after(Seat seat, const State& next, int depth, int alpha, int beta, int ply,
                  int tried) {
    if (tried > 0) {
      const bool reduced = depth > kReducedFrom && tried >= kFullDepthActions;
      int value = value_for(seat, next, depth - 1 - reduced, alpha, alpha + 1, ply + 1);
      if (reduced && value > alpha && !watch_->stopped())
        value = value_for(seat, next, depth - 1, alpha, alpha + 1, ply + 1);
      if (value <= alpha || value >= beta || watch_->stopped()) return value;
    }
    return value_for(seat, next, depth - 1, alpha, beta, ply + 1);
  }

  static bool cuts(const Entry& entry, int value, int alpha, int beta) {
    if (entry.bound == Bound::exact) return true;
    return entry.bound == Bound::lower ? value >= beta : value <= alpha;
  }

  // Wins are stored by their distance from the position, not from the root.
  static int to_table(int value, int ply) {
    return value >= kCertain ? value + ply : value <= -kCertain ? value - ply : value;
  }
  static int from_table(int value, int ply) {
    return value >= kCertain ? value - ply : value <= -kCertain ? value + ply : value;
  }

  // Move ordering: the transposition table's action first; the game's heuristic sorts the rest, and
  // near the leaves, where that would cost too much, the history heuristic.
  std::vector<Move> ordered(const State& state, int depth, Action table_action) {
    std::vector<Move> moves;
    const Seat seat = game_.player(state);
    game_.legal(state).each([&](Action action) {
      int hint = 0;
      if (action == table_action) {
        hint = 2 * kHeuristic;
      } else if (depth > 1) {
        State next = state;
        game_.apply(next, action);
        hint = static_cast<int>(kHeuristic * game_.evaluate(next, seat));
      } else {
        hint = std::min(history(seat, action), 2 * kHeuristic - 1);
      }
      moves.push_back({action, hint});
    });
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move& a, const Move& b) { return a.hint > b.hint; });
    return moves;
  }

  // The principal variation, as far as the transposition table still holds it.
  std::vector<Action> principal_variation(const State& state, Action first, int depth) {
    std::vector<Action> line = {first};
    State next = state;
    game_.apply(next, first);
    while (static_cast<int>(line.size()) < depth && !over(game_, next)) {
      const Entry* entry = table_.find(key_of(next));
      if (entry == nullptr || !game_.legal(next).contains(entry->action)) break;
      line.push_back(entry->action);
      game_.apply(next, entry->action);
    }
    return line;
  }

  int& history(Seat seat, Action action) {
    return history_[static_cast<std::size_t>(action) * 2 + static_cast<std::size_t>(seat)];
  }

  const G& game_;
  TranspositionTable<Entry> table_;
  std::vector<int> history_;  // by action and seat: its beta cut-offs, weighted by depth squared
  Stopwatch* watch_ = nullptr;
  std::vector<int> scores_;
  bool complete_ = false;  // no leaf of the last iteration was a guess
};

}  // namespace spielwerk
