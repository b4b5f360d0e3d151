// Pferdeäpfel (Alex Randolph, 1981): two knights drop apples until one cannot jump.
//
// Decisions taken where rule sheets differ, ruleset by ruleset (docs/rules tells them at length):
//   free               jump, then lay an apple on any empty square. Both may capture.
//   free-place-first   lay an apple on any empty square, then jump. Start squares are marked.
//   trail              jump; the square left gets an apple. Both may capture.
//   classic            brown, then golden apples; mandatory on the square left, one more if wanted.
//                      Only Black captures. Black stuck: White has 12, or the golden apples laid.
//   classic-24         start squares marked; Black stuck in the golden phase: White has 24.
//   original           as classic-24, but the horses are hollow: the mandatory apple falls where a
//                      jump ends, and a capture drops none. Black stuck at any time: White has 24.
//   carry              horses carry the next apple and drop it when they jump. No captures; a
//                      stuck Black passes; a stuck White ends the game.
// In every ruleset being stuck is judged at the start of one's own turn, and in free-place-first
// once more after one's own placement.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../boards/square.hpp"
#include "../game.hpp"
#include "../knight_race.hpp"
#include "../text.hpp"

namespace spielwerk {

enum class PferdeaepfelFamily { trail, free, place_first, classic, original, carry };

// What distinguishes rulesets of one family.
struct PferdeaepfelOptions {
  bool marked_starts = false;
  bool stuck_black_doubles_golden_phase = false;
};

template <PferdeaepfelFamily F>
class Pferdeaepfel : public GameDefaults<Pferdeaepfel<F>> {
  using Family = PferdeaepfelFamily;
  static constexpr bool kHollow = F == Family::original;  // apples fall through the horses
  static constexpr bool kClassic = F == Family::classic || kHollow;
  static constexpr bool kCarry = F == Family::carry;
  static constexpr bool kSupplies = kClassic || kCarry;  // apples are counted, brown and golden
  static constexpr bool kPlaces = F != Family::trail;    // some apples are actions
  static constexpr bool kPlacesFirst = F == Family::place_first;

 public:
  static constexpr Seat kWhite = 0, kBlack = 1;
  enum class Step : std::uint8_t { jump, place };
  enum class Ending : std::uint8_t { none, capture, stuck, golden_spent, outlasted };
  enum class Held : std::uint8_t { none, brown, golden };
  enum class Starter { white, black, random };

  struct State {
    Bits apples;              // every square that carries an apple
    Bits golden;              // those whose apple is golden
    BySeat horse;             // their squares, equal after a capture
    std::uint8_t brown_left;  // supply, or pool in carry
    std::uint8_t golden_left;
    std::uint8_t held;   // carry: Held of White in the low half, of Black in the high half
    std::uint8_t mover;  // the seat whose turn it is, or was when it ended
    Step step;
    Ending ending;

    bool operator==(const State&) const = default;
  };

  // -- shape ---------------------------------------------------------------------------------

  static constexpr int kPlanes = 4 + kPlaces + 4 * kSupplies + 2 * kCarry;
  static constexpr int kMaxCells = 64;
  static constexpr int kMaskWords = F == Family::trail ? 1 : kSupplies ? 3 : 2;
  // Version 1 of `original` laid the mandatory apple on the square left.
  static constexpr int kRulesVersion = kHollow ? 2 : 1;

  // Writes the start squares it settled on back into `rules`.
  Pferdeaepfel(RuleValues& rules, PferdeaepfelOptions options)
      : options_(options),
        board_(integer_rule(rules, "size")),
        squares_(board_.squares()),
        race_(board_.size()) {
    draw_jumps();
    start_[kWhite] = start_square(rules, "white_start", 0);
    start_[kBlack] = start_square(rules, "black_start", squares_ - 1);
    if (start_[kWhite] == start_[kBlack])
      throw std::invalid_argument(
          "white_start and black_start must be different squares, not both " +
          name(start_[kWhite]));
    if constexpr (kSupplies) {
      brown_ = integer_rule(rules, "brown");
      golden_ = integer_rule(rules, "golden");
    }
    if constexpr (kCarry) {
      const std::string& starter = text_rule(rules, "starter");
      starter_ = starter == "random"  ? Starter::random
                 : starter == "black" ? Starter::black
                                      : Starter::white;
    }
    require_first_jump();
  }

  constexpr int actions() const {
    return F == Family::trail ? squares_ : 2 * squares_ + (kClassic ? 1 : kCarry ? 2 : 0);
  }
  // Every turn but a marked start's first and a pass lays an apple, in at most two actions.
  constexpr int max_plies() const { return (kCarry ? 4 : kPlaces ? 2 : 1) * (squares_ + 2); }

  // -- play ----------------------------------------------------------------------------------

  constexpr State start(Rng& rng) const {
    if (starter_ == Starter::random) return start_with(rng.below(2));
    return start_with(starter_ == Starter::black ? kBlack : kWhite);
  }

  constexpr Seat player(const State& s) const {
    return s.ending == Ending::none ? s.mover : kNobody;
  }

  constexpr BitSet<kMaskWords> legal(const State& s) const {
    BitSet<kMaskWords> set;
    if (s.ending != Ending::none) return set;
    if constexpr (kPlaces) {
      if (s.step == Step::place) {
        set.add_shifted(placements(s), squares_);
        if constexpr (kSupplies) set.add(decline());
        return set;
      }
    }
    set.words[0] = jumps(s, s.mover);
    if constexpr (kCarry) {
      if (set.words[0] == 0) set.add(pass());
    }
    return set;
  }

  constexpr void apply(State& s, Action action) const {
    if (action < squares_) {
      jump(s, action);
    } else if (kCarry && action == pass()) {
      end_turn(s);
    } else {
      if (!kSupplies || action != decline()) lay(s, action - squares_);
      if (kPlacesFirst) {
        s.step = Step::jump;
      } else {
        end_turn(s);
      }
    }
    s.ending = judge(s);
  }

  // -- ends ----------------------------------------------------------------------------------

  constexpr void returns(const State& s, double* out) const {
    const Seat winner = result_of(s).winner;
    for (Seat seat : {kWhite, kBlack}) out[seat] = return_of(winner, seat);
  }

  constexpr void points(const State& s, int* out) const {
    const Result result = result_of(s);
    out[kWhite] = result.winner == kWhite ? result.points : 0;
    out[kBlack] = result.winner == kBlack ? result.points : 0;
  }

  // -- learning ------------------------------------------------------------------------------

  constexpr Grid grid() const { return {board_.size(), board_.size()}; }

  template <class Canvas>
  constexpr void observe(const State& s, Seat seat, Canvas& canvas) const {
    canvas.set(bit(s.horse[seat]));
    canvas.set(bit(s.horse[other(seat)]));
    canvas.set(s.apples);
    canvas.everywhere(player(s) == seat);
    if constexpr (kPlaces) canvas.everywhere(s.step == Step::place);
    if constexpr (kSupplies) {
      canvas.set(s.golden);
      canvas.everywhere(seat == kWhite);
      canvas.everywhere(s.brown_left);
      canvas.everywhere(s.golden_left);
    }
    if constexpr (kCarry) {
      canvas.everywhere(static_cast<int>(held(s, seat)));
      canvas.everywhere(static_cast<int>(held(s, other(seat))));
    }
  }

  // The eight symmetries of the square.
  constexpr int symmetries() const { return SquareBoard::kSymmetries; }

  constexpr State symmetric(const State& s, int k) const {
    State t = s;
    t.apples = board_.symmetric_set(s.apples, k);
    t.golden = board_.symmetric_set(s.golden, k);
    for (Seat seat : {kWhite, kBlack}) t.horse.set(seat, board_.symmetric(s.horse[seat], k));
    return t;
  }

  constexpr Action symmetric_action(Action action, int k) const {
    if (action >= 2 * squares_) return action;
    const int square = action % squares_;
    return action - square + board_.symmetric(square, k);
  }

  // Jumps, then apples.
  constexpr ActionCell action_cell(Action action) const {
    if (action >= 2 * squares_) return {};
    const int square = action % squares_;
    return {action / squares_, board_.row(square), board_.column(square)};
  }

  // Room to jump, now and a jump later, against the other's; a capture about to happen settles it.
  constexpr double evaluate(const State& s, Seat seat) const {
    if (s.ending != Ending::none) return return_of(result_of(s).winner, seat);
    const Seat next = next_to_jump(s);
    if (jumps(s, next) & bit(s.horse[other(next)])) return next == seat ? 0.95 : -0.95;
    const double own = room(s, seat), theirs = room(s, other(seat));
    const double balance = (own - theirs) / (own + theirs + 1);
    if (kClassic && s.golden != 0) return (seat == kWhite ? 0.8 : -0.8) + 0.1 * balance;
    return 0.9 * balance;
  }

  // A golden apple on the board has won for White; the rest is played for points.
  constexpr Seat settled(const State& s) const {
    return kSupplies && s.golden != 0 ? kWhite : kNobody;
  }

  // How many squares each horse can be on after one, two and three jumps; how many of White's are
  // safe from Black, who alone can capture where White moved first; and how many each has to
  // itself.
  static constexpr int kInsights = 12;

  template <class Canvas>
  constexpr void insights(const State& s, Canvas& canvas) const {
    const Bits white = bit(s.horse[kWhite]), black = bit(s.horse[kBlack]), free = empty(s);
    const Bits hunted = board_.knight_jumps(black);
    const Bits white1 = board_.knight_jumps(white) & free, black1 = hunted & free;
    const Bits after_black = board_.knight_jumps(black1);
    const Bits white2 = board_.knight_jumps(white1) & free, black2 = after_black & free;
    const Bits white3 = board_.knight_jumps(white2) & free;
    const Bits black3 = board_.knight_jumps(black2) & free;
    const Bits safe = white1 & ~(next_to_jump(s) == kWhite ? hunted : after_black);
    const Bits white_near = white1 | white2, black_near = black1 | black2;
    canvas.everywhere(count(safe));
    canvas.everywhere(count(board_.knight_jumps(safe) & free));
    canvas.everywhere(count(white1 & hunted));
    canvas.everywhere(count(white2 & ~hunted));
    for (const Bits reach : {white1, white2, white3, black1, black2, black3})
      canvas.everywhere(count(reach));
    canvas.everywhere(count(white_near & ~black_near));
    canvas.everywhere(count(black_near & ~white_near));
  }

  // -- proofs --------------------------------------------------------------------------------

  WinBounds win_bounds(const State& s, Seat attacker, int depth) const
    requires(F == Family::trail)
  {
    const Seat runner = other(attacker);
    return race_.bounds(empty(s), s.horse[attacker], s.horse[runner], s.mover == runner, depth);
  }

  // -- words ---------------------------------------------------------------------------------

  std::string_view ending(const State& s) const {
    constexpr std::string_view names[] = {"", "capture", "stuck", "golden-spent", "outlasted"};
    return names[static_cast<int>(s.ending)];
  }

  std::string text(const State&, Action action) const {
    if (action < squares_) return name(action);
    if (action < 2 * squares_) return "@" + name(action - squares_);
    return action == decline() ? "-" : "pass";
  }

  Action parse(const State&, std::string_view text) const {
    if (kSupplies && text == "-") return decline();
    if (kCarry && text == "pass") return pass();
    if (kPlaces && text.starts_with('@')) {
      const int square = board_.named(text.substr(1));
      return square < 0 ? -1 : squares_ + square;
    }
    return board_.named(text);
  }

  // "b6@d4", "@d4b6", "b6-": an '@' with its square, a bare square, or the '-'.
  std::vector<std::string> split_turn(std::string_view text) const {
    std::vector<std::string> parts;
    if (text == "pass") return {"pass"};
    while (!text.empty()) {
      const std::size_t length = std::min(text.size(), std::size_t{text[0] == '-'   ? 1u
                                                                   : text[0] == '@' ? 3u
                                                                                    : 2u});
      parts.emplace_back(text.substr(0, length));
      text.remove_prefix(length);
    }
    return parts;
  }

  std::string_view notation_help() const {
    if constexpr (!kPlaces) return "a jump is written as its square, like b6";
    if constexpr (kCarry) return "write a jump b6, an apple @d4, no apple -, or pass";
    if constexpr (kClassic) return "write a jump b6, an apple @d4, or no apple -";
    return "write a jump b6 or an apple @d4";
  }

  Refusal refusal(const State& s, Action action) const {
    if (s.ending != Ending::none) return {"over", "the game is over"};
    const std::string who = s.mover == kWhite ? "White" : "Black";
    if (action < squares_) {
      if (s.step == Step::place)
        return {"place-due", who + (kPlacesFirst ? " lays an apple before jumping"
                                                 : " has jumped: now comes the apple")};
      return jump_refusal(s, action, who);
    }
    if (kCarry && action == pass())
      return {"not-stuck", "pass is only for a Black that cannot jump"};
    if (s.step == Step::jump)
      return {"jump-due", who + (kPlacesFirst ? " has laid an apple: now comes the jump"
                                              : " jumps before laying an apple")};
    return place_refusal(s, action - squares_);
  }

  // Ranks from the top joined by '/': digits count empty squares, o brown apple, g golden apple,
  // W B horses, w b horses on an apple, X (x on an apple) where a capture happened. Then the colour
  // to move, the step where a ruleset has two, what the horses hold in carry, and in original the
  // colours of the apples under them. Supplies are not written: they follow from the board.
  std::string to_text(const State& s) const {
    std::string out = board_.text([&](int square) { return glyph(s, square); });
    out += s.mover == kWhite ? " w" : " b";
    if constexpr (kPlaces) out += s.step == Step::jump ? " jump" : " place";
    if constexpr (kCarry) {
      out += ' ';
      for (Seat seat : {kWhite, kBlack}) out += "nbg"[static_cast<int>(held(s, seat))];
    }
    if constexpr (kHollow) {
      out += ' ';
      for (Seat seat : {kWhite, kBlack}) out += contains(s.golden, s.horse[seat]) ? 'g' : 'b';
    }
    return out;
  }

  State read(std::string_view text, Violations& broken) const {
    std::vector<std::string_view> fields = split(text, ' ');
    const std::size_t wanted = 2 + kPlaces + (kCarry || kHollow);
    if (fields.size() != wanted)
      refuse_position("it has " + std::to_string(fields.size()) + " fields, not " +
                      std::to_string(wanted) + " (" + std::string(field_names()) + ")");
    State s = empty_board();
    read_board(s, fields[0]);
    s.mover = static_cast<std::uint8_t>(choose(fields[1], {"w", "b"}, "the colour to move"));
    if constexpr (kPlaces)
      s.step = static_cast<Step>(choose(fields[2], {"jump", "place"}, "the step"));
    if constexpr (kCarry) read_held(s, fields[3]);
    if constexpr (kHollow) read_under(s, fields[3]);
    if constexpr (kSupplies) count_supplies(s, broken);
    check_set_up(s, broken);
    s.ending = judge(s);
    return s;
  }

  // What every position of a game obeys; see docs/formats.md.
  void check_reachable(const State& s, Violations& broken) const {
    check_starts(s, broken);
    if constexpr (!kCarry) check_parity(s, broken);
    if constexpr (!kSupplies) check_apple_count(s, broken);
  }

  // -- pictures ------------------------------------------------------------------------------

  std::string picture(const State& s) const {
    return board_.picture([&](int square) { return glyph(s, square); }) + "\n" + caption(s);
  }

  Facts facts(const State& s) const {
    const auto supply = [&](int left) { return std::int64_t{kSupplies ? left : -1}; };
    const auto hold = [&](Seat seat) {
      constexpr const char* names[] = {"none", "brown", "golden"};
      return std::string(names[static_cast<int>(held(s, seat))]);
    };
    return {{"size", std::int64_t{board_.size()}},
            {"white", std::int64_t{s.horse[kWhite]}},
            {"black", std::int64_t{s.horse[kBlack]}},
            {"brown", members(s.apples & ~s.golden)},
            {"golden", members(s.golden)},
            {"brown_left", supply(s.brown_left)},
            {"golden_left", supply(s.golden_left)},
            {"white_holds", hold(kWhite)},
            {"black_holds", hold(kBlack)},
            {"step", std::string(s.step == Step::jump ? "jump" : "place")},
            {"to_move", std::int64_t{s.mover}}};
  }

  std::vector<Plane> planes() const {
    std::vector<Plane> all = {{"own horse", "1 where the observer's horse stands"},
                              {"other horse", "1 where the other horse stands"},
                              {"apples", "1 where an apple lies, of either colour"},
                              {"to act", "all 1 when the observer is to act"}};
    if constexpr (kPlaces)
      all.push_back({"placing", "all 1 when the action due is an apple, not a jump"});
    if constexpr (kSupplies) {
      all.push_back({"golden apples", "1 where a golden apple lies"});
      all.push_back({"white", "all 1 when the observer is White"});
      all.push_back({"brown left", "everywhere the number of brown apples in the supply", brown_});
      all.push_back(
          {"golden left", "everywhere the number of golden apples in the supply", golden_});
    }
    if constexpr (kCarry) {
      all.push_back(
          {"own load", "everywhere what the observer's horse holds: 1 brown, 2 golden", 2});
      all.push_back({"other load", "everywhere what the other horse holds: 1 brown, 2 golden", 2});
    }
    return all;
  }

 private:
  struct Result {
    Seat winner = kNobody;
    int points = 0;
  };

  static constexpr Seat other(Seat seat) { return 1 - seat; }

  static constexpr double return_of(Seat winner, Seat seat) {
    return winner == kNobody ? 0 : winner == seat ? 1 : -1;
  }

  constexpr int decline() const { return 2 * squares_; }
  constexpr int pass() const { return 2 * squares_ + 1; }

  // -- rules ---------------------------------------------------------------------------------

  static constexpr bool may_capture(Seat seat) { return kClassic ? seat == kBlack : !kCarry; }

  static constexpr bool captured(const State& s) { return s.horse[kWhite] == s.horse[kBlack]; }

  static constexpr Seat next_to_jump(const State& s) {
    return s.step == Step::place && !kPlacesFirst ? other(s.mover) : s.mover;
  }

  constexpr Bits jumps(const State& s, Seat seat) const {
    const Bits reach = knight_[s.horse[seat]];
    const Bits rival = bit(s.horse[other(seat)]);
    const Bits free = reach & ~s.apples & ~rival;
    return may_capture(seat) ? free | (reach & rival) : free;
  }

  constexpr Bits empty(const State& s) const {
    return all_ & ~s.apples & ~bit(s.horse[kWhite]) & ~bit(s.horse[kBlack]);
  }

  static constexpr bool supply_empty(const State& s) {
    return s.brown_left == 0 && s.golden_left == 0;
  }

  // Where an apple may be laid as an action of its own. With supplies, never on the only square
  // White could jump to from where White stands now.
  constexpr Bits placements(const State& s) const {
    if constexpr (!kSupplies) return empty(s);
    const Bits escapes = jumps(s, kWhite);
    return supply_empty(s) ? 0 : empty(s) & ~(single(escapes) ? escapes : 0);
  }

  constexpr void lay(State& s, int square) const {
    s.apples |= bit(square);
    if constexpr (kSupplies) {
      if (take_from_supply(s) == Held::golden) s.golden |= bit(square);
    }
  }

  static constexpr Held take_from_supply(State& s) {
    if (s.brown_left > 0) return --s.brown_left, Held::brown;
    if (s.golden_left > 0) return --s.golden_left, Held::golden;
    return Held::none;
  }

  static constexpr Held held(const State& s, Seat seat) {
    return static_cast<Held>((s.held >> (4 * seat)) & 0xf);
  }

  static constexpr void hold(State& s, Seat seat, Held apple) {
    s.held = static_cast<std::uint8_t>((s.held & (0xf0 >> (4 * seat))) |
                                       (static_cast<int>(apple) << (4 * seat)));
  }

  constexpr void jump(State& s, int to) const {
    leave_square(s, s.horse[s.mover]);
    s.horse.set(s.mover, to);
    if (captured(s)) return;  // nothing follows
    if constexpr (kHollow) lay(s, to);
    if constexpr (F == Family::free) {
      s.step = Step::place;
    } else if (kSupplies && placements(s) != 0) {
      s.step = Step::place;
    } else {
      end_turn(s);
    }
  }

  // What falls on the square a horse leaves.
  constexpr void leave_square(State& s, int from) const {
    if constexpr (F == Family::trail) {
      s.apples |= bit(from);
    } else if constexpr (kClassic && !kHollow) {
      if (!contains(s.apples, from)) lay(s, from);  // a marked start square has its apple already
    } else if constexpr (kCarry) {
      const Held dropped = held(s, s.mover);
      if (dropped != Held::none) s.apples |= bit(from);
      if (dropped == Held::golden) s.golden |= bit(from);
      hold(s, s.mover, take_from_supply(s));
    }
  }

  constexpr void end_turn(State& s) const {
    s.mover ^= 1;
    s.step = kPlacesFirst && empty(s) != 0 ? Step::place : Step::jump;
  }

  // Whether the position ends the game, and how: a capture first, then an empty golden supply,
  // then being stuck.
  constexpr Ending judge(const State& s) const {
    if (captured(s)) return Ending::capture;
    if (s.step == Step::place && !kPlacesFirst) return Ending::none;
    if (kClassic && s.golden_left == 0) return Ending::golden_spent;
    if (jumps(s, s.mover) == 0) return kCarry && s.mover == kBlack ? Ending::none : Ending::stuck;
    if (kCarry && s.mover == kWhite && supply_empty(s) && held(s, kWhite) == Held::none)
      return Ending::outlasted;
    return Ending::none;
  }

  constexpr Result result_of(const State& s) const {
    if (s.ending == Ending::none) return {};
    if constexpr (kClassic) return classic_result(s);
    if constexpr (kCarry) return {s.ending == Ending::outlasted || s.golden != 0 ? kWhite : kBlack};
    return {s.ending == Ending::capture ? Seat{s.mover} : other(s.mover)};
  }

  constexpr Result classic_result(const State& s) const {
    if (s.ending == Ending::golden_spent)
      return {kWhite, jumps(s, kWhite) != 0 ? 2 * golden_ : golden_};
    const int laid = count(s.golden);
    if (s.ending == Ending::stuck && s.mover == kBlack) {
      if constexpr (kHollow) return {kWhite, 2 * golden_};
      if (laid == 0) return {kWhite, golden_};
      return {kWhite, options_.stuck_black_doubles_golden_phase ? 2 * golden_ : laid};
    }
    if (laid > 0) return {kWhite, laid};
    return s.brown_left > 0 ? Result{kBlack, s.brown_left} : Result{};
  }

  // -- heuristic -----------------------------------------------------------------------------

  // Jumps there are now, and half as much for what could be reached by the jump after.
  constexpr double room(const State& s, Seat seat) const {
    const Bits now = knight_[s.horse[seat]] & ~s.apples;
    Bits later = 0;
    each(now, [&](int square) { later |= knight_[square] & ~s.apples; });
    return count(now) + 0.5 * count(later);
  }

  // -- set-up --------------------------------------------------------------------------------

  constexpr State empty_board() const {
    State s{};
    s.brown_left = static_cast<std::uint8_t>(brown_);
    s.golden_left = static_cast<std::uint8_t>(golden_);
    return s;
  }

  constexpr State start_with(Seat starter) const {
    State s = empty_board();
    for (Seat seat : {kWhite, kBlack}) {
      s.horse.set(seat, start_[seat]);
      if (options_.marked_starts) lay(s, start_[seat]);
      if constexpr (kCarry) hold(s, seat, take_from_supply(s));
    }
    s.mover = static_cast<std::uint8_t>(other(starter));
    end_turn(s);
    s.ending = judge(s);
    return s;
  }

  void draw_jumps() {
    for (int from = 0; from < squares_; ++from)
      for (auto [down, right] : {std::pair{1, 2}, {2, 1}, {2, -1}, {1, -2}}) {
        const int row = board_.row(from) + down, column = board_.column(from) + right;
        if (!board_.inside(row, column)) continue;
        const int to = board_.square(row, column);
        knight_[from] |= bit(to);
        knight_[to] |= bit(from);
      }
  }

  int start_square(RuleValues& rules, const char* parameter, int corner) const {
    std::string& text = std::get<std::string>(rules[parameter]);
    if (text.empty()) text = name(corner);
    const int square = board_.named(text);
    if (square < 0)
      throw std::invalid_argument(std::string(parameter) + " must be a square from a1 to " +
                                  name(board_.size() - 1) + ", not " + excerpt(text));
    text = name(square);
    return square;
  }

  void require_first_jump() const {
    for (Seat seat : {kWhite, kBlack})
      if ((seat == kWhite || starter_ != Starter::white) && start_with(seat).ending != Ending::none)
        throw std::invalid_argument(
            std::string(seat == kWhite ? "white_start " : "black_start ") + name(start_[seat]) +
            " leaves the first horse no jump; choose another square or size");
  }

  // -- refusals ------------------------------------------------------------------------------

  Refusal jump_refusal(const State& s, int to, const std::string& who) const {
    if (kCarry && jumps(s, s.mover) == 0) return {"must-pass", who + " cannot jump and must pass"};
    if (!contains(knight_[s.horse[s.mover]], to))
      return {"no-knight-jump", name(to) + " is no knight's jump from " + name(s.horse[s.mover])};
    if (to == s.horse[other(s.mover)])
      return {"no-capture", kCarry ? "a horse may not land on the other horse"
                                   : "White may not capture: Black stands on " + name(to)};
    return {"apple-there", "an apple lies on " + name(to)};
  }

  Refusal place_refusal(const State& s, int square) const {
    if (contains(s.apples, square)) return {"apple-there", "an apple lies on " + name(square)};
    if (square == s.horse[kWhite] || square == s.horse[kBlack])
      return {"horse-there", "a horse stands on " + name(square)};
    return {"last-escape", "@" + name(square) + " would take White's last escape"};
  }

  // -- squares -------------------------------------------------------------------------------

  std::string name(int square) const { return board_.name(square); }

  // -- text ----------------------------------------------------------------------------------

  static constexpr std::string_view field_names() {
    return kCarry    ? "board, colour, step, loads"
           : kHollow ? "board, colour, step, apples under the horses"
           : kPlaces ? "board, colour, step"
                     : "board, colour";
  }

  static char glyph(const State& s, int square) {
    const bool white = s.horse[kWhite] == square, black = s.horse[kBlack] == square;
    if (white || black) {
      const char horse = white && black ? 'X' : white ? 'W' : 'B';
      return contains(s.apples, square) ? static_cast<char>(std::tolower(horse)) : horse;
    }
    return contains(s.golden, square) ? 'g' : contains(s.apples, square) ? 'o' : '.';
  }

  std::string caption(const State& s) const {
    std::string out = s.mover == kWhite ? "White" : "Black";
    if (s.ending == Ending::none) {
      out += s.step == Step::place ? " to place" : " to jump";
    } else {
      const Result result = result_of(s);
      out = result.winner == kNobody  ? "Draw"
            : result.winner == kWhite ? "White wins"
                                      : "Black wins";
      if (result.points > 0) out += " " + std::to_string(result.points);
      out += " (" + std::string(ending(s)) + ")";
    }
    if constexpr (kSupplies)
      out +=
          ", brown " + std::to_string(s.brown_left) + ", golden " + std::to_string(s.golden_left);
    if constexpr (kHollow)
      for (Seat seat : {kWhite, kBlack})
        if (contains(s.golden, s.horse[seat]))
          out += seat == kWhite ? ", golden under White" : ", golden under Black";
    return out;
  }

  static int choose(std::string_view word, std::array<std::string_view, 2> choices,
                    const char* what) {
    for (int i = 0; i < 2; ++i)
      if (word == choices[static_cast<std::size_t>(i)]) return i;
    refuse_position(std::string(what) + " must be " + std::string(choices[0]) + " or " +
                    std::string(choices[1]));
  }

  void read_board(State& s, std::string_view text) const {
    int horses[2] = {0, 0};
    board_.read(text, [&](int square, char mark) { read_mark(s, mark, square, horses); });
    if (horses[kWhite] != 1 || horses[kBlack] != 1)
      refuse_position("there must be one white and one black horse");
  }

  void read_mark(State& s, char mark, int square, int* horses) const {
    const char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(mark)));
    if (mark == 'o' || mark == 'g') {
      s.apples |= bit(square);
      if (mark == 'g') s.golden |= bit(square);
      return;
    }
    if (upper != 'W' && upper != 'B' && upper != 'X')
      refuse_position("'" + excerpt({&mark, 1}) + "' is no piece; use o g W B w b X x and digits");
    if (mark != upper) s.apples |= bit(square);
    for (Seat seat : {kWhite, kBlack}) {
      if (upper != (seat == kWhite ? 'W' : 'B') && upper != 'X') continue;
      s.horse.set(seat, square);
      ++horses[seat];
    }
  }

  void read_held(State& s, std::string_view text) const {
    constexpr std::string_view letters = "nbg";
    for (Seat seat : {kWhite, kBlack}) {
      const auto at = text.size() == 2 ? letters.find(text[static_cast<std::size_t>(seat)])
                                       : std::string_view::npos;
      if (at == std::string_view::npos)
        refuse_position("the loads must be two letters out of n, b, g");
      hold(s, seat, static_cast<Held>(at));
    }
  }

  // Only a horse on an apple can have a golden one under it.
  void read_under(State& s, std::string_view text) const {
    for (Seat seat : {kWhite, kBlack}) {
      const char colour = text.size() == 2 ? text[static_cast<std::size_t>(seat)] : '?';
      if (colour != 'b' && colour != 'g')
        refuse_position("the apples under the horses must be two letters out of b, g");
      if (colour == 'g') s.golden |= bit(s.horse[seat]) & s.apples;
    }
    if (captured(s) && text[0] != text[1])
      refuse_position("both horses stand on one apple, which has one colour");
  }

  void count_supplies(State& s, Violations& broken) const {
    int brown = brown_ - count(s.apples & ~s.golden), golden = golden_ - count(s.golden);
    for (Seat seat : {kWhite, kBlack}) {
      brown -= held(s, seat) == Held::brown;
      golden -= held(s, seat) == Held::golden;
    }
    broken.add(brown < 0, "there are only " + std::to_string(brown_) + " brown apples");
    broken.add(golden < 0, "there are only " + std::to_string(golden_) + " golden apples");
    broken.add(brown > 0 && golden < golden_, "a golden apple is out while brown ones are left");
    s.brown_left = static_cast<std::uint8_t>(std::max(brown, 0));
    s.golden_left = static_cast<std::uint8_t>(std::max(golden, 0));
    const bool empty_horse = held(s, kWhite) == Held::none || held(s, kBlack) == Held::none;
    broken.add(kCarry && empty_horse && !supply_empty(s),
               "a horse is empty while the pool still has apples");
  }

  void check_set_up(const State& s, Violations& broken) const {
    const Bits horses = bit(s.horse[kWhite]) | bit(s.horse[kBlack]);
    broken.add(!kSupplies && s.golden != 0, "this ruleset has no golden apples");
    broken.add(!options_.marked_starts && (s.apples & horses) != 0, "a horse stands on an apple");
    broken.add(kHollow && (horses & ~s.apples) != 0,
               "a horse stands on no apple, but one has fallen through it");
    broken.add(captured(s) && (!may_capture(s.mover) || s.step != Step::jump),
               "the colour to move cannot have captured");
    broken.add(kPlaces && s.step == Step::place && placements(s) == 0, "no apple can be placed");
  }

  // -- what a game could hold ----------------------------------------------------------------

  std::string start_name(Seat seat) const {
    return std::string(seat == kWhite ? "White" : "Black") + "'s start square " +
           name(start_[seat]);
  }

  // A start square has its apple before, or from when, its horse leaves it; nobody comes back.
  void check_starts(const State& s, Violations& broken) const {
    if constexpr (F == Family::free) return;
    for (Seat seat : {kWhite, kBlack}) {
      const bool at_start = s.horse[seat] == start_[seat];
      broken.add((options_.marked_starts || !at_start) && !contains(s.apples, start_[seat]),
                 start_name(seat) + " has no apple");
      broken.add(!kHollow && !at_start && !captured(s) && contains(s.apples, s.horse[seat]),
                 "the horse on " + name(s.horse[seat]) + " stands on an apple away from " +
                     start_name(seat));
    }
    broken.add(!kCarry && s.horse[kWhite] == start_[kWhite] &&
                   (s.horse[kBlack] != start_[kBlack] || s.mover == kBlack),
               "White moves first, but has not left its start square");
  }

  // Every jump changes the colour of the square, and the horses take turns.
  void check_parity(const State& s, Violations& broken) const {
    const auto shade = [&](int square) { return board_.row(square) + board_.column(square); };
    int jumps = 0;
    for (Seat seat : {kWhite, kBlack}) jumps += shade(s.horse[seat]) + shade(start_[seat]);
    const bool has_jumped = captured(s) || (s.step == Step::place && !kPlacesFirst);
    broken.add((jumps + s.mover + has_jumped) % 2 != 0,
               "the horses stand on squares that they cannot have at this turn");
  }

  // Every turn lays one apple, but for a capture in free, and in free-place-first where no square
  // was left.
  void check_apple_count(const State& s, Violations& broken) const {
    if (kPlacesFirst && (captured(s) || empty(s) == 0)) return;
    const bool laid = F == Family::trail ? captured(s) : kPlacesFirst && s.step == Step::jump;
    broken.add((count(s.apples) + s.mover + laid) % 2 != 0,
               "so many apples cannot lie at this turn");
  }

  PferdeaepfelOptions options_;
  SquareBoard board_;
  int squares_;
  Bits all_ = board_.all();
  KnightRace race_;
  std::array<Bits, 64> knight_{};
  int start_[2] = {0, 0};
  int brown_ = 0, golden_ = 0;
  Starter starter_ = Starter::white;
};

// -- rulesets ----------------------------------------------------------------------------------

inline std::vector<Parameter> pferdeaepfel_parameters() {
  return {
      integer_parameter("size", 8, 3, 8, "squares along a side"),
      text_parameter("white_start", "", "White's first square; the top left corner if empty"),
      text_parameter("black_start", "", "Black's first square; the bottom right corner if empty")};
}

inline std::vector<Parameter> pferdeaepfel_parameters(int brown, int golden) {
  auto all = pferdeaepfel_parameters();
  all.push_back(integer_parameter("brown", brown, 2, 255, "brown apples at the start"));
  all.push_back(integer_parameter("golden", golden, 1, 255, "golden apples at the start"));
  return all;
}

// Adds the seven rulesets. A registry offers add<Game>(name, summary, parameters, make).
template <class Registry>
void enroll_pferdeaepfel(Registry& registry) {
  using Family = PferdeaepfelFamily;
  const auto add = [&]<Family F>(const char* name, const char* summary,
                                 std::vector<Parameter> parameters, PferdeaepfelOptions options) {
    registry.template add<Pferdeaepfel<F>>(
        std::string("pferdeaepfel/") + name, summary, std::move(parameters),
        [options](RuleValues& rules) { return Pferdeaepfel<F>(rules, options); });
  };
  auto carried = pferdeaepfel_parameters(20, 20);
  carried.push_back(choice_parameter("starter", {"random", "white", "black"}, "who moves first"));

  add.template operator()<Family::free>("free", "Jump, then lay an apple anywhere.",
                                        pferdeaepfel_parameters(), {});
  add.template operator()<Family::place_first>("free-place-first",
                                               "Lay an apple anywhere, then jump.",
                                               pferdeaepfel_parameters(), {.marked_starts = true});
  add.template operator()<Family::trail>("trail", "Every square left behind gets an apple.",
                                         pferdeaepfel_parameters(), {});
  add.template operator()<Family::classic>(
      "classic", "Black hunts White through 28 brown and 12 golden apples.",
      pferdeaepfel_parameters(28, 12), {});
  add.template operator()<Family::classic>(
      "classic-24",
      "Classic with marked start squares; a Black stuck in the golden phase costs 24.",
      pferdeaepfel_parameters(28, 12),
      {.marked_starts = true, .stuck_black_doubles_golden_phase = true});
  add.template operator()<Family::original>(
      "original", "The 1981 rules: hollow horses drop apples; a stuck Black always costs 24.",
      pferdeaepfel_parameters(28, 12), {.marked_starts = true});
  add.template operator()<Family::carry>(
      "carry", "Hollow horses carry 20 brown and 20 golden apples.", std::move(carried), {});
}

}  // namespace spielwerk
