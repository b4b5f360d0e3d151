// What DiavoloPP foresees without searching, against playing everything out: no win comes sooner
// than foreseen, and none that is foreseen fails to come.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "games/diavolo.hpp"

namespace spielwerk {
namespace {

using Rules = Diavolo<8>;
using State = Rules::State;
using Board = TriangularBoard<8>;

struct Counts {
  int positions = 0, hopeless = 0, won = 0;
};

// Plays out every line that follows from a position, as long as there are not too many.
class Everything {
 public:
  Everything(const Rules& rules, int patience) : rules_(rules), patience_(patience) {}

  // Actions until the attacker's win against the best defence; kNever if there is none, nothing if
  // that would take too long to find out.
  std::optional<int> win(const State& state, Seat attacker) {
    if (rules_.player(state) == kNobody) return won(state, attacker) ? 0 : kNever;
    const std::string key(reinterpret_cast<const char*>(&state), sizeof(State));
    if (const auto found = known_[attacker].find(key); found != known_[attacker].end())
      return found->second;
    if (--patience_ < 0) return std::nullopt;
    const std::optional<int> best = best_of_actions(state, attacker);
    if (best) compare(state, attacker, *best);
    if (best) known_[attacker][key] = *best;
    return best;
  }

  Counts counts;

 private:
  bool won(const State& state, Seat attacker) const {
    double returns[kMaxSeats];
    rules_.returns(state, returns);
    return returns[attacker] > 0;
  }

  std::optional<int> best_of_actions(const State& state, Seat attacker) {
    const bool attacking = rules_.player(state) == attacker;
    int best = attacking ? kNever : 0;
    bool complete = true;
    rules_.legal(state).each([&](Action action) {
      if (!complete) return;
      State after = state;
      rules_.apply(after, action);
      const std::optional<int> length = win(after, attacker);
      complete = length.has_value();
      if (complete) best = attacking ? std::min(best, *length) : std::max(best, *length);
    });
    if (!complete) return std::nullopt;
    return best == kNever ? kNever : best + 1;
  }

  void compare(const State& state, Seat attacker, int length) {
    const WinBounds bounds = rules_.win_bounds(state, attacker, kEver);
    ++counts.positions;
    counts.hopeless += bounds.at_least == kNever;
    counts.won += bounds.at_most < kNever;
    if (bounds.at_least <= length && length <= bounds.at_most) return;
    std::fprintf(stderr, "FAILED: a win of seat %d in %d actions, foreseen %d to %d:\n%s\n",
                 attacker, length, bounds.at_least, bounds.at_most, rules_.to_text(state).c_str());
    std::exit(1);
  }

  const Rules& rules_;
  int patience_;
  std::unordered_map<std::string, int> known_[2];
};

void add(Counts& all, const Counts& more) {
  all.positions += more.positions, all.hopeless += more.hopeless, all.won += more.won;
}

Counts of_whole_game(int side) {
  const Rules rules(side);
  Rng rng(1);
  Everything everything(rules, 1'000'000'000);
  for (const Seat attacker : {0, 1}) everything.win(rules.start(rng), attacker);
  return everything.counts;
}

// From the end of games at random, back to where there is too much to play out.
Counts of_late_positions(int side, int games, int patience) {
  const Rules rules(side);
  Rng rng(static_cast<std::uint64_t>(side));
  Counts all;
  for (int game = 0; game < games; ++game) {
    std::vector<State> path = {rules.start(rng)};
    while (rules.player(path.back()) != kNobody) {
      const auto legal = rules.legal(path.back());
      State next = path.back();
      rules.apply(next, legal.select(rng.below(legal.count())));
      path.push_back(next);
    }
    for (const Seat attacker : {0, 1}) {
      Everything everything(rules, patience);
      for (auto state = path.rbegin(); state != path.rend(); ++state)
        if (!everything.win(*state, attacker)) break;
      add(all, everything.counts);
    }
  }
  return all;
}

// -- positions that no game need lead to -----------------------------------------------------------

class SetUp {
 public:
  SetUp(int side, std::uint64_t seed) : rules_(side), board_(Board::of_side(side)), rng_(seed) {}

  // Islands to begin with, then whatever fits in random order, lands before bridges.
  State state() {
    std::string stones[2];
    for (std::string& own : stones)
      for (int islands = rng_.below(3); islands > 0; --islands) try_adding(stones, own, island());
    const int first_bridge = board_.num_fields, end = first_bridge + board_.num_edges;
    for (const auto& [from, to] : {std::pair(0, first_bridge), std::pair(first_bridge, end)})
      for (const int stone : shuffled(from, to))
        if (rng_.below(10) < 9)
          try_adding(stones, stones[rng_.below(2)], " " + rules_.text({}, stone));
    return with_turn(stones);
  }

 private:
  std::vector<int> shuffled(int from, int to) {
    std::vector<int> all;
    for (int i = from; i < to; ++i) all.insert(all.begin() + rng_.below(i - from + 1), i);
    return all;
  }

  int any_beside(int field) {
    std::vector<int> beside;
    board_.field(field).beside.each([&](int f) { beside.push_back(f); });
    return beside[static_cast<std::size_t>(rng_.below(static_cast<int>(beside.size())))];
  }

  std::string island() {
    std::vector<int> fields = {rng_.below(board_.num_fields)};
    while (fields.size() < 4) {
      const int from =
          fields[static_cast<std::size_t>(rng_.below(static_cast<int>(fields.size())))];
      const int next = any_beside(from);
      if (std::find(fields.begin(), fields.end(), next) == fields.end()) fields.push_back(next);
    }
    std::string text;
    for (const int f : fields) text += " " + rules_.text({}, f);
    return text;
  }

  void try_adding(const std::string (&stones)[2], std::string& own, const std::string& text) {
    const std::string before = own;
    own += text;
    if (!legal(stones, "white to move")) own = before;
  }

  std::optional<State> legal(const std::string (&stones)[2], const std::string& turn) const {
    Violations broken;
    const State state =
        rules_.read("white" + stones[0] + "; red" + stones[1] + "; " + turn, broken);
    return broken.all.empty() ? std::optional(state) : std::nullopt;
  }

  State with_turn(const std::string (&stones)[2]) {
    const std::vector<std::string> turns = {"white to move", "red to move",
                                            "red to move; last turn", "white to move; swap open"};
    while (true) {
      std::string turn = turns[static_cast<std::size_t>(rng_.below(4))];
      if (rng_.below(2) == 0) turn += "; second land due";
      if (rng_.below(2) == 0) turn += "; seats exchanged";
      if (const auto state = legal(stones, turn)) return *state;
    }
  }

  const Rules rules_;
  const Board& board_;
  Rng rng_;
};

Counts of_position(const Rules& rules, const State& state, int patience) {
  Counts all;
  for (const Seat attacker : {0, 1}) {
    Everything everything(rules, patience);
    everything.win(state, attacker);
    add(all, everything.counts);
  }
  return all;
}

Counts of_set_up_positions(int side, int number, int patience) {
  const Rules rules(side);
  SetUp positions(side, static_cast<std::uint64_t>(side));
  Counts all;
  for (int i = 0; i < number; ++i) add(all, of_position(rules, positions.state(), patience));
  return all;
}

// A land can join islands, too, where it brings a group to the end of a bridge that stands already.
constexpr const char* kJoinedByALand =
    "white 4,1+4,2+5,1 5,2+6,1+6,2 7,1+7,2+8,1 7,2+8,1+8,2 1,2+1,3+2,2 1,3+2,2+2,3 "
    "2,2+2,3+3,2 5,3+6,2+6,3 1,3+1,4+2,3 2,4+3,3+3,4 3,3+3,4+4,3 6,3+6,4+7,3 1,5+2,4+2,5 "
    "2,4+2,5+3,4 4,5+5,4+5,5 3,6+4,5+4,6 4,5+4,6+5,5 1,6+1,7+2,6 3,6+3,7+4,6 1,8+2,7+2,8 "
    "2,3-2,4 5,5-6,4 1,5-1,6 2,7-3,6 2,8-3,7; red 1,2+2,1+2,2 2,1+2,2+3,1 2,2+3,1+3,2 "
    "3,1+3,2+4,1 4,2+5,1+5,2 6,1+6,2+7,1 6,2+7,1+7,2 8,1+8,2+9,1 3,3+4,2+4,3 4,2+4,3+5,2 "
    "4,3+5,2+5,3 6,3+7,2+7,3 7,2+7,3+8,2 5,4+6,3+6,4 1,4+1,5+2,4 2,5+3,4+3,5 4,4+4,5+5,4 "
    "1,6+2,5+2,6 2,5+2,6+3,5 2,6+3,5+3,6 1,7+1,8+2,7 1,8+1,9+2,8 5,1-6,1 3,2-4,2 4,3-4,4 "
    "5,3-5,4 3,5-4,5; white to move; second land due; seats exchanged";

Counts of_text(int side, const char* text, int patience) {
  const Rules rules(side);
  Violations broken;
  return of_position(rules, rules.read(text, broken), patience);
}

void report(const char* what, int side, const Counts& counts) {
  std::printf("side %d, %s: %d positions, %d seen to be hopeless, %d won\n", side, what,
              counts.positions, counts.hopeless, counts.won);
  if (counts.hopeless > 0 && counts.won > 0) return;
  std::fprintf(stderr, "FAILED: nothing was foreseen\n");
  std::exit(1);
}

}  // namespace
}  // namespace spielwerk

int main() {
  using namespace spielwerk;
  report("every position", 3, of_whole_game(3));
  for (const int side : {4, 5, 8})
    report("late positions", side, of_late_positions(side, 20, 3000));
  for (const int side : {3, 4, 5, 6, 8})
    report("set up", side, of_set_up_positions(side, 100, 1000));
  of_text(8, kJoinedByALand, 1000);
  std::printf("passed\n");
}
