// Exact results for two-seat games without chance: who wins, and in how many actions against the
// best defence.
//
// One question is asked again and again, a search with a null window over the length of the win:
// can the attacker force a win within d actions? What the answers teach is kept per position, in a
// transposition table, as two bounds on the length of the attacker's win. A draw is what is left
// when neither seat can force a win. Positions of a game never repeat (a state holds no history and
// every game ends), so the search needs no care about cycles.
//
// A game may know more than its rules say at first sight. Where it has
//   WinBounds win_bounds(state, attacker, depth)
// the solver asks it about running positions: bounds that hold for certain, as tight as it takes to
// answer "within depth?" at a small price. Where it has
//   Essence essence(state, attacker)
// that is what positions are recognised by, a value without padding: positions with equal ones go
// on alike, action by action. kProofHabits says how the game is best searched.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "../arithmetic.hpp"
#include "../win_bounds.hpp"
#include "hashing.hpp"
#include "limits.hpp"

namespace spielwerk {

struct Solution {
  bool solved = false;       // the result is known
  Seat player = kNobody;     // to act in the position
  Seat winner = kNobody;     // kNobody when solved: a draw
  int distance = -1;         // actions until the win against the best defence; -1 while unknown
  int at_least = 0;          // the win takes no fewer actions
  std::vector<Action> line;  // best play as far as it is known
  // Where the result is unknown: the actions proved not to lose, or, if there are none, all that are
  // not proved to lose.
  std::vector<Action> promising;
  std::uint64_t nodes = 0;
  double milliseconds = 0;
};

// The transposition table: what is known about positions, in buckets of four that share a cache
// line.
class ProofTable {
 public:
  struct Entry {
    std::uint64_t check;
    std::uint16_t at_least, at_most;
    std::int16_t action;   // wins for the attacker, or refutes for the defender; -1 unknown
    std::uint16_t effort;  // logarithm of the number of nodes it took
  };

  explicit ProofTable(std::size_t megabytes)
      : most_buckets_(std::bit_floor(std::max<std::size_t>(megabytes, 1) << 14)) {
    allocate(std::min(most_buckets_, kFirstBuckets));
  }

  Entry* find(const PositionKey& key) {
    Entry* bucket = bucket_of(key);
    for (int i = 0; i < kBucket; ++i)
      if (bucket[i].check == key.check) return bucket + i;
    return nullptr;
  }

  void prefetch(const PositionKey& key) { spielwerk::prefetch(bucket_of(key)); }

  // The entry for a position: its own, or the cheapest of its bucket emptied for it.
  Entry& slot(const PositionKey& key) {
    if (Entry* known = find(key)) return *known;
    if (++filled_ > kBucket * (mask_ + 1) && mask_ + 1 < most_buckets_) allocate(most_buckets_);
    Entry* bucket = bucket_of(key);
    Entry* cheapest =
        std::min_element(bucket, bucket + kBucket,
                         [](const Entry& a, const Entry& b) { return a.effort < b.effort; });
    *cheapest = {key.check, 0, kNever, -1, 0};
    return *cheapest;
  }

 private:
  static constexpr int kBucket = 4;
  static constexpr std::size_t kFirstBuckets = std::size_t{1} << 15;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  // Most questions need little room, and much room takes time to come by. Starting empty in the
  // large table costs less than moving: what filled the small one is soon found again.
  void allocate(std::size_t buckets) {
    entries_.reset(static_cast<Entry*>(std::calloc(buckets * kBucket, sizeof(Entry))));
    if (entries_ == nullptr) throw std::bad_alloc();
    prefer_large_pages(entries_.get(), buckets * kBucket * sizeof(Entry));
    mask_ = buckets - 1;
    filled_ = 0;
  }

  Entry* bucket_of(const PositionKey& key) {
    return entries_.get() + kBucket * (key.place & mask_);
  }

  std::size_t most_buckets_, filled_ = 0;
  std::unique_ptr<Entry[], Free> entries_;
  std::uint64_t mask_ = 0;
};

template <Game G>
class Solver {
 public:
  using State = typename G::State;
  using Progress = std::function<bool(const Solution&)>;  // false: enough

  explicit Solver(const G& game, std::size_t megabytes = 64)
      : game_(game),
        table_(megabytes),
        experience_(kHabits.learns_order ? 4 * static_cast<std::size_t>(game.actions()) : 0) {}

  // The winner first, then the exact distance and the line of best play: what the limits allow.
  // `progress` hears of it now and then, and at once when something new is known.
  Solution solve(const State& state, SearchLimits limits, bool want_distance,
                 const Progress& progress) {
    Solution solution;
    solution.player = game_.player(state);
    double reported = 0;
    const auto report = [&](bool news) {
      if (!progress || (!news && watch_->milliseconds() - reported < kReportEvery)) return true;
      note_effort(solution);
      reported = solution.milliseconds;
      return progress(solution);
    };
    limits.go_on = [&] { return report(false); };
    Stopwatch watch(limits);
    watch_ = &watch;
    moves_.clear();
    find_winner(state, solution);
    if (solution.solved && !report(true)) watch.stop();
    if (solution.solved && solution.winner != kNobody && want_distance)
      find_distance(state, solution, report);
    solution.line = best_line(state, solution);
    if (!solution.solved) solution.promising = promising_actions(state);
    note_effort(solution);
    return solution;
  }

 private:
  static constexpr double kReportEvery = 100;  // milliseconds
  static constexpr bool kHasWinBounds = requires(const G& game, const State& state) {
    { game.win_bounds(state, Seat{}, int{}) } -> std::same_as<WinBounds>;
  };
  // Where much is foreseen, more is searched before it is worth remembering; and where every
  // refutation must be searched for, internal iterative deepening does not pay.
  static constexpr ProofHabits habits() {
    if constexpr (requires { G::kProofHabits; }) return G::kProofHabits;
    return kHasWinBounds ? ProofHabits{.remembered = 12, .deepened = 18} : ProofHabits{};
  }
  static constexpr ProofHabits kHabits = habits();
  static constexpr std::uint64_t kQuickNodes = 10'000, kTrialNodes = 100'000;
  static constexpr int kTimeToSpare = 20, kDeepenedLess = 10;
  static constexpr float kEffortStep = 16;    // of the binary logarithm: finer than a doubling
  static constexpr float kEffortHint = 0.4F;  // what a doubled effort is worth beside the heuristic

  // More than any heuristic: the table's choice, and what is decided and costs nothing.
  static constexpr float kFirst = 100;

  // Without the position it leads to: on the way down a large board there are too many of them.
  struct Move {
    Action action;
    float hint;
    WinBounds bounds;
    PositionKey key;
  };

  // How often an action settled the question when it was tried.
  struct Experience {
    std::uint32_t tried = 0, settled = 0;
    float rate() const { return static_cast<float>(settled) / (static_cast<float>(tried) + 1); }
  };

  void note_effort(Solution& solution) const {
    solution.nodes = watch_->nodes();
    solution.milliseconds = watch_->milliseconds();
  }

  // -- questions -----------------------------------------------------------------------------

  // Short wins are looked for first where they are common: what they teach helps the long way. Then
  // both seats take turns at winning with time to spare, and at winning at all: one of these
  // questions is often far easier than the others, and nobody knows which.
  void find_winner(const State& state, Solution& solution) {
    const Seat likely = game_.evaluate(state, 1) > 0 ? 1 : 0;
    WinBounds bounds[2] = {known(state, 0, kEver), known(state, 1, kEver)};
    const auto ask = [&](Seat attacker, int depth) {
      if (solution.solved || bounds[attacker].at_least == kNever || watch_->stopped()) return;
      const WinBounds answer = prove(state, attacker, depth <= game_.max_plies() ? depth : kEver);
      if (!watch_->stopped()) bounds[attacker].tighten(answer);
      conclude(bounds, solution);
    };
    conclude(bounds, solution);
    while (kHabits.shortest_first && !solution.solved && watch_->nodes() < kQuickNodes &&
           !watch_->stopped()) {
      const bool turn = bounds[likely].at_least <= bounds[1 - likely].at_least;
      const Seat attacker = turn ? likely : 1 - likely;
      ask(attacker, bounds[attacker].at_least);
    }
    const auto try_for = [&](std::uint64_t nodes, Seat attacker, int depth) {
      watch_->begin_trial(nodes);
      ask(attacker, depth);
      watch_->end_trial();
    };
    for (std::uint64_t nodes = kTrialNodes; !solution.solved && !watch_->stopped(); nodes *= 2) {
      for (const Seat attacker : {likely, 1 - likely}) {
        if (kHabits.shortest_first)
          try_for(nodes, attacker, bounds[attacker].at_least + kTimeToSpare);
        try_for(kHabits.shortest_first ? nodes / 8 : nodes, attacker, kEver);
      }
    }
  }

  static void conclude(const WinBounds (&bounds)[2], Solution& solution) {
    for (const Seat seat : {0, 1}) {
      if (!bounds[seat].wins_within(kEver)) continue;
      solution.winner = seat;
      solution.at_least = bounds[seat].at_least;
      solution.solved = true;
    }
    if (bounds[0].at_least == kNever && bounds[1].at_least == kNever) solution.solved = true;
  }

  template <class Report>
  void find_distance(const State& state, Solution& solution, const Report& report) {
    while (true) {
      const WinBounds bounds = prove(state, solution.winner, solution.at_least);
      if (watch_->stopped()) return;
      if (bounds.wins_within(solution.at_least)) break;
      solution.at_least = bounds.at_least;
      if (!report(true)) return watch_->stop();
    }
    solution.distance = solution.at_least;
  }

  // -- search --------------------------------------------------------------------------------

  // Bounds tight enough to tell whether the attacker wins within `depth`; worthless once stopped.
  WinBounds prove(const State& state, Seat attacker, int depth) {
    if (over(game_, state)) return ended(state, attacker);
    WinBounds bounds = static_bounds(state, attacker, depth);
    if (bounds.decide(depth)) return bounds;
    const bool remembered = depth >= kHabits.remembered;
    const PositionKey key = remembered ? key_for(state, attacker) : PositionKey{};
    return search(state, attacker, depth, key, bounds);
  }

  // The same for a running position that is not settled by what it shows at once.
  WinBounds search(const State& state, Seat attacker, int depth, const PositionKey& key,
                   WinBounds bounds) {
    if (watch_->tick()) return bounds;
    const bool remembered = depth >= kHabits.remembered;
    Action first = -1;
    if (remembered) {
      if (const auto* entry = table_.find(key)) {
        bounds.tighten({entry->at_least, entry->at_most});
        if (bounds.decide(depth)) return bounds;
        first = entry->action;
      }
    }
    const std::uint64_t nodes_before = watch_->nodes();
    const std::size_t begin = moves_.size();
    Action settling = list_moves(state, attacker, one_less(depth), first, bounds);
    if (settling < 0) {
      deepen_internally(state, begin, attacker, one_less(depth));
      settling = try_moves(state, begin, attacker, one_less(depth), bounds);
    }
    moves_.resize(begin);
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
  WinBounds static_bounds(const State& state, Seat attacker, int depth) const {
    if (const Seat winner = game_.settled(state); winner != kNobody)
      return winner == attacker ? WinBounds{1, game_.max_plies()} : WinBounds{kNever, kNever};
    if constexpr (kHasWinBounds) return game_.win_bounds(state, attacker, depth);
    return {1, kNever};
  }

  // Internal iterative deepening. Where a wrong choice is expensive, the attacker looks at every
  // move with less depth first: what is hardest to refute there is the likeliest to win. (The
  // defender finds refutations without.)
  void deepen_internally(const State& state, std::size_t begin, Seat attacker, int depth) {
    if (depth < kHabits.deepened || depth >= kEver || game_.player(state) != attacker) return;
    const std::size_t end = moves_.size();
    for (std::size_t i = begin; i < end && !watch_->stopped(); ++i) {
      if (moves_[i].bounds.decide(depth)) continue;
      const PositionKey key = moves_[i].key;  // the list may move while it grows
      if (!moves_[i].bounds.decide(depth - kDeepenedLess)) {
        State after = state;
        game_.apply(after, moves_[i].action);
        const WinBounds seen =
            search(after, attacker, depth - kDeepenedLess, key, moves_[i].bounds);
        moves_[i].bounds.tighten(seen);
      }
      const auto* entry = table_.find(key);
      if (moves_[i].bounds.wins_within(depth))
        moves_[i].hint = kFirst;
      else if (entry != nullptr)
        moves_[i].hint += kEffortHint / kEffortStep * static_cast<float>(entry->effort);
    }
  }

  // Searches the moves from `begin` on until one settles the question for the side to move; returns
  // that one, or -1 where all were in vain. `depth` is what is left after them.
  Action try_moves(const State& state, std::size_t begin, Seat attacker, int depth,
                   WinBounds& bounds) {
    const bool attacking = game_.player(state) == attacker;
    const std::size_t end = moves_.size();
    int soonest = attacking ? kNever : 0, latest = soonest;
    for (std::size_t i = begin; i < end; ++i) {
      select_best(i, end);
      WinBounds child = moves_[i].bounds;
      if (!child.decide(depth)) {
        State after = state;
        game_.apply(after, moves_[i].action);
        const PositionKey key = moves_[i].key;  // the list may move while it grows
        child = search(after, attacker, depth, key, child);
        if (watch_->stopped()) return -1;
        learn(game_.player(state), attacking, moves_[i].action, child.wins_within(depth));
      }
      if (child.wins_within(depth) == attacking) {
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

  // Puts the moves on the stack with what is known about them, the cheapest knowledge first;
  // returns one that settles the question already, or -1. `depth` is what is left after them.
  Action list_moves(const State& state, Seat attacker, int depth, Action first, WinBounds& bounds) {
    const Seat player = game_.player(state);
    const bool attacking = player == attacker;
    const std::size_t begin = moves_.size();
    const auto settles = [&](const Move& move) {
      if (!move.bounds.decide(depth) || move.bounds.wins_within(depth) != attacking) return false;
      bounds.tighten(one_later(move.bounds, attacking));
      return true;
    };
    const std::vector<int> alike = begin == 0 ? symmetries_of(state) : std::vector<int>();
    const bool remembered = depth >= kHabits.remembered;
    Action settling = -1;
    game_.legal(state).each([&](Action action) {
      if (settling >= 0 || has_earlier_image(action, alike)) return;
      State after = state;
      game_.apply(after, action);
      Move& move = moves_.emplace_back(Move{action, kFirst, {}, {}});
      move.bounds =
          over(game_, after) ? ended(after, attacker) : static_bounds(after, attacker, depth);
      if (settles(move)) settling = action;
      if (move.bounds.decide(depth)) return;
      if (remembered) {
        move.key = key_for(after, attacker);
        table_.prefetch(move.key);
      }
      if (action != first) move.hint = hint(after, player, attacking, action);
    });
    if (settling >= 0) return settling;
    for (std::size_t i = begin; i < moves_.size() && remembered; ++i) {
      Move& move = moves_[i];
      const auto* entry = move.bounds.decide(depth) ? nullptr : table_.find(move.key);
      if (entry == nullptr) continue;
      move.bounds.tighten({entry->at_least, entry->at_most});
      if (settles(move)) return move.action;
    }
    return -1;
  }

  // How likely it is that the action settles the question.
  float hint(const State& after, Seat player, bool attacking, Action action) {
    if constexpr (kHabits.learns_order) return experience(player, attacking, action).rate();
    return static_cast<float>(game_.evaluate(after, player));
  }

  void learn(Seat player, bool attacking, Action action, bool attacker_wins) {
    if constexpr (kHabits.learns_order) {
      Experience& past = experience(player, attacking, action);
      ++past.tried;
      past.settled += attacker_wins == attacking;
    }
  }

  Experience& experience(Seat player, bool attacking, Action action) {
    const std::size_t row = static_cast<std::size_t>(2 * player + attacking);
    return experience_[row * static_cast<std::size_t>(game_.actions()) +
                       static_cast<std::size_t>(action)];
  }

  // The symmetries that change nothing, sought where the search begins: later there are few.
  std::vector<int> symmetries_of(const State& state) const {
    std::vector<int> found;
    for (int k = 1; k < game_.symmetries(); ++k) {
      const State image = game_.symmetric(state, k);
      if (std::memcmp(&image, &state, sizeof(State)) == 0) found.push_back(k);
    }
    return found;
  }

  bool has_earlier_image(Action action, const std::vector<int>& symmetries) const {
    return std::any_of(symmetries.begin(), symmetries.end(),
                       [&](int k) { return game_.symmetric_action(action, k) < action; });
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
    PositionKey key = essence_key(state, attacker);
    key.check |= 1;  // never that of an empty entry
    return key;
  }

  PositionKey essence_key(const State& state, Seat attacker) const {
    if constexpr (requires { game_.essence(state, attacker); }) {
      return wide_key_of(game_.essence(state, attacker));
    } else {
      const PositionKey key = wide_key_of(state);
      return {key.place, attacker == 0 ? key.check : ~key.check};
    }
  }

  void remember(const PositionKey& key, const WinBounds& bounds, Action action,
                std::uint64_t nodes) {
    ProofTable::Entry& entry = table_.slot(key);
    entry.at_least = std::max(entry.at_least, static_cast<std::uint16_t>(bounds.at_least));
    entry.at_most = std::min(entry.at_most, static_cast<std::uint16_t>(bounds.at_most));
    if (action >= 0) entry.action = static_cast<std::int16_t>(action);
    const float effort = kEffortStep * natural_log(1 + nodes) / natural_log(2);
    entry.effort = std::max(entry.effort, static_cast<std::uint16_t>(effort));
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

  std::vector<Action> promising_actions(const State& state) {
    const Seat other = 1 - game_.player(state);
    std::vector<Action> safe, open;
    game_.legal(state).each([&](Action action) {
      State after = state;
      game_.apply(after, action);
      const WinBounds threat = known(after, other, kEver);
      if (threat.at_least == kNever) safe.push_back(action);
      if (!threat.decide(kEver)) open.push_back(action);
    });
    return safe.empty() ? open : safe;
  }

  WinBounds known(const State& state, Seat attacker, int depth) {
    if (over(game_, state)) return ended(state, attacker);
    WinBounds bounds = static_bounds(state, attacker, depth);
    if (const auto* entry = table_.find(key_for(state, attacker)))
      bounds.tighten({entry->at_least, entry->at_most});
    return bounds;
  }

  const G& game_;
  ProofTable table_;
  std::vector<Move> moves_;  // those of every position on the way down, one after the other
  std::vector<Experience> experience_;  // by seat, whether it attacks, and action
  Stopwatch* watch_ = nullptr;
};

}  // namespace spielwerk
