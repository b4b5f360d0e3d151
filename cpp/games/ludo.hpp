// Ludo with capture before home: two to four colours race four pieces each around 52 squares.
//
// Decisions taken where rule sheets differ (docs/rules tells them at length):
//   turns      the die falls first, then one piece moves; passing only when none can. Another turn
//              follows a six that moved a piece and a capture, one at most (two switches).
//   sixes      a player's third six in a row, counted over turns and passes, is void: no move.
//   yard       a six, and nothing else, brings a piece out, onto its colour's start square.
//   blocks     two of one side on a square that is not safe: nobody lands there or passes, not even
//              the owners. Safe squares hold anyone and never block.
//   captures   a lone enemy on a square that is not safe goes back to its yard.
//   home       closed to a colour until it has captured; its pieces lap the track until then.
//              Reaching or passing the last home square finishes (exact_finish: reaching only).
//   ffa        the first colour to finish wins; with `ranking` the others play on for the places.
//   teams      Green and Blue against Yellow and Red. Sides block together, but each colour needs a
//              capture of its own. Who has finished moves the partner's pieces.
// A game that reaches max_plies decisions is a draw.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../arithmetic.hpp"
#include "../game.hpp"
#include "../text.hpp"

namespace spielwerk {

template <bool kTeams>
class Ludo : public GameDefaults<Ludo<kTeams>> {
 public:
  static constexpr int kColours = 4, kPieces = 4, kAll = kColours * kPieces;
  enum class Ending : std::uint8_t { none, finished, max_plies };

  // Where a piece can be: 0 .. 51 on the track, then its home column, finished, or in the yard.
  static constexpr int kTrack = 52, kHome = 52, kFinished = 57, kYard = 58, kPlaces = 59;

  struct State {
    std::uint8_t piece[kAll];      // four of seat 0, four of seat 1, …
    std::uint8_t sixes[kColours];  // by seat: consecutive sixes rolled so far, 0 .. 2
    std::uint8_t rank[kColours];   // by seat, with ranking: 1 for the first to finish, 0 not yet
    std::uint32_t plies;           // decisions taken
    std::uint8_t captured;         // bit by seat: may its pieces go home?
    std::uint8_t die;              // 0 until it has fallen
    std::uint8_t mover;            // the seat whose turn it is, or was when the game ended
    Ending ending;

    bool operator==(const State&) const = default;
  };

  // -- shape ---------------------------------------------------------------------------------

  static constexpr int kPlanes = kTeams ? 15 : 12;
  static constexpr int kMaxCells = 64;
  static constexpr int kMaskWords = 1;
  static constexpr bool kHasChance = true;
  static constexpr bool kZeroSum = kTeams;  // a lone winner among four gets +1, three lose 1 each

  // Writes the colours it settled on back into `rules`.
  explicit Ludo(RuleValues& rules)
      : again_on_six_(boolean_rule(rules, "again_on_six")),
        again_on_capture_(boolean_rule(rules, "again_on_capture")),
        exact_finish_(boolean_rule(rules, "exact_finish")),
        max_plies_(integer_rule(rules, "max_plies")) {
    if constexpr (!kTeams) {
      ranking_ = boolean_rule(rules, "ranking");
      seat_players(rules);
    }
    draw_moves();
    note_rules();
  }

  constexpr int seats() const { return seats_; }
  constexpr int side(Seat seat) const { return kTeams ? seat % 2 : seat; }
  constexpr int actions() const { return kPass + 1; }
  constexpr int max_plies() const { return max_plies_; }

  // -- play ----------------------------------------------------------------------------------

  constexpr State start(Rng&) const { return everyone_in_the_yard(); }

  constexpr Seat player(const State& s) const {
    return s.ending != Ending::none ? kNobody : s.die == 0 ? kChance : Seat{s.mover};
  }

  constexpr BitSet<kMaskWords> legal(const State& s) const {
    if (s.ending != Ending::none) return {};
    if (s.die == 0) return {{first_bits(6)}};
    const Bits pieces = movable(s);
    return {{pieces != 0 ? pieces : bit(kPass)}};
  }

  constexpr void apply(State& s, Action action) const {
    if (s.die == 0) return fall(s, action + 1);
    ++s.plies;
    bool again = false;
    if (action != kPass) {
      const Seat colour = acting(s);
      const bool captures = advance(s, colour, action);
      again = (s.die == 6 && again_on_six_) || (captures && again_on_capture_);
      if (all_finished(s, colour)) again &= note_finish(s, colour);
    }
    s.die = 0;
    if (s.ending == Ending::none && s.plies >= static_cast<std::uint32_t>(max_plies_))
      s.ending = Ending::max_plies;
    if (!again && s.ending == Ending::none) pass_the_die(s);
  }

  constexpr Action roll(const State&, Rng& rng) const { return rng.below(6); }

  // -- ends ----------------------------------------------------------------------------------

  constexpr void returns(const State& s, double* out) const {
    for (Seat seat = 0; seat < seats_; ++seat) out[seat] = return_of(s, seat);
  }

  constexpr bool truncated(const State& s) const { return s.ending == Ending::max_plies; }

  // -- learning ------------------------------------------------------------------------------

  // A row of 64: the track as the observer walks it, from its own start square (0 .. 51), then the
  // home column of the colour shown (52 .. 56), finished (57) and the yard (58). Small networks
  // read a row, not a cross with two thirds of the cells unused; a row fills one cache line; and
  // what is no place goes into the bits of one more row instead of a plane each. Colours are named
  // by where they sit, not by seat, so that two, three and four players look alike.
  static constexpr Grid grid() { return {1, kRow}; }

  // Complete but for the numbering of pieces that the observer never moves.
  template <class Canvas>
  constexpr void observe(const State& s, Seat seat, Canvas& canvas) const {
    const auto& cell = cell_[colour_[seat]];
    const auto one_by_one = [&](Seat whose) {
      for (int i = 0; i < kPieces; ++i) canvas.one(cell[s.piece[kPieces * whose + i]]);
    };
    const auto together = [&](int steps) {
      const Seat whose = seat_at_[around(colour_[seat] + steps)];
      const std::uint8_t* piece = &s.piece[kPieces * (whose < 0 ? 0 : whose)];
      canvas.few(
          whose < 0 ? 0 : kPieces, [&](int i) { return cell[piece[i]]; },
          [&](int i) { return count_up_to(piece, i); });
    };
    one_by_one(seat);
    if constexpr (kTeams) one_by_one(partner(seat));
    const Bits moving = s.die != 0 && s.mover == seat && s.ending == Ending::none ? movable(s) : 0;
    for (int i = 0; i < kPieces; ++i)
      canvas.few(
          contains(moving, i), [&](int) { return cell[move(s, acting(s), i).to]; },
          [](int) { return 1; });
    together(1);
    if constexpr (!kTeams) together(2);
    together(3);
    canvas.set(facts_row(s, seat));
  }

  // What a network of afterstates sees of each colour, by where it sits (a partner apart from an
  // opponent there), each kind counted on from its number here. Then the sixes in a row of the seat
  // that is to roll.
  static constexpr int kStages = 8, kStage = 7;          // how far on the track, in squares
  static constexpr int kHits = 3;                        // none, one, more
  static constexpr int kToGoParts = 23, kToGoPart = 10;  // how far to go, in squares
  enum ColourFeature {
    kPlaceFeature = 0,                              // of a piece, by whether it has captured
    kDoubleFeature = kPlaceFeature + 2 * kPlaces,   // two on one square
    kPlaysFeature = kDoubleFeature + kTrack,        // it is in the game
    kToRollFeature = kPlaysFeature + 1,             // it is its turn
    kYardFeature = kToRollFeature + 1,              // so many in the yard
    kFinishedFeature = kYardFeature + kPieces + 1,  // so many finished
    kToGoFeature = kFinishedFeature + kPieces + 1,  // steps to go for all four
    kDangerFeature = kToGoFeature + kToGoParts,     // what a piece can be hit by: see danger()
    kPreyFeature = kDangerFeature + 2 * kStages * kHits * kHits,  // dice that capture
    kOfColour = kPreyFeature + 2 * 2 * 7,
  };
  static constexpr int kAfterstateFeatures = (kColours + 1) * kOfColour + 3;

  template <class Visit>
  constexpr void afterstate_features(const State& s, Seat seat, Visit&& visit) const {
    const Threats threats = threats_in(s);
    for (Seat other = 0; other < seats_; ++other) {
      const bool partner = kTeams && other != seat && allied(seat, other);
      const int first = (partner ? kColours : seen_from(seat, other)) * kOfColour;
      colour_features(s, other, cell_[colour_[seat]], threats,
                      [&](int feature) { visit(first + feature); });
    }
    visit((kColours + 1) * kOfColour + s.sixes[s.mover]);
  }

  constexpr ActionPlanes action_planes(Action action) const {
    if (action >= kPieces) return {};
    return {action, (kTeams ? 2 * kPieces : kPieces) + action};
  }

  // Renumbering the pieces, every colour's alike.
  constexpr int symmetries() const { return 24; }

  constexpr State symmetric(const State& s, int k) const {
    State t = s;
    for (int i = 0; i < kAll; ++i)
      t.piece[i - i % kPieces + renumbered(i % kPieces, k)] = s.piece[i];
    return t;
  }

  constexpr Action symmetric_action(Action action, int k) const {
    return action < kPieces ? renumbered(action, k) : action;
  }

  // What a side's pieces are worth, against the average of the others: see worth().
  constexpr double evaluate(const State& s, Seat seat) const {
    if (s.ending != Ending::none) return return_of(s, seat);
    double own = 0, theirs = 0;
    int others = 0;
    for (Seat other = 0; other < seats_; ++other) {
      const double value = worth(s, other);
      if (allied(seat, other)) {
        own += value;
      } else {
        theirs += value;
        ++others;
      }
    }
    const double average = kTeams ? theirs : theirs / others;
    const double roll_in_hand = allied(seat, s.mover) ? 4 : 0;
    return squashed((own - average + roll_in_hand) / 200);
  }

  // -- words ---------------------------------------------------------------------------------

  std::string_view ending(const State& s) const {
    constexpr std::string_view names[] = {"", "finished", "max-plies"};
    return names[static_cast<int>(s.ending)];
  }

  std::vector<ChanceOutcome> outcomes(const State&) const {
    std::vector<ChanceOutcome> all;
    for (Action face = 0; face < 6; ++face) all.push_back({face, 1.0 / 6});
    return all;
  }

  std::string text(const State& s, Action action) const {
    if (player(s) == kChance) return "d" + std::to_string(action + 1);
    return action == kPass ? "pass" : std::to_string(action);
  }

  Action parse(const State& s, std::string_view text) const {
    const bool chance = player(s) == kChance;
    if (chance && text.size() == 2 && text[0] == 'd') return digit(text[1], '1', 6);
    if (chance) return -1;
    return text == "pass" ? kPass : text.size() == 1 ? digit(text[0], '0', kPieces) : -1;
  }

  std::string_view notation_help() const {
    return "write the number of a piece, 0 to 3, or pass; the die is written d1 to d6";
  }

  Refusal refusal(const State& s, Action action) const {
    if (s.ending != Ending::none) return {"over", "the game is over"};
    const Seat colour = acting(s);
    const std::string owner = colour_name(colour);
    if (action == kPass)
      return {"must-move", std::string(colour_name(s.mover)) + " can move " + owner + "'s piece " +
                               std::to_string(lowest(movable(s))) + " and may not pass"};
    return piece_refusal(s, colour, action, owner + "'s piece " + std::to_string(action));
  }

  // One field per colour in the game, "G=" or, once it has captured, "G!=", with its four pieces:
  // y yard, 0 .. 51 track, h0 .. h4 home, f finished. Then whose turn it is, the die (- before it
  // falls), the sixes in a row by colour, the decisions taken, and with ranking the colours that
  // have finished, first to last.
  std::string to_text(const State& s) const {
    std::string out;
    for (Seat seat = 0; seat < seats_; ++seat) out += colour_text(s, seat) + " ";
    out += std::string("turn=") + letter(s.mover);
    out += std::string(" die=") + (s.die == 0 ? '-' : static_cast<char>('0' + s.die));
    out += " sixes=";
    for (Seat seat = 0; seat < seats_; ++seat) out += static_cast<char>('0' + s.sixes[seat]);
    out += " plies=" + std::to_string(s.plies);
    if (ranking_) out += " order=" + order_text(s);
    return out;
  }

  State read(std::string_view text, Violations& broken) const {
    const std::vector<std::string_view> fields = split(text, ' ');
    const auto colours = static_cast<std::size_t>(seats_);
    if (fields.size() != colours + 4 + ranking_)
      refuse_position("it has " + std::to_string(fields.size()) + " fields, not " +
                      std::to_string(colours + 4 + ranking_) + " (" + field_names() + ")");
    State s = everyone_in_the_yard();
    for (Seat seat = 0; seat < seats_; ++seat)
      read_colour(s, seat, fields[static_cast<std::size_t>(seat)]);
    s.mover = static_cast<std::uint8_t>(read_turn(value_of(fields[colours], "turn=")));
    s.die = static_cast<std::uint8_t>(read_die(value_of(fields[colours + 1], "die=")));
    read_sixes(s, value_of(fields[colours + 2], "sixes="));
    s.plies = read_plies(value_of(fields[colours + 3], "plies="));
    if (ranking_) read_order(s, value_of(fields[colours + 4], "order="));
    s.ending = judge(s);
    check_set_up(s, broken);
    return s;
  }

  // What every position of a game obeys; see docs/formats.md.
  void check_reachable(const State& s, Violations& broken) const {
    const int needed = fewest_decisions(s);
    broken.add(s.plies < static_cast<std::uint32_t>(needed),
               "the pieces stand where only " + std::to_string(needed) +
                   " decisions or more can have brought them, not " + std::to_string(s.plies));
    broken.add(s.plies == 0 && s.mover != 0,
               std::string(colour_name(0)) + " moves first, but it is another's turn");
    broken.add(s.plies == 0 && s.captured != 0, "nobody can have captured yet");
  }

  // -- pictures ------------------------------------------------------------------------------

  // The cross-shaped board: G0 is Green's piece 0, 2G two green pieces, ** several colours; o is a
  // safe square, g a square of Green's home column. What every piece is doing stands below it.
  std::string picture(const State& s) const {
    std::string out;
    for (int row = 0; row < kSide; ++row) {
      std::string line;
      for (int column = 0; column < kSide; ++column) line += " " + glyph(s, row, column);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    for (Seat seat = 0; seat < seats_; ++seat) out += colour_line(s, seat) + "\n";
    return out + caption(s);
  }

  // Pieces by seat, four each: -1 yard, 0 .. 51 track, 52 .. 56 home column, 57 finished.
  Facts facts(const State& s) const {
    std::vector<std::int64_t> pieces, colours, captured, sixes, ranks;
    for (Seat seat = 0; seat < seats_; ++seat) {
      for (int i = 0; i < kPieces; ++i) {
        const int place = s.piece[kPieces * seat + i];
        pieces.push_back(place == kYard ? -1 : place);
      }
      colours.push_back(colour_[seat]);
      captured.push_back(has_captured(s, seat));
      sixes.push_back(s.sixes[seat]);
      ranks.push_back(s.rank[seat]);
    }
    return {{"colours", colours},
            {"pieces", pieces},
            {"captured", captured},
            {"sixes", sixes},
            {"ranks", ranks},
            {"die", std::int64_t{s.die}},
            {"to_move", std::int64_t{s.mover}},
            {"moves_pieces_of", std::int64_t{acting(s)}},
            {"plies", std::int64_t{s.plies}}};
  }

  std::vector<Plane> planes() const {
    std::vector<Plane> all;
    const std::string cells =
        ": cells 0-51 the track from the observer's start square on, 52-56 the home column, 57 "
        "finished, 58 the yard";
    const auto one_by_one = [&](const std::string& whose) {
      for (int i = 0; i < kPieces; ++i)
        all.push_back({whose + " piece " + std::to_string(i), "1 where this piece is" + cells});
    };
    const auto together = [&](const std::string& whose) {
      all.push_back({whose + " pieces", "how many of its pieces are here" + cells, kPieces});
    };
    one_by_one("own");
    if constexpr (kTeams) one_by_one("partner's");
    for (int i = 0; i < kPieces; ++i)
      all.push_back({"goal of piece " + std::to_string(i),
                     "1 where the observer may move this piece with the die that lies" + cells});
    together("next colour's");
    if constexpr (!kTeams) together("opposite colour's");
    together("previous colour's");
    all.push_back(
        {"facts",
         "cells 0-5 the die shows 1-6; then four cells each, for the observer, the next, the "
         "opposite and the previous colour: 6-9 its turn, 10-13 has captured, 14-17 one six in a "
         "row, 18-21 two sixes in a row, 22-25 is in the game, 26-29 finished first, 30-33 second, "
         "34-37 third; 38 again_on_six, 39 again_on_capture, 40 exact_finish, 41 ranking, 42 "
         "teams; 44-63 decisions left before max_plies, in binary, lowest bit first"});
    return all;
  }

 private:
  static constexpr Action kPass = kPieces;
  static constexpr int kNowhere = 255;
  static constexpr int kLastMain = 50;  // steps from the start square to the last one before home
  static constexpr int kRow = 64;
  static constexpr int kSide = 15;
  static constexpr Bits kSquares = first_bits(kTrack);
  static constexpr Bits kSafe =
      bit(0) | bit(8) | bit(13) | bit(21) | bit(26) | bit(34) | bit(39) | bit(47);

  // What a die does to a piece, other pieces aside.
  struct Move {
    std::uint8_t to = kNowhere;
    std::uint8_t steps = 0;  // squares of the track it sets foot on, the last included
  };

  // -- sides ---------------------------------------------------------------------------------

  static constexpr Seat partner(Seat seat) { return (seat + 2) % kColours; }
  static constexpr bool allied(Seat a, Seat b) { return kTeams ? a % 2 == b % 2 : a == b; }

  static constexpr bool has_captured(const State& s, Seat seat) {
    return contains(s.captured, seat);
  }

  static constexpr bool all_finished(const State& s, Seat seat) {
    bool all = true;
    for (int i = 0; i < kPieces; ++i) all &= s.piece[kPieces * seat + i] == kFinished;
    return all;
  }

  // Whose pieces the die moves: one's own, or the partner's once all of one's own have finished.
  static constexpr Seat acting(const State& s) {
    return kTeams && all_finished(s, s.mover) ? partner(s.mover) : Seat{s.mover};
  }

  // -- rules ---------------------------------------------------------------------------------

  constexpr void fall(State& s, int die) const {
    std::uint8_t& sixes = s.sixes[s.mover];
    sixes = die == 6 ? sixes + 1 : 0;
    s.die = static_cast<std::uint8_t>(die);
    if (sixes < 3) return;
    sixes = 0;
    s.die = 0;
    pass_the_die(s);
  }

  // The next colour in the game that has not finished; with teams nobody stops.
  constexpr void pass_the_die(State& s) const {
    do {
      s.mover = s.mover + 1 == seats_ ? 0 : s.mover + 1;
    } while (ranking_ && s.rank[s.mover] != 0);
  }

  constexpr const Move& move(const State& s, Seat colour, int i) const {
    return moves_[colour][has_captured(s, colour)][s.piece[kPieces * colour + i]][s.die - 1];
  }

  constexpr Bits movable(const State& s) const {
    const Seat colour = acting(s);
    const Bits blocked = blocks(s);
    Bits set = 0;
    for (int i = 0; i < kPieces; ++i) {
      const Move& m = move(s, colour, i);
      const Bits trodden = path_[s.piece[kPieces * colour + i]][m.steps];
      set |= Bits{m.to != kNowhere && (trodden & blocked) == 0} << i;
    }
    return set;
  }

  // Squares that are not safe and hold two pieces of one side.
  static constexpr Bits blocks(const State& s) {
    Bits one[kColours], two[kColours];
    for (Seat seat = 0; seat < kColours; ++seat) {
      const std::uint8_t* p = &s.piece[kPieces * seat];
      const Bits a = bit(p[0]), b = bit(p[1]), c = bit(p[2]), d = bit(p[3]);
      one[seat] = a | b | c | d;
      two[seat] = (a & b) | (c & d) | ((a | b) & (c | d));
    }
    Bits all = two[0] | two[1] | two[2] | two[3];
    if constexpr (kTeams) all |= (one[0] & one[2]) | (one[1] & one[3]);
    return all & kSquares & ~kSafe;
  }

  // Moves the piece and tells whether it captured.
  constexpr bool advance(State& s, Seat colour, int i) const {
    const int to = move(s, colour, i).to;
    const unsigned enemy = pieces_on(s, to) & ~side_[colour];  // read before a byte is written
    s.piece[kPieces * colour + i] = static_cast<std::uint8_t>(to);
    if (enemy == 0 || !contains(kSquares & ~kSafe, to)) return false;
    s.piece[lowest(enemy)] = kYard;
    s.captured |= static_cast<std::uint8_t>(1 << colour);
    return true;
  }

  static constexpr unsigned pieces_on(const State& s, int place) {
    unsigned set = 0;
    for (int i = 0; i < kAll; ++i) set |= unsigned{s.piece[i] == place} << i;
    return set;
  }

  // A colour has brought its last piece home. Tells whether its player may still get another turn.
  constexpr bool note_finish(State& s, Seat colour) const {
    if constexpr (kTeams) {
      if (all_finished(s, partner(colour))) s.ending = Ending::finished;
      return true;
    }
    if (ranking_) {
      s.rank[colour] = static_cast<std::uint8_t>(colours_home(s) + 1);
      if (s.rank[colour] < seats_ - 1) return false;
    }
    s.ending = Ending::finished;
    return false;
  }

  static constexpr int colours_home(const State& s) {
    int home = 0;
    for (std::uint8_t rank : s.rank) home += rank > 0;
    return home;
  }

  constexpr double return_of(const State& s, Seat seat) const {
    if (s.ending != Ending::finished) return 0;
    if (ranking_) {
      const int place = s.rank[seat] == 0 ? seats_ : s.rank[seat];
      return 1 - 2.0 * (place - 1) / (seats_ - 1);
    }
    if constexpr (kTeams) return all_finished(s, seat) && all_finished(s, partner(seat)) ? 1 : -1;
    return all_finished(s, seat) ? 1 : -1;
  }

  // -- the moves of one piece ----------------------------------------------------------------

  constexpr int start_square(Seat seat) const { return 13 * colour_[seat]; }

  constexpr int steps_from_start(Seat seat, int square) const {
    return (square - start_square(seat) + kTrack) % kTrack;
  }

  Move move_from(Seat seat, bool captured, int from, int die) const {
    if (from == kYard)
      return die == 6 ? Move{static_cast<std::uint8_t>(start_square(seat)), 0} : Move{};
    if (from == kFinished) return {};
    if (from >= kHome) return home_move(from + die, 0);
    const int walked = steps_from_start(seat, from);
    if (captured && walked + die > kLastMain)
      return home_move(kHome + walked + die - kLastMain - 1, std::max(0, kLastMain - walked));
    return {static_cast<std::uint8_t>((from + die) % kTrack), static_cast<std::uint8_t>(die)};
  }

  Move home_move(int to, int steps) const {
    if (to > kFinished && exact_finish_) return {};
    return {static_cast<std::uint8_t>(std::min(to, kFinished)), static_cast<std::uint8_t>(steps)};
  }

  // -- set-up --------------------------------------------------------------------------------

  static constexpr State everyone_in_the_yard() {
    State s{};
    for (std::uint8_t& piece : s.piece) piece = kYard;
    return s;
  }

  // `colours` decides who plays; without it the first `players` colours do.
  void seat_players(RuleValues& rules) {
    std::string& text = std::get<std::string>(rules["colours"]);
    const int players = integer_rule(rules, "players");
    const Bits chosen = text.empty() ? first_bits(players) : colours_named(text);
    if (!text.empty() && players != kColours && players != count(chosen))
      throw std::invalid_argument("players is " + std::to_string(players) + ", but colours names " +
                                  std::to_string(count(chosen)));
    seats_ = 0;
    seat_at_.fill(-1);
    std::vector<std::string> names;
    each(chosen, [&](int colour) {
      colour_[seats_] = colour;
      seat_at_[colour] = seats_++;
      names.push_back(colour_word(colour));
    });
    text = joined(names, ",");
    rules["players"] = std::int64_t{seats_};
  }

  static Bits colours_named(std::string_view text) {
    Bits chosen = 0;
    for (std::string_view word : split(text, ',')) {
      while (word.starts_with(' ')) word.remove_prefix(1);
      int colour = 0;
      while (colour < kColours && colour_word(colour) != word) ++colour;
      if (colour == kColours || contains(chosen, colour))
        throw std::invalid_argument(
            "colours must be different ones of green, yellow, blue, red, "
            "separated by commas, not " +
            excerpt(text));
      chosen |= bit(colour);
    }
    if (count(chosen) < 2) throw std::invalid_argument("colours must name at least two");
    return chosen;
  }

  void draw_moves() {
    for (Seat seat = 0; seat < seats_; ++seat) {
      for (Seat other = 0; other < kColours; ++other)
        if (allied(seat, other)) side_[seat] |= 0xfu << (kPieces * other);
      for (int from = 0; from < kPlaces; ++from)
        for (int die = 1; die <= 6; ++die)
          for (bool captured : {false, true})
            moves_[seat][captured][from][die - 1] = move_from(seat, captured, from, die);
    }
    for (int from = 0; from < kTrack; ++from)
      for (int n = 1; n <= 6; ++n) path_[from][n] = path_[from][n - 1] | bit((from + n) % kTrack);
    for (std::size_t n = 1; n < hit_.size(); ++n) hit_[n] = 1 - (1 - hit_[n - 1]) * 5 / 6;
    for (int colour = 0; colour < kColours; ++colour)
      for (int place = 0; place < kPlaces; ++place)
        cell_[colour][place] = static_cast<std::uint8_t>(
            place < kTrack ? (place - 13 * colour + kTrack) % kTrack : place);
  }

  // -- learning ------------------------------------------------------------------------------

  // Counts without reading back what was just cleared, which would stall: of several pieces on one
  // cell the last writes the full count.
  static constexpr int count_up_to(const std::uint8_t* piece, int i) {
    int here = 1;
    for (int earlier = 0; earlier < i; ++earlier) here += piece[earlier] == piece[i];
    return here;
  }

  // Unsigned, so that the remainder is one instruction.
  static constexpr int around(int colours) {
    return static_cast<int>(static_cast<unsigned>(colours) % kColours);
  }

  // 0 the observer itself, then the next, the opposite and the previous colour.
  constexpr int seen_from(Seat seat, Seat other) const {
    return around(colour_[other] - colour_[seat]);
  }

  enum FactCell {
    kDieCell = 0,
    kTurnCell = 6,
    kCapturedCell = 10,
    kSixesCell = 14,
    kPlaysCell = 22,
    kRankCell = 26,
    kRulesCell = 38,
    kLeftCell = 44,
  };

  void note_rules() {
    const bool flags[] = {again_on_six_, again_on_capture_, exact_finish_, ranking_, kTeams};
    for (int i = 0; i < 5; ++i) rule_cells_ |= Bits{flags[i]} << (kRulesCell + i);
  }

  constexpr Bits facts_row(const State& s, Seat seat) const {
    const auto left = static_cast<Bits>(max_plies_) - s.plies;
    Bits row = rule_cells_ | left << kLeftCell;
    if (s.die > 0) row |= bit(kDieCell + s.die - 1);
    for (Seat other = 0; other < seats_; ++other) {
      const int at = seen_from(seat, other);
      row |= bit(kPlaysCell + at);
      row |= Bits{has_captured(s, other)} << (kCapturedCell + at);
      row |= Bits{s.sixes[other] != 0} << (kSixesCell + at + 4 * (s.sixes[other] == 2));
      row |= Bits{s.rank[other] != 0} << (kRankCell + at + 4 * (s.rank[other] - 1));
    }
    return row | bit(kTurnCell + seen_from(seat, s.mover));
  }

  // How many dice hit each piece: of the seat that is to roll and of the others; and the dice with
  // which each seat hits something.
  struct Threats {
    std::uint8_t next[kAll], later[kAll];
    Bits dice[kColours];
  };

  constexpr Threats threats_in(const State& s) const {
    Threats found{};
    const Bits blocked = blocks(s);
    for (Seat hunter = 0; hunter < seats_; ++hunter) {
      const Bits prey = squares_held(s, ~side_[hunter]) & ~blocked & ~kSafe;
      for (int i = 0; i < kPieces; ++i) {
        const int from = s.piece[kPieces * hunter + i];
        each(path_[from][6] & prey, [&](int square) {
          const int die = (square - from + kTrack) % kTrack;
          const Move& m = moves_[hunter][has_captured(s, hunter)][from][die - 1];
          if (m.to != square || (path_[from][m.steps] & blocked) != 0) return;
          found.dice[hunter] |= bit(die);
          ++(hunter == s.mover ? found.next : found.later)[lowest(pieces_on(s, square))];
        });
      }
    }
    return found;
  }

  template <class Visit>
  constexpr void colour_features(const State& s, Seat seat,
                                 const std::array<std::uint8_t, kRow>& cell, const Threats& threats,
                                 Visit&& visit) const {
    const bool captured = has_captured(s, seat), to_roll = s.mover == seat;
    const std::uint8_t* piece = &s.piece[kPieces * seat];
    int yard = 0, finished = 0, to_go = 0;
    for (int i = 0; i < kPieces; ++i) {
      visit(kPlaceFeature + captured * kPlaces + cell[piece[i]]);
      yard += piece[i] == kYard;
      finished += piece[i] == kFinished;
      to_go += steps_to_go(seat, piece[i]);
      if (piece[i] >= kTrack) continue;
      if (count_up_to(piece, i) == 2) visit(kDoubleFeature + cell[piece[i]]);
      const int hits = danger(threats, kPieces * seat + i);
      const int stage = captured * kStages + steps_from_start(seat, piece[i]) / kStage;
      if (hits > 0) visit(kDangerFeature + stage * kHits * kHits + hits);
    }
    visit(kPlaysFeature);
    if (to_roll) visit(kToRollFeature);
    visit(kYardFeature + yard);
    visit(kFinishedFeature + finished);
    visit(kToGoFeature + to_go / kToGoPart);
    visit(kPreyFeature + (captured * 2 + to_roll) * 7 + count(threats.dice[seat]));
  }

  // From the next roll none, one or more dice; from later ones likewise.
  static constexpr int danger(const Threats& threats, int piece) {
    return kHits * std::min<int>(threats.next[piece], kHits - 1) +
           std::min<int>(threats.later[piece], kHits - 1);
  }

  constexpr int steps_to_go(Seat seat, int place) const {
    if (place == kYard) return kLastMain + 7;
    return place >= kHome ? kFinished - place : kLastMain + 6 - steps_from_start(seat, place);
  }

  // The 24 orders of four things, the given order first.
  static constexpr auto kOrders = [] {
    std::array<std::array<std::uint8_t, kPieces>, 24> all{};
    std::array<std::uint8_t, kPieces> order = {0, 1, 2, 3};
    for (auto& one : all) {
      one = order;
      std::next_permutation(order.begin(), order.end());
    }
    return all;
  }();

  static constexpr int renumbered(int i, int k) {
    return kOrders[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
  }

  // In steps of the track: how far each piece has come, more for what cannot be lost again, less
  // for what an enemy could hit with its next roll. Before the first capture a lap leads nowhere,
  // so the track counts little and prey in reach counts instead.
  constexpr double worth(const State& s, Seat seat) const {
    const bool captured = has_captured(s, seat);
    const Bits enemies = squares_held(s, ~side_[seat]), guarded = blocks(s) | kSafe;
    double total = captured ? 40 : 0;
    for (int i = 0; i < kPieces; ++i) {
      const int place = s.piece[kPieces * seat + i];
      if (place == kYard) continue;
      if (place >= kHome) {
        total += 70 + place - kHome;
        continue;
      }
      const double here = 24 + (captured ? 1.0 : 0.25) * steps_from_start(seat, place);
      const Bits behind = path_[(place + kTrack - 7) % kTrack][6], ahead = path_[place][6];
      total += here;
      total += contains(guarded, place) ? 2 : -0.8 * here * hit_[count(enemies & behind)];
      if (!captured) total += 1.5 * count(enemies & ~guarded & ahead);
    }
    return total;
  }

  static constexpr Bits squares_held(const State& s, unsigned pieces) {
    Bits held = 0;
    for (int i = 0; i < kAll; ++i) held |= Bits{contains(pieces, i)} << s.piece[i];
    return held & kSquares;
  }

  // -- refusals ------------------------------------------------------------------------------

  Refusal piece_refusal(const State& s, Seat colour, int i, const std::string& piece) const {
    const int from = s.piece[kPieces * colour + i];
    const Move& m = move(s, colour, i);
    if (from == kFinished) return {"finished", piece + " has finished"};
    if (from == kYard) return {"needs-six", piece + " leaves the yard only with a six"};
    if (m.to == kNowhere)
      return {"exact-finish", piece + " would pass the last home square: exact_finish forbids it"};
    int square = (from + 1) % kTrack;
    for (int step = 1; step < m.steps && !contains(blocks(s), square); ++step)
      square = (square + 1) % kTrack;
    return {"blocked", "a block on square " + std::to_string(square) + " stops " + piece};
  }

  // -- text ----------------------------------------------------------------------------------

  static constexpr const char* kColourNames[kColours] = {"Green", "Yellow", "Blue", "Red"};

  const char* colour_name(Seat seat) const { return kColourNames[colour_[seat]]; }
  char letter(Seat seat) const { return colour_name(seat)[0]; }

  // As rule parameters write it.
  static std::string colour_word(int colour) {
    std::string word = kColourNames[colour];
    word[0] = static_cast<char>(std::tolower(word[0]));
    return word;
  }

  static Action digit(char c, char first, int n) {
    return c >= first && c < first + n ? c - first : -1;
  }

  static std::string place_text(int place) {
    if (place == kYard) return "y";
    if (place == kFinished) return "f";
    return place >= kHome ? "h" + std::to_string(place - kHome) : std::to_string(place);
  }

  std::string colour_text(const State& s, Seat seat) const {
    std::string out{letter(seat)};
    out += has_captured(s, seat) ? "!=" : "=";
    for (int i = 0; i < kPieces; ++i)
      out += (i == 0 ? "" : ",") + place_text(s.piece[kPieces * seat + i]);
    return out;
  }

  std::string order_text(const State& s) const {
    std::string out;
    for (int rank = 1; rank <= seats_; ++rank)
      for (Seat seat = 0; seat < seats_; ++seat)
        if (s.rank[seat] == rank) out += letter(seat);
    return out.empty() ? "-" : out;
  }

  std::string field_names() const {
    std::vector<std::string> names;
    for (Seat seat = 0; seat < seats_; ++seat) names.emplace_back(colour_name(seat));
    for (const char* name : {"turn", "die", "sixes", "plies"}) names.emplace_back(name);
    if (ranking_) names.emplace_back("order");
    return joined(names, ", ");
  }

  // -- reading text --------------------------------------------------------------------------

  static std::string_view value_of(std::string_view field, std::string_view name) {
    if (!field.starts_with(name))
      refuse_position("'" + excerpt(field) + "' stands where " + std::string(name) + "… belongs");
    return field.substr(name.size());
  }

  // A whole number without sign or leading zeros, or -1.
  static int number(std::string_view text) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && value >= 0 && std::to_string(value) == text ? value : -1;
  }

  void read_colour(State& s, Seat seat, std::string_view field) const {
    const std::string name{letter(seat)};
    const bool captured = field.starts_with(name + "!");
    const auto pieces = split(value_of(field, name + (captured ? "!=" : "=")), ',');
    if (pieces.size() != kPieces)
      refuse_position(std::string(colour_name(seat)) + " has " + std::to_string(pieces.size()) +
                      " pieces, not 4");
    if (captured) s.captured |= static_cast<std::uint8_t>(1 << seat);
    for (std::size_t i = 0; i < kPieces; ++i)
      s.piece[static_cast<std::size_t>(kPieces * seat) + i] =
          static_cast<std::uint8_t>(read_place(pieces[i]));
  }

  static int read_place(std::string_view text) {
    if (text == "y") return kYard;
    if (text == "f") return kFinished;
    const bool home = text.starts_with('h');
    const int at = number(home ? text.substr(1) : text);
    if (at < 0 || at >= (home ? kFinished - kHome : kTrack))
      refuse_position("'" + excerpt(text) +
                      "' is no place for a piece; use y, 0 to 51, h0 to h4, f");
    return home ? kHome + at : at;
  }

  Seat read_turn(std::string_view text) const {
    for (Seat seat = 0; seat < seats_; ++seat)
      if (text.size() == 1 && text[0] == letter(seat)) return seat;
    refuse_position("the turn must be a colour's letter, not '" + excerpt(text) + "'");
  }

  static int read_die(std::string_view text) {
    const int face = text.size() == 1 ? digit(text[0], '1', 6) : -1;
    if (text != "-" && face < 0) refuse_position("the die must be 1 to 6, or - before it falls");
    return face + 1;
  }

  void read_sixes(State& s, std::string_view text) const {
    for (Seat seat = 0; seat < seats_; ++seat) {
      const int sixes = text.size() == static_cast<std::size_t>(seats_)
                            ? digit(text[static_cast<std::size_t>(seat)], '0', 3)
                            : -1;
      if (sixes < 0)
        refuse_position("sixes must be a digit 0 to 2 for each of the " + std::to_string(seats_) +
                        " colours");
      s.sixes[seat] = static_cast<std::uint8_t>(sixes);
    }
  }

  std::uint32_t read_plies(std::string_view text) const {
    const int plies = number(text);
    if (plies < 0 || plies > max_plies_)
      refuse_position("plies must be 0 to " + std::to_string(max_plies_));
    return static_cast<std::uint32_t>(plies);
  }

  void read_order(State& s, std::string_view text) const {
    if (text == "-") return;
    for (const char c : text) {
      const Seat seat = read_turn({&c, 1});
      if (s.rank[seat] != 0) refuse_position("the order names a colour twice");
      s.rank[seat] = static_cast<std::uint8_t>(colours_home(s) + 1);
    }
  }

  Ending judge(const State& s) const {
    int home = 0;
    for (Seat seat = 0; seat < seats_; ++seat)
      home += all_finished(s, seat) && (!kTeams || all_finished(s, partner(seat)));
    if (home >= (ranking_ ? seats_ - 1 : kTeams ? 2 : 1)) return Ending::finished;
    const bool late = s.plies >= static_cast<std::uint32_t>(max_plies_);
    return late ? Ending::max_plies : Ending::none;
  }

  void check_set_up(const State& s, Violations& broken) const {
    for (Seat seat = 0; seat < seats_; ++seat) check_home(s, seat, broken);
    each(kSquares & ~kSafe, [&](int square) { check_square(s, square, broken); });
    check_die(s, broken);
    if (ranking_) check_order(s, broken);
    check_end(s, broken);
  }

  void check_home(const State& s, Seat seat, Violations& broken) const {
    bool home = false;
    for (int i = 0; i < kPieces; ++i) {
      const int place = s.piece[kPieces * seat + i];
      home |= place >= kHome && place <= kFinished;
    }
    broken.add(home && !has_captured(s, seat),
               std::string(colour_name(seat)) + " has a piece home without having captured");
  }

  void check_square(const State& s, int square, Violations& broken) const {
    const unsigned here = pieces_on(s, square);
    if (here == 0) return;
    const Seat owner = lowest(here) / kPieces;
    broken.add((here & ~side_[owner]) != 0,
               "enemies share square " + std::to_string(square) + ", which is not safe");
    broken.add(count(here) > 2, "more than two pieces stand on square " + std::to_string(square) +
                                    ", which is not safe");
  }

  void check_die(const State& s, Violations& broken) const {
    const int sixes = s.sixes[s.mover];
    const std::string who = colour_name(s.mover);
    broken.add(s.die == 6 && sixes == 0,
               "the die shows a six that the sixes of " + who + " do not count");
    broken.add(s.die > 0 && s.die < 6 && sixes > 0,
               who + " has sixes in a row, but the die shows another number");
    broken.add(s.die > 0 && s.ending != Ending::none, "the game is over, but a die has fallen");
  }

  void check_order(const State& s, Violations& broken) const {
    bool as_finished = true;
    for (Seat seat = 0; seat < seats_; ++seat)
      as_finished &= (s.rank[seat] != 0) == all_finished(s, seat);
    broken.add(!as_finished, "the order must name the colours that have finished, and only those");
    broken.add(s.ending == Ending::none && s.rank[s.mover] != 0,
               std::string(colour_name(s.mover)) + " has finished and has no turn");
  }

  // Whoever acted last has ended the game, and nobody had before.
  void check_end(const State& s, Violations& broken) const {
    if (s.ending != Ending::finished) return;
    int sides = 0;
    for (Seat seat = 0; seat < (kTeams ? 2 : seats_); ++seat)
      sides += all_finished(s, seat) && (!kTeams || all_finished(s, partner(seat)));
    const bool last_to_finish = !ranking_ || s.rank[s.mover] == seats_ - 1;
    broken.add(sides > (ranking_ ? seats_ - 1 : 1), "more than one side has finished");
    broken.add(!all_finished(s, s.mover) || !last_to_finish,
               "the game is over, but " + std::string(colour_name(s.mover)) + " has not ended it");
  }

  // One decision brings a piece out, and each one after that at most six squares further.
  int fewest_decisions(const State& s) const {
    int decisions = 0;
    for (int i = 0; i < kPieces * seats_; ++i) {
      const int place = s.piece[i];
      if (place == kYard) continue;
      const int walked =
          place < kTrack ? steps_from_start(i / kPieces, place) : kTrack - 1 + place - kHome;
      decisions += 1 + (walked + 5) / 6;
    }
    return decisions;
  }

  // -- picture -------------------------------------------------------------------------------

  struct Cell {
    int row, column;
    bool operator==(const Cell&) const = default;
  };

  // A quarter turn clockwise around the middle of the board.
  static constexpr Cell turned(Cell cell, int quarters) {
    for (; quarters > 0; --quarters) cell = {cell.column, kSide - 1 - cell.row};
    return cell;
  }

  // Green's quarter of the track: along the arm, up the next one, and across its end.
  static constexpr Cell square_cell(int square) {
    const int n = square % 13;
    const Cell cell = n < 5 ? Cell{6, 1 + n} : n < 11 ? Cell{10 - n, 6} : Cell{0, n - 4};
    return turned(cell, square / 13);
  }

  static constexpr Cell home_cell(int colour, int at) { return turned({7, 1 + at}, colour); }

  static constexpr Cell yard_cell(int colour, int i) {
    return turned({i < 2 ? 1 : 4, i % 2 == 0 ? 1 : 4}, colour);
  }

  std::string glyph(const State& s, int row, int column) const {
    const Cell cell{row, column};
    for (int square = 0; square < kTrack; ++square)
      if (square_cell(square) == cell)
        return stack(pieces_on(s, square), contains(kSafe, square) ? "o " : ". ");
    for (int colour = 0; colour < kColours; ++colour) {
      const Seat seat = seat_at_[colour];
      const unsigned own = seat < 0 ? 0 : 0xfu << (kPieces * seat);
      for (int at = 0; at <= kFinished - kHome; ++at)
        if (home_cell(colour, at) == cell)
          return stack(pieces_on(s, kHome + at) & own, {colour_word(colour)[0], ' '});
      for (int i = 0; i < kPieces && seat >= 0; ++i)
        if (yard_cell(colour, i) == cell)
          return stack(pieces_on(s, kYard) & own & (1u << (kPieces * seat + i)), "- ");
    }
    return "  ";
  }

  std::string stack(unsigned pieces, std::string empty) const {
    if (pieces == 0) return empty;
    const int first = lowest(pieces), owner = first / kPieces;
    if (single(pieces)) return {letter(owner), static_cast<char>('0' + first % kPieces)};
    if ((pieces & ~(0xfu << (kPieces * owner))) != 0) return "**";
    return {static_cast<char>('0' + count(pieces)), letter(owner)};
  }

  std::string colour_line(const State& s, Seat seat) const {
    std::string out = colour_name(seat);
    out.resize(7, ' ');
    for (int i = 0; i < kPieces; ++i) {
      const int place = s.piece[kPieces * seat + i];
      std::string where = place == kYard ? "yard" : place == kFinished ? "done" : place_text(place);
      where.resize(4, ' ');
      out += " " + std::to_string(i) + " " + where;
    }
    return out + (has_captured(s, seat) ? " captured" : "");
  }

  std::string caption(const State& s) const {
    const std::string who = colour_name(s.mover);
    if (s.ending == Ending::max_plies) return "Draw (max-plies)";
    if (s.ending == Ending::finished && kTeams)
      return who + " and " + colour_name(partner(s.mover)) + " win (finished)";
    if (s.ending == Ending::finished && ranking_) return "Order " + order_text(s) + " (finished)";
    if (s.ending == Ending::finished) return who + " wins (finished)";
    if (s.die == 0) return who + " to roll";
    std::string out = who + " to move, die " + std::to_string(s.die);
    if (acting(s) != s.mover) out += std::string(", helping ") + colour_name(acting(s));
    return out;
  }

  bool again_on_six_, again_on_capture_, exact_finish_, ranking_ = false;
  int max_plies_;
  int seats_ = kColours;
  std::array<int, kColours> colour_ = {0, 1, 2, 3};    // by seat
  std::array<Seat, kColours> seat_at_ = {0, 1, 2, 3};  // by colour; -1 where nobody plays
  std::array<unsigned, kColours> side_{};              // by seat: its side's pieces
  Bits rule_cells_ = 0;
  std::array<std::array<std::array<std::array<Move, 6>, kPlaces>, 2>, kColours> moves_{};
  // [p][n]: the n squares of the track after place p
  std::array<std::array<Bits, 7>, kPlaces> path_{};
  std::array<double, 7> hit_{};  // [n]: how likely one of n hunters, each rolling once, hits
  std::array<std::array<std::uint8_t, kRow>, kColours> cell_{};  // by the observer's colour
};

// -- rulesets ----------------------------------------------------------------------------------

inline std::vector<Parameter> ludo_parameters() {
  return {boolean_parameter("again_on_six", true, "a six that moved a piece gives another turn"),
          boolean_parameter("again_on_capture", true, "a capture gives another turn"),
          boolean_parameter("exact_finish", false, "pieces may not pass the last home square"),
          integer_parameter("max_plies", 10'000, 1, 1'000'000,
                            "decisions after which the game is a draw")};
}

template <class Registry>
void enroll_ludo(Registry& registry) {
  std::vector<Parameter> alone = {
      integer_parameter("players", 4, 2, 4, "how many play; the first colours, if none are named"),
      text_parameter("colours", "", "who plays, out of green,yellow,blue,red")};
  for (Parameter& parameter : ludo_parameters()) alone.push_back(std::move(parameter));
  alone.push_back(boolean_parameter("ranking", false, "play on for the second and third place"));

  registry.template add<Ludo<false>>("ludo/ffa", "Two to four colours, each for itself.",
                                     std::move(alone),
                                     [](RuleValues& rules) { return Ludo<false>(rules); });
  registry.template add<Ludo<true>>("ludo/teams", "Green and Blue against Yellow and Red.",
                                    ludo_parameters(),
                                    [](RuleValues& rules) { return Ludo<true>(rules); });
}

}  // namespace spielwerk
