// What a game is.
//
// A game class holds the rules in force; its State is a plain value. Everything that plays,
// searches, trains or draws is written once against this contract, and every sentence of it is a
// law that tests/test_laws.py checks for each registered ruleset.
//
// Positions
//  - A State is trivially copyable and has no padding: copying is cloning, equal bytes are equal
//    positions. It holds what the rules need and no history.
//  - start() is a function of the rules and of the random stream alone: same seed, same game.
//  - A game ends within max_plies() decisions, whatever is played.
//
// Turns
//  - player() is a seat 0 .. seats()-1, kChance when a die is to fall, or kNobody once it is over.
//  - One action is one atomic decision; a turn may be several actions by the same seat.
//  - legal() is never empty while the game runs, and is empty once it is over.
//  - apply() is called with legal actions only and always leaves a well-formed position. Callers
//    who cannot promise that ask legal() first; refusal() then says in words which rule forbids it.
//  - Chance outcomes are numbered from 0 like actions; their probabilities sum to one.
//
// Ends
//  - returns() are per seat, within -1 .. +1, zero while the game runs; they sum to zero where
//    kZeroSum says so. points() are the ruleset's own score, zero where it has none.
//  - truncated() tells that a ply limit, not a rule of the game, ended it: returns are then zero.
//
//  - side(), where a game has one, is equal for seats that win and lose together.
//
// Notation
//  - text() names an action; parse() inverts it and accepts every spelling the rules allow.
//  - split_turn() cuts a whole turn's text into the texts of its actions.
//  - to_text() and from_text() are inverse on every position; from_text() refuses impossible
//    positions with std::invalid_argument naming the reason, and no text can do worse.
//
// Learning
//  - observe() writes planes().size() planes of height × width bytes as `seat` sees the position;
//    plane values stay within the declared maximum; own things come before the others'.
//  - symmetric(s, k) for k < symmetries() is an equally good position, k = 0 the same; legal
//    actions and successors follow by symmetric_action().
//  - action_cell(), where a game has one, tells which cell of the grid an action belongs to, so
//  that
//    one network can read and play boards of every size; see ActionCell.
//  - action_planes(), where a game has it, tells which planes mark the cell that an action leaves
//  and
//    the one it goes to, so that a network can judge it by what lies there.
//  - evaluate() is a heuristic for `seat` within -1 .. +1, exact once the game is over.
#pragma once

#include <concepts>
#include <cstdint>
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

namespace spielwerk {

using Action = int;
using Seat = int;

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

template <class S>
concept PlainState = std::is_trivially_copyable_v<S> && std::has_unique_object_representations_v<S>;

template <class G>
concept Game = PlainState<typename G::State> &&
               requires(const G game, const typename G::State state, typename G::State changing,
                        Rng rng, Action action, Seat seat, int k, std::string_view text,
                        ByteCanvas& canvas, double* numbers, int* points) {
                 // shape
                 { G::kMaskWords } -> std::convertible_to<int>;
                 { G::kHasChance } -> std::convertible_to<bool>;
                 { G::kZeroSum } -> std::convertible_to<bool>;
                 { G::kRulesVersion } -> std::convertible_to<int>;
                 { game.seats() } -> std::same_as<int>;
                 { game.actions() } -> std::same_as<int>;
                 { game.max_plies() } -> std::same_as<int>;
                 // play
                 { game.start(rng) } -> std::same_as<typename G::State>;
                 { game.player(state) } -> std::same_as<Seat>;
                 { game.legal(state) } -> std::same_as<BitSet<G::kMaskWords>>;
                 { game.apply(changing, action) } -> std::same_as<void>;
                 { game.refusal(state, action) } -> std::same_as<Refusal>;
                 // ends
                 { game.returns(state, numbers) } -> std::same_as<void>;
                 { game.points(state, points) } -> std::same_as<void>;
                 { game.truncated(state) } -> std::same_as<bool>;
                 { game.ending(state) } -> std::convertible_to<std::string_view>;
                 // notation
                 { game.text(state, action) } -> std::same_as<std::string>;
                 { game.parse(state, text) } -> std::same_as<Action>;  // -1: no such action
                 { game.split_turn(text) } -> std::same_as<std::vector<std::string>>;
                 { game.notation_help() } -> std::convertible_to<std::string_view>;
                 { game.to_text(state) } -> std::same_as<std::string>;
                 { game.from_text(text) } -> std::same_as<typename G::State>;
                 // pictures
                 { game.picture(state) } -> std::same_as<std::string>;
                 { game.facts(state) } -> std::same_as<Facts>;
                 // learning
                 { game.grid() } -> std::same_as<Grid>;
                 { game.planes() } -> std::same_as<std::vector<Plane>>;
                 { game.observe(state, seat, canvas) } -> std::same_as<void>;
                 { game.symmetries() } -> std::same_as<int>;
                 { game.symmetric(state, k) } -> std::same_as<typename G::State>;
                 { game.symmetric_action(action, k) } -> std::same_as<Action>;
                 { game.evaluate(state, seat) } -> std::same_as<double>;
               } &&
               (!G::kHasChance || requires(const G game, const typename G::State state, Rng rng) {
                 { game.outcomes(state) } -> std::same_as<std::vector<ChanceOutcome>>;
                 { game.roll(state, rng) } -> std::same_as<Action>;
               });

template <Game G>
inline ActionCell action_cell(const G& game, Action action) {
  if constexpr (requires { game.action_cell(action); }) {
    return game.action_cell(action);
  } else {
    return {};
  }
}

template <Game G>
inline ActionPlanes action_planes(const G& game, Action action) {
  if constexpr (requires { game.action_planes(action); }) {
    return game.action_planes(action);
  } else {
    return {};
  }
}

template <Game G>
constexpr int side_of(const G& game, Seat seat) {
  if constexpr (requires { game.side(seat); }) {
    return game.side(seat);
  } else {
    return seat;
  }
}

// Both results of a finished game; a game that computes them together says so with pay_out().
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

template <int Words>
constexpr Action random_member(const BitSet<Words>& set, Rng& rng) {
  return set.select(rng.below(set.count()));
}

// The planes of the position as `seat` sees it, as bytes [planes, height, width].
template <Game G>
inline void observe(const G& game, const typename G::State& state, Seat seat, std::uint8_t* out) {
  ByteCanvas canvas(out, game.grid().height * game.grid().width);
  game.observe(state, seat, canvas);
}

}  // namespace spielwerk
