// Exact results for two-seat games without chance: who wins, and how fast against best defence.
//
// One question is asked again and again: can the attacker force a win within d actions? Answers are
// kept per position as two bounds, the fewest actions known to suffice and the most known not to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hashing.hpp"
#include "limits.hpp"

namespace spielwerk {

struct Solution {
  bool solved = false;       // the winner is known
  Seat winner = kNobody;     // kNobody with solved: a draw
  int distance = -1;         // actions until the win against best defence; -1 while unknown
  int refuted = 0;           // no win within this many actions
  std::vector<Action> line;  // best play, once the distance is known
  std::uint64_t nodes = 0;
  double milliseconds = 0;
};

template <Game G>
class Solver {
 public:
  using State = typename G::State;
  using Progress = std::function<void(const Solution&)>;

  explicit Solver(const G& game, int table_bits = 22) : game_(game), table_(table_bits) {}

  // The winner first, then the exact distance; whatever the limits allow.
  Solution solve(const State& state, const SearchLimits& limits, bool want_distance,
                 const Progress& progress) {
    Stopwatch watch(limits);
    watch_ = &watch;
    Solution solution;
    const auto tell = [&] {
      solution.nodes = watch.nodes();
      solution.milliseconds = watch.milliseconds();
      if (progress) progress(solution);
    };
    find_winner(state, solution);
    tell();
    if (want_distance && solution.winner != kNobody) {
      find_distance(state, solution, tell);
      if (solution.distance >= 0) solution.line = best_line(state, solution);
    }
    tell();
    return solution;
  }

 private:
  static constexpr int kForever = 60'000;

  struct Entry {
    std::uint64_t key = 0;
    std::uint16_t suffices = kForever + 1;  // a win within this many actions is certain
    std::uint16_t fails = 0;                // there is none within this many
  };

  struct Move {
    Action action;
    int hint;
    State after;
  };

  void find_winner(const State& state, Solution& solution) {
    const Seat likely = game_.evaluate(state, 1) >= 0 ? 1 : 0;
    for (const Seat attacker : {likely, 1 - likely}) {
      const bool wins = can_win(state, attacker, kForever);
      if (watch_->stopped()) return;
      if (!wins) continue;
      solution.solved = true;
      solution.winner = attacker;
      return;
    }
    solution.solved = true;
  }

  template <class Tell>
  void find_distance(const State& state, Solution& solution, const Tell& tell) {
    for (int depth = over(game_, state) ? 0 : 1; depth <= game_.max_plies(); ++depth) {
      const bool wins = can_win(state, solution.winner, depth);
      if (watch_->stopped()) return;
      if (wins) {
        solution.distance = depth;
        return;
      }
      solution.refuted = depth;
      tell();
    }
  }

  bool can_win(const State& state, Seat attacker, int depth) {
    const Seat player = game_.player(state);
    if (player == kNobody) return won_by(state, attacker);
    if (depth <= 0 || watch_->tick()) return false;
    const std::uint64_t key = key_for(state, attacker);
    if (const Entry* entry = table_.find(key)) {
      if (entry->suffices <= depth) return true;
      if (entry->fails >= depth) return false;
    }
    const bool attacking = player == attacker;
    const int left = depth == kForever ? kForever : depth - 1;
    bool result = !attacking;
    for (const Move& move : ordered(state, player, attacker, left, result)) {
      if (can_win(move.after, attacker, left) == attacking) {
        result = attacking;
        break;
      }
      if (watch_->stopped()) return false;
    }
    if (watch_->stopped()) return false;
    remember(key, depth, result);
    return result;
  }

  bool won_by(const State& state, Seat attacker) const {
    double returns[kMaxSeats];
    game_.returns(state, returns);
    return returns[attacker] > 0;
  }

  std::uint64_t key_for(const State& state, Seat attacker) const {
    return key_of(state) + static_cast<std::uint64_t>(attacker);
  }

  // Actions after which the other side has the fewest answers come first. Where the table or the
  // rules already settle the question, only the settling action is returned.
  std::vector<Move> ordered(const State& state, Seat player, Seat attacker, int left, bool) {
    std::vector<Move> moves;
    const bool attacking = player == attacker;
    bool settled = false;
    game_.legal(state).each([&](Action action) {
      if (settled) return;
      Move move{action, 0, state};
      game_.apply(move.after, action);
      const Seat next = game_.player(move.after);
      if (next == kNobody) {
        if (won_by(move.after, attacker) == attacking) {
          moves.assign(1, move);
          settled = true;
        } else {
          move.hint = 1000;
          moves.push_back(move);
        }
        return;
      }
      if (const Entry* entry = table_.find(key_for(move.after, attacker))) {
        if (attacking ? entry->suffices <= left : entry->fails >= left) {
          moves.assign(1, move);
          settled = true;
          return;
        }
      }
      const int answers = game_.legal(move.after).count();
      move.hint = next == player ? -answers : answers;
      moves.push_back(move);
    });
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move& a, const Move& b) { return a.hint < b.hint; });
    return moves;
  }

  void remember(std::uint64_t key, int depth, bool wins) {
    Entry& entry = table_.slot(key);
    if (entry.key != key) entry = Entry{key};
    if (wins) {
      entry.suffices = std::min(entry.suffices, static_cast<std::uint16_t>(depth));
    } else {
      entry.fails = std::max(entry.fails, static_cast<std::uint16_t>(depth));
    }
  }

  // Fastest wins and longest defences, action by action.
  std::vector<Action> best_line(const State& state, const Solution& solution) {
    std::vector<Action> line;
    State now = state;
    for (int left = solution.distance; left > 0 && !over(game_, now); --left) {
      const bool attacking = game_.player(now) == solution.winner;
      std::optional<Action> chosen;
      game_.legal(now).each([&](Action action) {
        if (chosen) return;
        State next = now;
        game_.apply(next, action);
        const bool keeps = attacking ? can_win(next, solution.winner, left - 1)
                                     : !can_win(next, solution.winner, left - 2);
        if (keeps) chosen = action;
      });
      if (!chosen || watch_->stopped()) break;
      line.push_back(*chosen);
      game_.apply(now, *chosen);
    }
    return line;
  }

  const G& game_;
  HashTable<Entry> table_;
  Stopwatch* watch_ = nullptr;
};

}  // namespace spielwerk
