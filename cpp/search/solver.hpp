// Exact results for two-seat games without chance: who wins, and in how many actions against the
// best defence.
//
// One question is asked again and again: can the attacker force a win within d actions? What the
// answers teach is kept per position as two bounds on the length of the attacker's win. A draw is
// what is left when neither seat can force a win. Positions of a game never repeat (a state holds
// no history and every game ends), so the search needs no care about cycles.
//
// A game may know more than its rules say at first sight. Where it has
//   WinBounds win_bounds(state, attacker, depth)
// the solver asks it about running positions: bounds that hold for certain, as tight as it takes to
// answer "within depth?" at a small price.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "../win_bounds.hpp"
#include "hashing.hpp"
#include "limits.hpp"

namespace spielwerk {

struct Solution {
  bool solved = false;       // the result is known
  Seat winner = kNobody;     // kNobody when solved: a draw
  int distance = -1;         // actions until the win against the best defence; -1 while unknown
  int at_least = 0;          // the win takes no fewer actions
  std::vector<Action> line;  // best play as far as it is known
  std::uint64_t nodes = 0;
  double milliseconds = 0;
};

// What is known about positions, in groups of four that share a cache line.
class ProofTable {
 public:
  struct Entry {
    std::uint64_t check;
    std::uint16_t at_least, at_most;
    std::int16_t action;   // wins for the attacker, or refutes for the defender; -1 unknown
    std::uint16_t effort;  // bits of the number of nodes it took
  };

  explicit ProofTable(std::size_t megabytes) {
    const std::size_t groups = std::bit_floor(std::max<std::size_t>(megabytes, 1) << 14);
    // Fresh zero pages cost nothing until they are used.
    entries_.reset(static_cast<Entry*>(std::calloc(groups * kGroup, sizeof(Entry))));
    if (entries_ == nullptr) throw std::bad_alloc();
    mask_ = groups - 1;
  }

  Entry* find(const PositionKey& key) {
    Entry* group = group_of(key);
    for (int i = 0; i < kGroup; ++i)
      if (group[i].check == key.check) return group + i;
    return nullptr;
  }

  // The entry for a position: its own, or the cheapest of its group emptied for it.
  Entry& slot(const PositionKey& key) {
    if (Entry* known = find(key)) return *known;
    Entry* group = group_of(key);
    Entry* cheapest = std::min_element(
        group, group + kGroup, [](const Entry& a, const Entry& b) { return a.effort < b.effort; });
    *cheapest = {key.check, 0, kNever, -1, 0};
    return *cheapest;
  }

 private:
  static constexpr int kGroup = 4;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  Entry* group_of(const PositionKey& key) { return entries_.get() + kGroup * (key.place & mask_); }

  std::unique_ptr<Entry[], Free> entries_;
  std::uint64_t mask_ = 0;
};

template <Game G>
class Solver {
 public:
  using State = typename G::State;
  using Progress = std::function<bool(const Solution&)>;  // false: enough

  explicit Solver(const G& game, std::size_t megabytes = 64) : game_(game), table_(megabytes) {}

  // The winner first, then the exact distance and the line of best play: what the limits allow.
  // `progress` hears of it now and then, and at once when something new is known.
  Solution solve(const State& state, SearchLimits limits, bool want_distance,
                 const Progress& progress) {
    Solution solution;
    double told = 0;
    const auto tell = [&](bool news) {
      if (!progress || (!news && watch_->milliseconds() - told < kTellEvery)) return true;
      note_effort(solution);
      told = solution.milliseconds;
      return progress(solution);
    };
    limits.go_on = [&] { return tell(false); };
    Stopwatch watch(limits);
    watch_ = &watch;
    moves_.clear();
    find_winner(state, solution);
    if (solution.solved && !tell(true)) watch.stop();
    if (solution.solved && solution.winner != kNobody && want_distance)
      find_distance(state, solution, tell);
    solution.line = best_line(state, solution);
    note_effort(solution);
    return solution;
  }

 private:
  static constexpr double kTellEvery = 100;  // milliseconds
  // Below this depth a position is searched faster than looked up.
  static constexpr int kRemembered = 3;

  struct Move {
    Action action;
    float hint;
    State after;
  };

  void note_effort(Solution& solution) const {
    solution.nodes = watch_->nodes();
    solution.milliseconds = watch_->milliseconds();
  }

  // -- questions -----------------------------------------------------------------------------

  void find_winner(const State& state, Solution& solution) {
    const Seat likely = game_.evaluate(state, 1) > 0 ? 1 : 0;
    for (const Seat attacker : {likely, 1 - likely}) {
      const WinBounds bounds = prove(state, attacker, kEver);
      if (watch_->stopped()) return;
      if (!bounds.wins_within(kEver)) continue;
      solution.winner = attacker;
      solution.at_least = bounds.at_least;
      break;
    }
    solution.solved = true;
  }

  template <class Tell>
  void find_distance(const State& state, Solution& solution, const Tell& tell) {
    while (true) {
      const WinBounds bounds = prove(state, solution.winner, solution.at_least);
      if (watch_->stopped()) return;
      if (bounds.wins_within(solution.at_least)) break;
      solution.at_least = bounds.at_least;
      if (!tell(true)) return watch_->stop();
    }
    solution.distance = solution.at_least;
  }

  // -- search --------------------------------------------------------------------------------

  // Bounds tight enough to tell whether the attacker wins within `depth`; worthless once stopped.
  WinBounds prove(const State& state, Seat attacker, int depth) {
    const Seat player = game_.player(state);
    if (player == kNobody) return ended(state, attacker);
    WinBounds bounds = foreseen(state, attacker, depth);
    if (bounds.decide(depth) || watch_->tick()) return bounds;
    const bool remembered = depth >= kRemembered;
    PositionKey key{};
    Action first = -1;
    if (remembered) {
      key = key_for(state, attacker);
      if (const auto* entry = table_.find(key)) {
        bounds.tighten({entry->at_least, entry->at_most});
        if (bounds.decide(depth)) return bounds;
        first = entry->action;
      }
    }
    const std::uint64_t nodes_before = watch_->nodes();
    const Action settling = expand(state, player, attacker, depth, first, bounds);
    if (watch_->stopped()) return bounds;
    if (remembered) remember(key, bounds, settling, watch_->nodes() - nodes_before);
    return bounds;
  }

  WinBounds ended(const State& state, Seat attacker) const {
    double returns[kMaxSeats];
    game_.returns(state, returns);
    return returns[attacker] > 0 ? WinBounds{0, 0} : WinBounds{kNever, kNever};
  }

  // What is certain about a running position without looking ahead.
  WinBounds foreseen(const State& state, Seat attacker, int depth) const {
    if constexpr (requires {
                    { game_.win_bounds(state, attacker, depth) } -> std::same_as<WinBounds>;
                  }) {
      return game_.win_bounds(state, attacker, depth);
    }
    return {1, kNever};
  }

  // Looks at the actions until one settles the question for the side to move, and returns that
  // action, or -1 where all of them were in vain.
  Action expand(const State& state, Seat player, Seat attacker, int depth, Action first,
                WinBounds& bounds) {
    const std::size_t begin = moves_.size();
    const Action known = list_moves(state, player, attacker, depth, first, bounds);
    Action settling = known;
    if (known < 0) settling = try_moves(begin, player == attacker, attacker, depth, bounds);
    moves_.resize(begin);
    return settling;
  }

  Action try_moves(std::size_t begin, bool attacking, Seat attacker, int depth, WinBounds& bounds) {
    const std::size_t end = moves_.size();
    int soonest = attacking ? kNever : 0, latest = soonest;
    for (std::size_t i = begin; i < end; ++i) {
      select_best(i, end);
      const State after = moves_[i].after;  // the list may move while it grows
      const WinBounds child = prove(after, attacker, one_less(depth));
      if (watch_->stopped()) return -1;
      if (child.wins_within(one_less(depth)) == attacking) {
        bounds.tighten(one_later(child, attacking));
        return moves_[i].action;
      }
      soonest = attacking ? std::min(soonest, child.at_least) : std::max(soonest, child.at_least);
      latest = attacking ? std::min(latest, child.at_most) : std::max(latest, child.at_most);
    }
    bounds.tighten({later(soonest), later(latest)});
    return -1;
  }

  // A single action binds only the side that chose it: the attacker wins no later, the defender
  // loses no sooner.
  static WinBounds one_later(const WinBounds& child, bool attacking) {
    return attacking ? WinBounds{0, later(child.at_most)}
                     : WinBounds{later(child.at_least), kNever};
  }

  // Puts the moves on the stack with what orders them; returns one that settles the question
  // already, or -1.
  Action list_moves(const State& state, Seat player, Seat attacker, int depth, Action first,
                    WinBounds& bounds) {
    const bool attacking = player == attacker;
    Action settling = -1;
    game_.legal(state).each([&](Action action) {
      if (settling >= 0) return;
      Move& move = moves_.emplace_back();
      move.action = action;
      move.after = state;
      game_.apply(move.after, action);
      if (over(game_, move.after)) {
        const WinBounds child = ended(move.after, attacker);
        move.hint = -2;  // nothing to find there
        if (child.wins_within(kEver) != attacking) return;
        bounds.tighten(one_later(child, attacking));
        settling = action;
        return;
      }
      move.hint = action == first ? 2 : static_cast<float>(game_.evaluate(move.after, player));
      if (depth <= kRemembered) return;
      const auto* entry = table_.find(key_for(move.after, attacker));
      if (entry == nullptr) return;
      const WinBounds child{entry->at_least, entry->at_most};
      if (!child.decide(one_less(depth)) || child.wins_within(one_less(depth)) != attacking) return;
      bounds.tighten(one_later(child, attacking));
      settling = action;
    });
    return settling;
  }

  // Brings the most promising of the moves from `i` on to place `i`.
  void select_best(std::size_t i, std::size_t end) {
    std::size_t best = i;
    for (std::size_t k = i + 1; k < end; ++k)
      if (moves_[k].hint > moves_[best].hint) best = k;
    if (best != i) std::swap(moves_[i], moves_[best]);
  }

  static int one_less(int depth) { return depth >= kEver ? depth : depth - 1; }
  static int later(int plies) { return plies >= kEver ? plies : plies + 1; }

  PositionKey key_for(const State& state, Seat attacker) const {
    PositionKey key = wide_key_of(state);
    key.place ^= static_cast<std::uint64_t>(attacker);
    key.check += static_cast<std::uint64_t>(attacker);
    return key;
  }

  void remember(const PositionKey& key, const WinBounds& bounds, Action action,
                std::uint64_t nodes) {
    ProofTable::Entry& entry = table_.slot(key);
    entry.at_least = std::max(entry.at_least, static_cast<std::uint16_t>(bounds.at_least));
    entry.at_most = std::min(entry.at_most, static_cast<std::uint16_t>(bounds.at_most));
    if (action >= 0) entry.action = static_cast<std::int16_t>(action);
    entry.effort = std::max(entry.effort, static_cast<std::uint16_t>(std::bit_width(nodes)));
  }

  // -- best play -----------------------------------------------------------------------------

  // The whole line where the distance is known, else the one action that keeps the result.
  std::vector<Action> best_line(const State& state, const Solution& solution) {
    std::vector<Action> line;
    State now = state;
    for (int left = solution.distance; solution.solved && !over(game_, now); --left) {
      const Action action = best_action(now, solution, left);
      if (action < 0) break;
      line.push_back(action);
      game_.apply(now, action);
      if (solution.distance < 0) break;
    }
    return line;
  }

  // An action after which the winner still wins in time, or not sooner than need be. By what is
  // known already; searched for where that is not enough.
  Action best_action(const State& state, const Solution& solution, int left) {
    const Seat player = game_.player(state);
    const bool draw = solution.winner == kNobody;
    const Seat attacker = draw ? 1 - player : solution.winner;
    const bool attacking = player == attacker;
    const int in_time = left >= 0 ? left - 1 : kEver;
    const int too_soon = left >= 0 ? left - 2 : draw ? kEver : solution.at_least - 2;
    const int depth = attacking ? in_time : too_soon;
    for (const bool searching : {false, true}) {
      Action found = -1;
      game_.legal(state).each([&](Action action) {
        if (found >= 0 || (searching && watch_->stopped())) return;
        State after = state;
        game_.apply(after, action);
        const WinBounds bounds =
            searching ? prove(after, attacker, depth) : known(after, attacker, depth);
        if (bounds.decide(depth) && bounds.wins_within(depth) == attacking) found = action;
      });
      if (found >= 0) return found;
    }
    return -1;
  }

  WinBounds known(const State& state, Seat attacker, int depth) {
    if (over(game_, state)) return ended(state, attacker);
    WinBounds bounds = foreseen(state, attacker, depth);
    if (const auto* entry = table_.find(key_for(state, attacker)))
      bounds.tighten({entry->at_least, entry->at_most});
    return bounds;
  }

  const G& game_;
  ProofTable table_;
  std::vector<Move> moves_;  // those of every position on the way down, one after the other
  Stopwatch* watch_ = nullptr;
};

}  // namespace spielwerk
