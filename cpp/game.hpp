// What a game is.
//
// A game class holds the rules in force; its State is a plain value. Everything that plays,
// searches, trains or draws is written once against this contract, and every sentence of it is a
// law that tests/test_laws.py checks for each registered ruleset.
//
// What a game has no use for it inherits from GameDefaults, below; examples/tictactoe is a whole
// game. The functions come in two halves, and a header keeps them apart:
//  - Playing: what millions of positions a second go through. Marked constexpr, and neither strings
//    nor allocation, so that a compiler for other devices can take them as they are.
//  - Words: notation, pictures, names. Here strings and lists are at home.
//
// -- Playing --------------------------------------------------------------------------------------
//
// Shape
//  - kMaskWords: 64-bit words that a set of actions or chance outcomes takes.
//  - kHasChance: whether dice fall. kZeroSum: whether returns sum to zero.
//  - kRulesVersion: raised whenever an old record would be judged otherwise.
//  - seats(), at most kMaxSeats. side() is equal for seats that win and lose together.
//  - actions(): they are numbered from 0 to actions()-1.
//  - max_plies(): a game ends within so many decisions, whatever is played.
//
// Positions
//  - A State is trivially copyable and has no padding: copying is cloning, equal bytes are equal
//    positions. It holds what the rules need and no history.
//  - start() is a function of the rules and of the random stream alone: same seed, same game.
//
// Turns
//  - player() is a seat 0 .. seats()-1, kChance when a die is to fall, or kNobody once it is over.
//  - One action is one atomic decision; a turn may be several actions by the same seat.
//  - legal() is never empty while the game runs, and is empty once it is over.
//  - apply() is called with legal actions only and always leaves a well-formed position. Callers
//    who cannot promise that ask legal() first; refusal() then says in words which rule forbids it.
//  - Chance outcomes are numbered from 0 like actions. roll() draws one; outcomes() lists them with
//    probabilities that sum to one.
//
// Ends
//  - returns() are per seat, within -1 .. +1, zero while the game runs, and never -0.0.
//  - points() are the ruleset's own score, zero while the game runs and where it has none.
//  - truncated() says that a ply limit, not a rule of the game, ended it: returns are then zero.
//
// Learning
//  - grid() is the height and width of every plane of an observation; planes() describes them. Where
//    no rule changes it, a static grid() makes observing faster.
//  - observe() paints planes().size() planes of height × width cells as `seat` sees the position,
//    one after the other, on a canvas (canvas.hpp); values stay within the declared maximum; own things come before the others'. Positions
//    that differ look different to the seat that acts.
//    kMarksCells says that it goes through sets cell by cell (canvas.marked), which takes long enough
//    for several threads of a GPU to share it.
//  - symmetric(s, k) for k < symmetries() is an equally good position, k = 0 the same; legal
//    actions and successors follow by symmetric_action().
//  - action_cell() says which cell of the grid an action belongs to, so that one network can read
//    and play boards of every size; see ActionCell.
//  - action_planes() says which planes mark the cell that an action leaves and the one it goes to,
//    so that a network can judge it by what lies there.
//  - evaluate() is a heuristic for `seat` within -1 .. +1, exact once the game is over.
//  - kPlanes and kMaxCells, without a default: how many planes there are, and how many cells one has
//    at most. A game that says so, and whose bytes are all there is to it, plays on a GPU, too.
//    Tables that are looked things up in are then members, since device code cannot see a class's
//    static arrays; tables that the game only points to are found by tables() (gpu/image.hpp).
//    evaluate() keeps no local array that it indexes at run time: nvcc 13.0 laid one over the set of
//    actions that greedy_action() was still going through, and the kernel never ended.
//  - pay_out(), optional: returns and points in one go, where that is cheaper.
//  - kAfterstateFeatures and afterstate_features(), for games with dice and without a default: which
//    of so many features a position before a die has for a seat, at most Afterstate::kMost of them,
//    so that a network can learn to judge it (search/afterstates.hpp).
//  - settled(), in games of two seats, names the seat that wins whatever is still played, though the
//    game goes on; kNobody while that is open. Searches look no further there.
//  - kInsights and insights(): further planes, painted after those of observe() as seat 0 sees them,
//    for the evaluation network of alpha-beta alone (search/nnue.hpp): what takes a network long to
//    learn and the game can say at once.
//  - win_bounds(), essence() and kProofHabits, further members without a default: what a game can
//    prove about a position without searching, what positions are recognised by, and how they are
//    best searched; search/solver.hpp says what they must promise.
//
// -- Words ----------------------------------------------------------------------------------------
//
//  - ending() is a short code for why the game is over, empty while it runs.
//  - text() names an action, each one differently; parse() inverts it, accepts every spelling the
//    rules allow and answers -1 to anything else; notation_help() says how actions are written.
//  - split_turn() cuts a whole turn's text into the texts of its actions.
//  - refusal() explains why an action is illegal: a stable code, and one English sentence.
//  - to_text() and from_text() are inverse on every position; from_text() refuses what the rules
//    cannot go on from with std::invalid_argument naming the reason, and no text can do worse.
//  - check() lists everything that is wrong with a text: what from_text() refuses, and if strict
//    also what no game could hold. A game that writes read(text, broken), which notes violations
//    and throws only at what it cannot read, inherits both; check_reachable(state, broken) adds the
//    strict part.
//  - picture() shows a position to people in plain text, facts() to programs as plain data.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bits.hpp"
#include "canvas.hpp"
#include "random.hpp"
#include "rules.hpp"
#include "text.hpp"

namespace spielwerk {

using Action = int;
using Seat = int;

// A small number for each of two seats in one word: it stays in a register where an array that is
// read by seat would lie in memory, which GPUs wait for.
struct BySeat {
  std::uint16_t both;

  constexpr int operator[](Seat seat) const { return both >> (8 * seat) & 0xff; }
  constexpr void set(Seat seat, int number) {
    both = static_cast<std::uint16_t>((both & (0xff00 >> (8 * seat))) | number << (8 * seat));
  }
  bool operator==(const BySeat&) const = default;
};

inline constexpr Seat kChance = -1;
inline constexpr Seat kNobody = -2;
inline constexpr int kMaxSeats = 4;

struct Plane {
  std::string name, meaning;
  int maximum = 1;
};

struct Grid {
  int height, width;
};

// Where an action lies on the observation's grid. Actions of one kind differ in their cell alone;
// no two actions of a game share kind and cell. Actions beside the board have the kind -1.
struct ActionCell {
  int kind = -1, row = 0, column = 0;
};

// Planes of the observation that mark where an action starts and ends; -1 where none does.
struct ActionPlanes {
  int from = -1, to = -1;
};

struct Refusal {
  std::string code;    // stable, for translation
  std::string reason;  // one English sentence
};

struct ChanceOutcome {
  Action action;
  double probability;
};

// A position as plain data, for pictures and outside programs.
using Fact = std::variant<std::int64_t, std::string, std::vector<std::int64_t>>;
using Facts = std::vector<std::pair<std::string, Fact>>;

// The numbers in a set, as facts list them; `first` is the number of the set's member 0.
inline std::vector<std::int64_t> members(Bits set, int first = 0) {
  std::vector<std::int64_t> all;
  each(set, [&](int member) { all.push_back(first + member); });
  return all;
}

template <int Words>
std::vector<std::int64_t> members(const BitSet<Words>& set, int first = 0) {
  std::vector<std::int64_t> all;
  set.each([&](int member) { all.push_back(first + member); });
  return all;
}

template <class S>
concept PlainState = std::is_trivially_copyable_v<S> && std::has_unique_object_representations_v<S>;

template <class G>
concept Game = PlainState<typename G::State> &&
               requires(const G game, const typename G::State state, typename G::State changing,
                        Rng rng, Action action, Seat seat, int k, std::string_view text,
                        ByteCanvas<>& canvas, double* numbers, int* points) {
                 // shape
                 { G::kMaskWords } -> std::convertible_to<int>;
                 { G::kHasChance } -> std::convertible_to<bool>;
                 { G::kZeroSum } -> std::convertible_to<bool>;
                 { G::kRulesVersion } -> std::convertible_to<int>;
                 { game.seats() } -> std::same_as<int>;
                 { game.side(seat) } -> std::same_as<int>;
                 { game.actions() } -> std::same_as<int>;
                 { game.max_plies() } -> std::same_as<int>;
                 // turns
                 { game.start(rng) } -> std::same_as<typename G::State>;
                 { game.player(state) } -> std::same_as<Seat>;
                 { game.legal(state) } -> std::same_as<BitSet<G::kMaskWords>>;
                 { game.apply(changing, action) } -> std::same_as<void>;
                 // ends
                 { game.returns(state, numbers) } -> std::same_as<void>;
                 { game.points(state, points) } -> std::same_as<void>;
                 { game.truncated(state) } -> std::same_as<bool>;
                 // learning
                 { game.grid() } -> std::same_as<Grid>;
                 { game.observe(state, seat, canvas) } -> std::same_as<void>;
                 { game.symmetries() } -> std::same_as<int>;
                 { game.symmetric(state, k) } -> std::same_as<typename G::State>;
                 { game.symmetric_action(action, k) } -> std::same_as<Action>;
                 { game.action_cell(action) } -> std::same_as<ActionCell>;
                 { game.action_planes(action) } -> std::same_as<ActionPlanes>;
                 { game.evaluate(state, seat) } -> std::same_as<double>;
                 // words
                 { game.ending(state) } -> std::convertible_to<std::string_view>;
                 { game.text(state, action) } -> std::same_as<std::string>;
                 { game.parse(state, text) } -> std::same_as<Action>;
                 { game.split_turn(text) } -> std::same_as<std::vector<std::string>>;
                 { game.notation_help() } -> std::convertible_to<std::string_view>;
                 { game.refusal(state, action) } -> std::same_as<Refusal>;
                 { game.to_text(state) } -> std::same_as<std::string>;
                 { game.from_text(text) } -> std::same_as<typename G::State>;
                 { game.check(text, true) } -> std::same_as<std::vector<std::string>>;
                 { game.picture(state) } -> std::same_as<std::string>;
                 { game.facts(state) } -> std::same_as<Facts>;
                 { game.planes() } -> std::same_as<std::vector<Plane>>;
               } &&
               (!G::kHasChance || requires(const G game, const typename G::State state, Rng rng) {
                 { game.roll(state, rng) } -> std::same_as<Action>;
                 { game.outcomes(state) } -> std::same_as<std::vector<ChanceOutcome>>;
               });

// What a game without dice, teams, points, symmetries, a heuristic or pictures need not write. A
// game inherits it with its own name in brackets, and whatever it defines itself wins. Left to
// write are kMaskWords, actions, max_plies, player, legal, apply, returns, to_text and from_text.
template <class Derived>
class GameDefaults {
 public:
  // -- playing -------------------------------------------------------------------------------

  static constexpr bool kHasChance = false;
  static constexpr bool kZeroSum = true;
  static constexpr int kRulesVersion = 1;
  static constexpr bool kMarksCells = false;

  constexpr int seats() const { return 2; }
  constexpr int side(Seat seat) const { return seat; }

  constexpr auto start(Rng&) const { return typename Derived::State{}; }

  template <class State>
  constexpr void points(const State&, int* out) const {
    std::fill_n(out, self().seats(), 0);
  }

  template <class State>
  constexpr bool truncated(const State&) const {
    return false;
  }

  // The bytes of the position: complete, but a network learns more from planes that mean something.
  constexpr Grid grid() const { return {1, static_cast<int>(sizeof(typename Derived::State))}; }

  template <class State, class Canvas>
  constexpr void observe(const State& s, Seat seat, Canvas& canvas) const {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&s);
    canvas.numbers([&](int cell) { return bytes[cell]; });
    canvas.everywhere(self().player(s) == seat);
  }

  constexpr int symmetries() const { return 1; }
  template <class State>
  constexpr State symmetric(const State& s, int) const {
    return s;
  }
  constexpr Action symmetric_action(Action action, int) const { return action; }

  constexpr ActionCell action_cell(Action) const { return {}; }
  constexpr ActionPlanes action_planes(Action) const { return {}; }

  // Nothing is known before the end: returns are zero until then.
  template <class State>
  constexpr double evaluate(const State& s, Seat seat) const {
    double all[kMaxSeats] = {};
    self().returns(s, all);
    return all[seat];
  }

  template <class State>
  constexpr Seat settled(const State&) const {
    return kNobody;
  }

  static constexpr int kInsights = 0;
  template <class State, class Canvas>
  constexpr void insights(const State&, Canvas&) const {}

  // -- words ---------------------------------------------------------------------------------

  template <class State>
  std::string_view ending(const State& s) const {
    if (self().player(s) != kNobody) return "";
    double all[kMaxSeats] = {};
    self().returns(s, all);
    return std::any_of(all, all + self().seats(), [](double value) { return value > 0; }) ? "won"
                                                                                          : "draw";
  }

  template <class State>
  std::string text(const State&, Action action) const {
    return std::to_string(action);
  }

  template <class State>
  Action parse(const State& s, std::string_view text) const {
    for (Action action = 0; action < self().actions(); ++action)
      if (self().text(s, action) == text) return action;
    return -1;
  }

  std::vector<std::string> split_turn(std::string_view text) const { return {std::string(text)}; }

  std::string_view notation_help() const { return "write an action as state.text() shows it"; }

  template <class State>
  Refusal refusal(const State& s, Action action) const {
    return {"illegal", self().text(s, action) + " is not legal here"};
  }

  auto from_text(std::string_view text) const {
    Violations broken;
    const typename Derived::State s = self().read(text, broken);
    broken.refuse_first();
    return s;
  }

  std::vector<std::string> check(std::string_view text, bool strict) const {
    Violations broken;
    try {
      check_text(text, strict, broken);
    } catch (const std::invalid_argument& unreadable) {
      const std::string_view line = unreadable.what();
      broken.add(true,
                 std::string(line.substr(line.starts_with(kImpossible) ? kImpossible.size() : 0)));
    }
    return broken.all;
  }

  template <class State>
  void check_reachable(const State&, Violations&) const {}

  template <class State>
  std::string picture(const State& s) const {
    return self().to_text(s);
  }

  template <class State>
  Facts facts(const State& s) const {
    return {{"text", self().to_text(s)}, {"to_move", std::int64_t{self().player(s)}}};
  }

  std::vector<Plane> planes() const {
    return {{"position", "the bytes of the position", 255},
            {"to act", "all 1 when the observer is to act"}};
  }

 private:
  void check_text(std::string_view text, bool strict, Violations& broken) const {
    if constexpr (requires { self().read(text, broken); }) {
      const auto s = self().read(text, broken);
      if (strict) self().check_reachable(s, broken);
    } else {
      self().from_text(text);
    }
  }

  constexpr const Derived& self() const { return static_cast<const Derived&>(*this); }
};

// Both results of a finished game.
template <Game G>
constexpr void pay_out(const G& game, const typename G::State& state, double* returns,
                       int* points) {
  if constexpr (requires { game.pay_out(state, returns, points); }) {
    game.pay_out(state, returns, points);
  } else {
    game.returns(state, returns);
    game.points(state, points);
  }
}

// Lets chance decide until a seat is to act or the game is over.
template <Game G>
constexpr void settle_chance(const G& game, typename G::State& state, Rng& rng) {
  if constexpr (G::kHasChance) {
    while (game.player(state) == kChance) game.apply(state, game.roll(state, rng));
  }
}

template <Game G>
constexpr bool over(const G& game, const typename G::State& state) {
  return game.player(state) == kNobody;
}

// What every seat gets in a game that is over, or whose winner is settled.
template <Game G>
constexpr void certain_returns(const G& game, const typename G::State& state, double* returns) {
  if (over(game, state)) return game.returns(state, returns);
  for (Seat seat = 0; seat < game.seats(); ++seat)
    returns[seat] = seat == game.settled(state) ? 1 : -1;
}

template <int Words>
constexpr Action random_member(const BitSet<Words>& set, Rng& rng) {
  return set.select(rng.below(set.count()));
}

// How many cells a plane has where no rule changes it, which a static grid() says; elsewhere 0.
template <Game G>
consteval int fixed_cells() {
  if constexpr (requires { std::integral_constant<int, G::grid().height>{}; })
    return G::grid().height * G::grid().width;
  return 0;
}

// The planes of the position as `seat` sees it, as bytes [planes, height, width].
template <Game G>
inline void observe(const G& game, const typename G::State& state, Seat seat, std::uint8_t* out) {
  ByteCanvas<fixed_cells<G>()> canvas(out, game.grid().height * game.grid().width);
  game.observe(state, seat, canvas);
}

}  // namespace spielwerk
