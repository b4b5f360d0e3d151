// DiavoloPP: lands, islands and bridges on a triangular board.
//
// Decisions taken where the rules leave room (docs/rules tells them at length):
//   lands     A turn lays two lands. Where no legal pair exists none can be begun, so the first
//             land is legal only where a second one remains.
//   groups    Lands of one colour joined by edges form a group of at most four. A group of four is
//             an island and shares no point with another own group; smaller groups may touch at
//             points.
//   bridges   A turn may instead build one bridge along an edge whose ends are corners of own
//             lands, carry no bridge yet, and with no land beside it. The fields beside it are
//             blocked from then on, but hinder no other bridge.
//   swap      The game's second turn may exchange the colours instead; Red then moves.
//   pass      Only, and always, for who can lay no pair. Red's pass ends the game; after White's
//             pass Red has one turn left.
//   score     Own bridges join the own groups at both of their ends. A joined component with m
//             islands counts 1 + 2 + ... + m. Ties: more islands, then more bridges, then a draw.
//
// Why a move is cheap: lands and bridges never leave the board, so a field once illegal for a
// colour stays illegal. Each colour's set of open fields only shrinks, and a new land can close
// fields only in its neighbourhood. For the same reason every subset of a legal board is legal, and
// the two lands of a turn may change places.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../boards/parts.hpp"
#include "../boards/triangular.hpp"
#include "../game.hpp"
#include "../island_race.hpp"
#include "../text.hpp"
#include "../win_bounds.hpp"

namespace spielwerk {

// MaxSide only sets how many words the sets have; smaller boards then move faster.
template <int MaxSide>
class Diavolo : public GameDefaults<Diavolo<MaxSide>> {
  using Board = TriangularBoard<MaxSide>;
  using FieldSet = typename Board::FieldSet;
  using EdgeSet = typename Board::EdgeSet;
  using Point = typename Board::Point;

 public:
  enum Colour : int { kWhite = 0, kRed = 1 };
  enum class Step : std::uint8_t { turn, second_land };
  enum class Ending : std::uint8_t { none, pass, last_turn };

  static constexpr int kPlanes = 27;
  static constexpr int kMaxCells = (MaxSide + 1) * (MaxSide + 1);
  static constexpr int kMaskWords = words_for(Board::kFields + Board::kEdges + 2);
  using ActionSet = BitSet<kMaskWords>;

  // The position is `lands`, `bridges` and what comes after `spoilt`; the rest follows from them
  // and is kept so that nothing is computed twice.
  struct State {
    FieldSet lands[2];  // by colour
    EdgeSet bridges[2];
    FieldSet even[2];      // the lands in groups of two or four
    FieldSet large[2];     // the lands in groups of three or four
    FieldSet open[2];      // fields where a colour could lay a land, pairs not considered
    FieldSet blocked;      // beside a bridge
    EdgeSet one_end[2];    // edges with a corner of the colour's lands at an end,
    EdgeSet both_ends[2];  // or at both
    EdgeSet spoilt;  // edges that can carry no further bridge: beside a land or at a bridge's end
    std::uint8_t mover;  // colour to move
    Step step;
    std::uint8_t swap_open;  // the second turn of the game is still to come, or has just come
    std::uint8_t last_turn;  // White has passed
    std::uint8_t exchanged;  // seat 0 plays Red
    Ending ending;
    std::uint8_t unused[2];  // keeps the end free of padding

    bool operator==(const State&) const = default;
  };

  // -- shape ---------------------------------------------------------------------------------

  explicit Diavolo(int side) : board_(&Board::of_side(side)) {
    if constexpr (kForesees) race_ = &IslandRace<MaxSide>::on(*board_);
  }

  // What the game points to and a copy of it elsewhere must point to, too.
  constexpr const Board* const& tables() const { return board_; }

  constexpr int actions() const { return pass() + 1; }
  // Every action but one swap and two passes fills a field or takes two points for a bridge.
  constexpr int max_plies() const { return board_->num_fields + board_->num_points / 2 + 3; }

  // -- play ----------------------------------------------------------------------------------

  constexpr State start(Rng&) const {
    State s = empty_board();
    s.swap_open = true;
    return s;
  }

  constexpr Seat player(const State& s) const {
    return s.ending == Ending::none ? seat_of(s, s.mover) : kNobody;
  }

  constexpr ActionSet legal(const State& s) const {
    if (s.ending != Ending::none) return {};
    ActionSet set;
    if (s.step == Step::second_land) return set.add_shifted(s.open[s.mover], 0), set;
    const FieldSet lands = first_lands(s, s.mover);
    set.add_shifted(lands, 0);
    set.add_shifted(open_bridges(s, s.mover), bridge(0));
    if (lands.empty()) set.add(pass());
    if (may_swap(s)) set.add(swap());
    return set;
  }

  constexpr void apply(State& s, Action action) const {
    const int colour = s.mover;
    if (colour == kRed) s.swap_open = false;
    if (action < bridge(0)) {
      lay_land(s, colour, action);
      if (s.step == Step::turn) {
        s.step = Step::second_land;
      } else {
        end_turn(s);
      }
    } else if (action < swap()) {
      build_bridge(s, colour, action - bridge(0));
      end_turn(s);
    } else if (action == swap()) {
      s.exchanged ^= 1;  // and Red is to move again, from the other seat
    } else {
      pass_turn(s);
    }
  }

  // -- ends ----------------------------------------------------------------------------------

  constexpr void returns(const State& s, double* out) const {
    const int winner = s.ending == Ending::none ? kNoColour : leader(s);
    for (int colour : {kWhite, kRed}) out[seat_of(s, colour)] = return_of(winner, colour);
  }

  constexpr void points(const State& s, int* out) const {
    for (int colour : {kWhite, kRed})
      out[seat_of(s, colour)] = s.ending == Ending::none ? 0 : tally(s, colour).points;
  }

  constexpr void pay_out(const State& s, double* returns, int* points) const {
    const Tally white = tally(s, kWhite), red = tally(s, kRed);
    const int winner = white > red ? kWhite : red > white ? kRed : kNoColour;
    for (int colour : {kWhite, kRed}) {
      returns[seat_of(s, colour)] = return_of(winner, colour);
      points[seat_of(s, colour)] = (colour == kWhite ? white : red).points;
    }
  }

  // -- learning ------------------------------------------------------------------------------

  // Sheared: what belongs to the point (column, row) lies in column - 1 of line row - 1, an up or
  // down field and an up field's edges at its lower left point, a down field beside its up field.
  constexpr Grid grid() const { return {board_->side + 1, board_->side + 1}; }

  static constexpr bool kMarksCells = true;

  template <class Canvas>
  constexpr void observe(const State& s, Seat seat, Canvas& canvas) const {
    const auto fields = [&](const FieldSet& set) {
      canvas.template lines<2>(board_->side, board_->side + 1, [&](int line, auto put) {
        const Bits row = board_->row_of(set, line);
        put(0, every_other<Board::kRow>(row)), put(1, every_other<Board::kRow>(row >> 1));
      });
    };
    const int own = colour_of(s, seat), other = 1 - own;
    fields(s.lands[own]), fields(s.lands[other]);
    fields(islands(s, own)), fields(islands(s, other));
    fields(s.open[own]), fields(s.open[other]);
    fields(s.blocked);
    EdgeSet bridges = s.bridges[kWhite];
    bridges |= s.bridges[kRed];
    canvas.template marked<7>(bridges, [&](int e, auto mark) {
      const auto [grid, cell] = board_->edge_place(e);
      mark(s.bridges[own].contains(e) ? grid : 3 + grid, cell);
      for (int p : board_->edge(e).points) mark(6, board_->point_cell(p));
    });
    canvas.set(board_->all_points);
    canvas.everywhere(player(s) == seat, s.step == Step::second_land, s.swap_open, s.last_turn,
                      own == kWhite);
  }

  // Three rotations, and the same after a mirror.
  constexpr int symmetries() const { return Board::kSymmetries; }

  constexpr State symmetric(const State& s, int k) const {
    State t = s;
    const auto& stone = board_->symmetric_stone[k];
    const auto move = [&](const auto& from, auto& to, int offset) {
      to = {};
      from.each([&](int i) { to.add(stone[i + offset] - offset); });
    };
    for (int colour : {kWhite, kRed}) {
      move(s.lands[colour], t.lands[colour], 0);
      move(s.even[colour], t.even[colour], 0);
      move(s.large[colour], t.large[colour], 0);
      move(s.bridges[colour], t.bridges[colour], bridge(0));
      move(s.open[colour], t.open[colour], 0);
      move(s.one_end[colour], t.one_end[colour], bridge(0));
      move(s.both_ends[colour], t.both_ends[colour], bridge(0));
    }
    move(s.spoilt, t.spoilt, bridge(0));
    move(s.blocked, t.blocked, 0);
    return t;
  }

  constexpr Action symmetric_action(Action action, int k) const {
    return action < swap() ? board_->symmetric_stone[k][action] : action;
  }

  // Up fields, down fields, and the three edges of every up field.
  constexpr ActionCell action_cell(Action action) const {
    if (action >= swap()) return {};
    const bool land = action < bridge(0);
    const int edge = action - bridge(0);
    const auto& cell = land ? board_->cell(action) : board_->edge_cell(edge);
    return {land ? cell.down : 2 + edge % 3, cell.row - 1, cell.column - 1};
  }

  // The points as they stand, groups that can still grow into islands, room for further lands, and
  // half a turn in hand, against the other's.
  constexpr double evaluate(const State& s, Seat seat) const {
    const int own = colour_of(s, seat);
    if (s.ending != Ending::none) return return_of(leader(s), own);
    double balance = prospects(s, own) - prospects(s, 1 - own);
    if (s.step == Step::second_land) balance += s.mover == own ? kHalfTurn : -kHalfTurn;
    return 0.95 * balance / ((balance < 0 ? -balance : balance) + 4);
  }

  // For each colour, seat 0's first, what it has and what it can still come to.
  static constexpr int kInsights = 20;

  template <class Canvas>
  constexpr void insights(const State& s, Canvas& canvas) const {
    Holdings of[2] = {holdings(s, colour_of(s, 0)), holdings(s, colour_of(s, 1))};
    tell_apart(of[0], of[1]);
    for (const Holdings& holdings : of)
      for (const int number : holdings) canvas.everywhere(number);
  }

  // -- proofs --------------------------------------------------------------------------------

  static constexpr bool kForesees = MaxSide <= 8;  // larger boards are beyond the solver

  // Nobody wins before the board is full, and then bridges decide, which the heuristic leaves out.
  static constexpr ProofHabits kProofHabits{.shortest_first = false, .learns_order = true};

  // What is left of a position without what follows from it. Colours count, not who plays them.
  struct Essence {
    FieldSet lands[2];
    EdgeSet bridges[2];
    std::uint8_t mover, swap_open, last_turn, attacker;
    Step step;
    std::uint8_t unused[3];
  };
  Essence essence(const State& s, Seat attacker) const {
    return {.lands = {s.lands[kWhite], s.lands[kRed]},
            .bridges = {s.bridges[kWhite], s.bridges[kRed]},
            .mover = s.mover,
            .swap_open = s.swap_open,
            .last_turn = s.last_turn,
            .attacker = static_cast<std::uint8_t>(colour_of(s, attacker)),
            .step = s.step,
            .unused = {}};
  }

  // No tally ever falls. So who cannot surpass what the other has already does not win, and who has
  // what the other cannot reach does; once it is settled who plays which colour.
  WinBounds win_bounds(const State& s, Seat attacker, int) const
    requires(kForesees)
  {
    if (s.swap_open) return {1, kNever};
    const int own = colour_of(s, attacker), other = 1 - own;
    const Tally mine = tally(s, own), theirs = tally(s, other);
    if (mine > theirs) return {1, can_reach(s, mine, other, theirs) ? kNever : max_plies()};
    const Tally more{theirs.points, theirs.islands, theirs.bridges + 1};
    return {can_reach(s, more, own, mine) ? 1 : kNever, kNever};
  }

  // -- words ---------------------------------------------------------------------------------

  std::string_view ending(const State& s) const {
    constexpr std::string_view names[] = {"", "pass", "last-turn"};
    return names[static_cast<int>(s.ending)];
  }

  std::string text(const State&, Action action) const {
    if (action < bridge(0)) return land_name(action);
    if (action < swap()) return bridge_name(action - bridge(0));
    return action == swap() ? "swap" : "pass";
  }

  Action parse(const State&, std::string_view text) const {
    if (text == "swap") return swap();
    if (text == "pass") return pass();
    return stone_of(text);
  }

  std::vector<std::string> split_turn(std::string_view text) const {
    std::vector<std::string> parts;
    for (std::string_view part : split(text, ' '))
      if (!part.empty()) parts.emplace_back(part);
    return parts;
  }

  std::string_view notation_help() const {
    return "write a land by its corners, 1,1+1,2+2,1, a bridge by its ends, 2,2-3,1, swap or pass";
  }

  Refusal refusal(const State& s, Action action) const {
    if (s.ending != Ending::none) return {"over", "the game is over"};
    if (action >= bridge(0) && s.step == Step::second_land)
      return {"second-land-due", "the turn has begun with a land: now comes the second land"};
    if (action < bridge(0)) {
      if (!s.open[s.mover].contains(action)) return land_refusal(s, s.mover, action);
      if (first_lands(s, s.mover).empty())
        return {"no-pair", colour_name(s.mover) + " can lay no two lands: bridge or pass"};
      return {"no-second-land", "after " + land_name(action) + " no second land could be laid"};
    }
    if (action < swap()) return bridge_refusal(s, s.mover, action - bridge(0));
    if (action == swap()) return {"no-swap", "swap is only for the second turn of the game"};
    return {"can-build", "pass is only for who can lay no two lands"};
  }

  // One line of clauses parted by semicolons:
  //   white LANDS BRIDGES; red LANDS BRIDGES; TURN; FLAG...
  // TURN is `white to move`, `red to move`, `over by pass` or `over after last turn`; the flags are
  // `second land due`, `swap open`, `last turn` and `seats exchanged`.
  std::string to_text(const State& s) const {
    std::string out;
    for (int colour : {kWhite, kRed}) out += stones_text(s, colour) + "; ";
    out += kTurns[s.ending == Ending::none ? s.mover : 1 + static_cast<int>(s.ending)];
    if (s.step == Step::second_land) out += "; second land due";
    if (s.swap_open) out += "; swap open";
    if (s.last_turn) out += "; last turn";
    if (s.exchanged) out += "; seats exchanged";
    return out;
  }

  // The line above, or a picture followed, if not simply White is to move, by its turn and flags.
  State read(std::string_view text, Violations& broken) const {
    State s = empty_board();
    const auto lines = filled_lines(text);
    if (lines.size() > 1) {
      read_picture(s, lines, broken);
    } else {
      read_clauses(s, lines.empty() ? text : lines[0], true, broken);
    }
    check_turn(s, broken);
    return s;
  }

  // What every position of a game obeys; see docs/formats.md.
  void check_reachable(const State& s, Violations& broken) const {
    check_pairs(s, broken);
    check_passes(s, broken);
    check_swap(s, broken);
    check_turns_taken(s, broken);
  }

  // -- pictures ------------------------------------------------------------------------------

  std::string picture(const State& s) const {
    std::vector<std::string> lines(
        static_cast<std::size_t>(6 * board_->side),
        std::string(static_cast<std::size_t>(12 * board_->side + 2), ' '));
    const auto put = [&](Spot spot, char glyph) { glyph_at(lines, spot) = glyph; };
    for (int e = 0; e < board_->num_edges; ++e) {
      const int owner = s.bridges[kWhite].contains(e) ? kWhite
                        : s.bridges[kRed].contains(e) ? kRed
                                                      : kNoColour;
      const char glyph = owner == kNoColour ? "_/\\"[e % 3] : kGlyphs[owner];
      for (const Spot& spot : edge_spots(e)) put(spot, glyph);
    }
    for (int colour : {kWhite, kRed})
      s.lands[colour].each([&](int f) {
        for (const Spot& spot : land_spots(f)) put(spot, kGlyphs[colour]);
      });
    for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
    return joined(lines, "\n");
  }

  Facts facts(const State& s) const {
    Facts all = {{"side", std::int64_t{board_->side}}};
    for (int colour : {kWhite, kRed}) {
      const std::string name = colour == kWhite ? "white" : "red";
      auto components = JoinedIslands(*this, s, colour).parts;
      each_group(s.lands[colour], s.lands[colour], [&](const Group& g) { components.join(g); });
      std::vector<std::int64_t> component_of;
      s.lands[colour].each([&](int f) { component_of.push_back(components.lowest(f)); });
      all.emplace_back(name, members(s.lands[colour]));
      all.emplace_back(name + "_islands", members(islands(s, colour)));
      all.emplace_back(name + "_bridges", members(s.bridges[colour], bridge(0)));
      all.emplace_back(name + "_components", component_of);
      all.emplace_back(name + "_points", std::int64_t{tally(s, colour).points});
    }
    all.emplace_back("blocked", members(s.blocked));
    all.emplace_back("white_seat", std::int64_t{seat_of(s, kWhite)});
    all.emplace_back("to_move", std::int64_t{seat_of(s, s.mover)});
    all.emplace_back("colour", std::string(s.mover == kWhite ? "white" : "red"));
    all.emplace_back("step", std::string(s.step == Step::turn ? "turn" : "second-land"));
    all.emplace_back("swap_open", std::int64_t{s.swap_open});
    all.emplace_back("last_turn", std::int64_t{s.last_turn});
    return all;
  }

  std::vector<Plane> planes() const {
    std::vector<Plane> all;
    const auto fields = [&](const std::string& name, const std::string& meaning) {
      all.push_back({name + ", up", "1 for each up field " + meaning});
      all.push_back({name + ", down", "1 for each down field " + meaning});
    };
    const auto edges = [&](const std::string& name, const std::string& whose) {
      all.push_back({name + ", base", "1 for each up field with a bridge of " + whose +
                                          " along its base, (c,r) to (c+1,r)"});
      all.push_back({name + ", left", "1 for each up field with a bridge of " + whose +
                                          " along its left side, (c,r) to (c,r+1)"});
      all.push_back({name + ", right", "1 for each up field with a bridge of " + whose +
                                           " along its right side, (c,r+1) to (c+1,r)"});
    };
    fields("own lands", "with a land of the observer's");
    fields("other lands", "with a land of the other's");
    fields("own islands", "that belongs to an island of the observer's");
    fields("other islands", "that belongs to an island of the other's");
    fields("own room", "where the observer could lay a land, pairs not considered");
    fields("other room", "where the other could lay a land, pairs not considered");
    fields("blocked", "beside a bridge");
    edges("own bridges", "the observer's");
    edges("other bridges", "the other's");
    all.push_back({"bridge ends", "1 for each point that carries a bridge"});
    all.push_back({"board", "1 for each point of the board"});
    all.push_back({"to act", "all 1 when the observer is to act"});
    all.push_back({"second land", "all 1 when the second land of a turn is due"});
    all.push_back({"swap", "all 1 while the game's second turn is not over"});
    all.push_back({"last turn", "all 1 when White has passed"});
    all.push_back({"white", "all 1 when the observer is White"});
    return all;
  }

 private:
  static constexpr int kNoColour = -1;
  static constexpr int kIslandSize = 4;
  static constexpr char kGlyphs[] = {'+', '*'};
  static constexpr std::string_view kTurns[] = {"white to move", "red to move", "over by pass",
                                                "over after last turn"};
  static constexpr double kHalfTurn = 0.3;

  using Group = typename Board::template Few<kIslandSize + 3>;  // the last land may join three more

  static std::string colour_name(int colour) { return colour == kWhite ? "White" : "Red"; }
  static constexpr Seat seat_of(const State& s, int colour) { return colour ^ s.exchanged; }
  static constexpr int colour_of(const State& s, Seat seat) { return seat ^ s.exchanged; }

  static constexpr double return_of(int winner, int colour) {
    return winner == kNoColour ? 0 : winner == colour ? 1 : -1;
  }

  constexpr int bridge(int edge) const { return board_->num_fields + edge; }
  constexpr int swap() const { return board_->num_fields + board_->num_edges; }
  constexpr int pass() const { return swap() + 1; }

  // -- lands ---------------------------------------------------------------------------------

  // Not inlined, like the tally: kernels would hold it many times and be slow to load.
  [[gnu::noinline]] constexpr void lay_land(State& s, int colour, int f) const {
    const auto& field = board_->field(f);
    for (int p : field.points)
      if (!is_corner(s, colour, p)) offer_bridges(s, colour, p);
    field.edges.add_to(s.spoilt);
    s.lands[colour].add(f);
    for (FieldSet& open : s.open) open.remove(f);
    close_fields(s, colour, f);
  }

  // What the new land `f` makes illegal for its own colour.
  constexpr void close_fields(State& s, int colour, int f) const {
    const Kept lands = s.lands[colour];
    FieldSet& open = s.open[colour];
    const Group group = group_of(lands, f);
    note_size(s, colour, group);
    if (group.size() == kIslandSize) {
      group.each([&](int m) { board_->field(m).around.remove_from(open); });
      return;
    }
    const auto& around = board_->field(f).around;
    FieldSet doubtful;
    around.add_to(doubtful, open);
    add_open_beside(doubtful, open, group);
    for (auto others = around.in(lands).without(group); !others.empty();) {
      const Group other = group_of(lands, others.any());
      add_open_beside(doubtful, open, other);
      others = others.without(other);
    }
    const Groups groups{lands, s.even[colour], s.large[colour]};
    FieldSet closed;
    doubtful.each([&](int g) {
      if (!fits(groups, g)) closed.add(g);
    });
    open = open.without(closed);
  }

  // What tells how large the groups of a colour are. Single words are copied, so that they can stay in
  // registers while other things change.
  using Kept = std::conditional_t<words_for(Board::kFields) == 1, FieldSet, const FieldSet&>;
  struct Groups {
    Kept lands, even, large;
  };

  static constexpr void note_size(State& s, int colour, const Group& group) {
    group.remove_from(s.even[colour]);
    if (group.size() % 2 == 0) group.add_to(s.even[colour]);
    if (group.size() > 2) group.add_to(s.large[colour]);
  }

  static constexpr FieldSet islands(const State& s, int colour) {
    return s.even[colour].in(s.large[colour]);
  }

  constexpr void add_open_beside(FieldSet& set, const FieldSet& open, const Group& group) const {
    group.each([&](int m) { board_->field(m).beside.add_to(set, open); });
  }

  // Whether a land on a free field makes a group of at most four, and no island that shares a point
  // with another group.
  constexpr bool fits(const Groups& groups, int f) const {
    const int size = size_with(groups, f);
    if (size != kIslandSize) return size < kIslandSize;
    return !touches(groups.lands, group_of(groups.lands, f));
  }

  // How large a group a land on a free field makes. No group is beside it twice: that would take five
  // lands around a point.
  constexpr int size_with(const Groups& groups, int f) const {
    const auto& beside = board_->field(f).beside;
    return 1 + beside.count_in(groups.lands) + beside.count_in(groups.even) +
           2 * beside.count_in(groups.large);
  }

  constexpr bool touches(const FieldSet& lands, const Group& group) const {
    bool found = false;
    group.each([&](int m) { found = found || board_->field(m).around.meets(lands, group); });
    return found;
  }

  // A field and the lands joined to it by edges, but of more than four not all: then it is too large.
  constexpr Group group_of(const FieldSet& lands, int f) const {
    Group group;
    group.add(f);
    group.each_even_new([&](int m) {
      if (group.size() <= kIslandSize) group.add(board_->field(m).beside, lands);
    });
    return group;
  }

  // Calls visit(group) for the groups that have any of these lands.
  template <class Visit>
  constexpr void each_group(const FieldSet& lands, FieldSet some, Visit&& visit) const {
    while (!some.empty()) {
      const Group group = group_of(lands, some.lowest());
      group.remove_from(some);
      visit(group);
    }
  }

  // The lands of one colour with a corner at an end of this edge.
  using LandsAtEnds = typename Board::template Few<12>;
  constexpr LandsAtEnds lands_at_ends(const FieldSet& lands, int e) const {
    LandsAtEnds ends;
    for (int p : board_->edge(e).points) ends.add(board_->corner(p).fields, lands);
    return ends;
  }

  // The groups they belong to. At a point there are at most three.
  using GroupsAtEnds = typename Board::template Few<6 * kIslandSize>;
  constexpr GroupsAtEnds groups_at(const FieldSet& lands, int e) const {
    GroupsAtEnds groups;
    groups.add(lands_at_ends(lands, e), lands);
    groups.each_even_new([&](int m) { groups.add(board_->field(m).beside, lands); });
    return groups;
  }

  // The open fields after which another one is still open. Fields out of each other's reach always
  // make a pair, so only crowded boards are looked at closely; and a pair is one both ways.
  constexpr FieldSet first_lands(const State& s, int colour) const {
    const FieldSet& open = s.open[colour];
    if (open.count() > board_->largest_reach) return open;
    FieldSet paired, possible = open;
    for (FieldSet left = open; !left.empty(); left = left.without(paired)) {
      const int f = left.lowest();
      left.remove(f), possible.remove(f);
      FieldSet partners = possible.without(board_->reach[f]);
      if (partners.empty()) partners = near_partner(s.lands[colour], possible, f);
      if (partners.empty()) continue;
      possible.add(f);
      paired.add(f);
      paired |= partners;
    }
    return paired;
  }

  // What an open field would bring: the group of a land there, and the fields that share a point
  // with that group.
  struct Prospect {
    int field;
    Group group;
    FieldSet around;
  };

  constexpr Prospect prospect(const FieldSet& lands, int f) const {
    Prospect found{f, group_of(lands, f), {}};
    found.group.each([&](int m) { board_->field(m).around.add_to(found.around); });
    return found;
  }

  // One of these fields that makes a pair with `f`, if there is any: those that do not even touch its
  // group come first.
  constexpr FieldSet near_partner(const FieldSet& lands, const FieldSet& fields, int f) const {
    const Prospect own = prospect(lands, f);
    FieldSet partner = first_partner(lands, fields.without(own.around), own);
    if (partner.empty()) partner = first_partner(lands, fields.in(own.around), own);
    return partner;
  }

  constexpr FieldSet first_partner(const FieldSet& lands, FieldSet fields,
                                   const Prospect& own) const {
    FieldSet partner;
    while (!fields.empty() && partner.empty()) {
      const int g = fields.lowest();
      fields.remove(g);
      if (are_pair(lands, own, prospect(lands, g))) partner.add(g);
    }
    return partner;
  }

  // Whether two fields, each open by itself, still are when a land lies on the other.
  constexpr bool are_pair(const FieldSet& lands, const Prospect& one, const Prospect& other) const {
    if (!other.group.meets(one.around)) return true;
    const Group rest = other.group.without(one.group);
    const bool share_lands = rest.size() < other.group.size();
    if (!share_lands && !board_->field(one.field).beside.contains(other.field))
      return one.group.size() < kIslandSize && other.group.size() < kIslandSize;
    const int size = one.group.size() + rest.size();
    if (size != kIslandSize) return size < kIslandSize;
    FieldSet around = one.around;
    around |= other.around;
    one.group.remove_from(around);
    other.group.remove_from(around);
    return !around.meets(lands);
  }

  // -- bridges -------------------------------------------------------------------------------

  constexpr bool is_corner(const State& s, int colour, int p) const {
    return board_->corner(p).fields.meets(s.lands[colour]);
  }

  // The point becomes a corner of the colour.
  constexpr void offer_bridges(State& s, int colour, int p) const {
    const auto& edges = board_->corner(p).edges;
    edges.add_to(s.both_ends[colour], s.one_end[colour]);
    edges.add_to(s.one_end[colour]);
  }

  static constexpr EdgeSet open_bridges(const State& s, int colour) {
    return s.both_ends[colour].without(s.spoilt);
  }

  [[gnu::noinline]] constexpr void build_bridge(State& s, int colour, int e) const {
    s.bridges[colour].add(e);
    for (int p : board_->edge(e).points) board_->corner(p).edges.add_to(s.spoilt);
    for (FieldSet& open : s.open) board_->edge(e).fields.remove_from(open);
    board_->edge(e).fields.add_to(s.blocked);
  }

  // -- turns ---------------------------------------------------------------------------------

  constexpr State empty_board() const {
    State s{};
    for (FieldSet& open : s.open) open = board_->all_fields;
    return s;
  }

  static constexpr bool may_swap(const State& s) {
    return s.swap_open && s.mover == kRed && s.step == Step::turn;
  }

  static constexpr void end_turn(State& s) {
    s.step = Step::turn;
    if (s.last_turn) {
      finish(s, Ending::last_turn);
    } else {
      s.mover ^= 1;
    }
  }

  static constexpr void pass_turn(State& s) {
    if (s.mover == kRed) return finish(s, Ending::pass);
    s.last_turn = true;
    s.swap_open = false;
    s.mover = kRed;
  }

  static constexpr void finish(State& s, Ending ending) {
    s.ending = ending;
    s.last_turn = false;
  }

  // -- score ---------------------------------------------------------------------------------

  struct Tally {
    int points, islands, bridges;
    auto operator<=>(const Tally&) const = default;
  };

  // The groups of one colour as its bridges join them, those that are islands or carry a bridge, and
  // what joining more islands would bring: m of them count 1 + 2 + ... + m. Built where it is used:
  // compilers for GPUs would copy what a function returns.
  struct JoinedIslands {
    using Joined = Parts<words_for(Board::kFields), Board::kFields>;

    const Diavolo& game;
    const FieldSet& lands;
    Joined parts;  // with the lands of islands marked

    constexpr JoinedIslands(const Diavolo& game, const State& s, int colour)
        : game(game), lands(s.lands[colour]), parts(lands, islands(s, colour)) {
      game.each_group(lands, islands(s, colour), [&](const Group& g) { parts.join(g); });
      s.bridges[colour].each([&](int e) { parts.join(game.groups_at(lands, e)); });
    }

    static constexpr int worth(int lands) {
      const int islands = lands / kIslandSize;
      return islands * (islands + 1) / 2;
    }

    constexpr int points() const {
      int sum = 0;
      parts.each([&](int lands) { sum += worth(lands); });
      return sum;
    }

    constexpr int most() const {
      int most = 0;
      parts.each([&](int lands) { most = std::max(most, lands); });
      return most / kIslandSize;
    }

    // Points that a bridge here would bring at once.
    constexpr int gain(int e) const {
      int all = 0, apart = 0;
      parts.each_of(game.lands_at_ends(lands, e), [&](int lands) {
        all += lands;
        apart += worth(lands);
      });
      return worth(all) - apart;
    }
  };

  [[gnu::noinline]] constexpr Tally tally(const State& s, int colour) const {
    Tally result{0, islands(s, colour).count() / kIslandSize, s.bridges[colour].count()};
    if (result.bridges == 0 || result.islands < 2) {
      result.points = result.islands;
      return result;
    }
    result.points = JoinedIslands(*this, s, colour).points();
    return result;
  }

  constexpr int leader(const State& s) const {
    const Tally white = tally(s, kWhite), red = tally(s, kRed);
    return white > red ? kWhite : red > white ? kRed : kNoColour;
  }

  // -- foresight -----------------------------------------------------------------------------

  bool can_reach(const State& s, const Tally& goal, int colour, const Tally& now) const {
    return race_->can_reach(goal, now, {s.lands[colour].words[0], s.open[colour].words[0]},
                            s.spoilt);
  }

  // -- heuristic -----------------------------------------------------------------------------

  constexpr double prospects(const State& s, int colour) const {
    double value = tally(s, colour).points;
    s.lands[colour].without(islands(s, colour)).each([&](int f) {
      const Group group = group_of(s.lands[colour], f);
      if (can_grow(s, colour, group)) value += promise(group.size()) / group.size();
    });
    return value + 0.02 * s.open[colour].count();
  }

  // What a group that can still grow is worth by its size.
  static constexpr double promise(int size) { return size == 1 ? 0.1 : size == 2 ? 0.3 : 0.6; }

  constexpr bool can_grow(const State& s, int colour, const Group& group) const {
    bool grows = false;
    group.each([&](int m) { grows = grows || board_->field(m).beside.meets(s.open[colour]); });
    return grows;
  }

  // -- insights ------------------------------------------------------------------------------

  // What a colour has and can come to: points, islands, how many of them are joined at most; groups
  // of three, two and one that can still grow; lands and bridges that could be built, bridges that
  // would join islands, and the points the best of these brings. Lands by fours: there are many.
  using Holdings = std::array<int, kInsights / 2>;

  constexpr Holdings holdings(const State& s, int colour) const {
    const int built = islands(s, colour).count() / kIslandSize;
    const EdgeSet bridges = open_bridges(s, colour);
    int points = built, most = std::min(built, 1), joining = 0, best = 0;
    if (built > 1) {
      const JoinedIslands linked(*this, s, colour);
      points = linked.points();
      most = linked.most();
      bridges.each([&](int e) {
        const int gain = linked.gain(e);
        joining += gain > 0, best = std::max(best, gain);
      });
    }
    const auto [threes, twos, ones] = growing_groups(s, colour);
    const int lands = (s.open[colour].count() + 3) / 4;
    return {points, built, most, threes, twos, ones, lands, bridges.count(), joining, best};
  }

  // Where a colour has more than this, which is rare up to side 12, only how much more it has than
  // the other is told: so what is learnt on small boards holds on large ones.
  static constexpr Holdings kToldAtMost = {27, 9, 6, 3, 5, 9, 32, 21, 9, 8};

  static constexpr void tell_apart(Holdings& one, Holdings& other) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      const int beyond = std::max(0, std::max(one[i], other[i]) - kToldAtMost[i]);
      one[i] = std::max(0, one[i] - beyond), other[i] = std::max(0, other[i] - beyond);
    }
  }

  // How many groups of three, two and one can still grow.
  constexpr std::array<int, 3> growing_groups(const State& s, int colour) const {
    std::array<int, 3> groups{};
    const FieldSet& lands = s.lands[colour];
    each_group(lands, lands.without(islands(s, colour)),
               [&](const Group& group) { groups[3 - group.size()] += can_grow(s, colour, group); });
    return groups;
  }

  // -- refusals ------------------------------------------------------------------------------

  Refusal land_refusal(const State& s, int colour, int f) const {
    const std::string name = land_name(f);
    for (int owner : {kWhite, kRed})
      if (s.lands[owner].contains(f))
        return {"land-there", colour_name(owner) + " has a land on " + name};
    for (int owner : {kWhite, kRed})
      if (const auto bridges = board_->field(f).edges.in(s.bridges[owner]); !bridges.empty())
        return {"field-blocked", name + " is blocked by the bridge " + bridge_name(bridges.any())};
    if (group_of(s.lands[colour], f).size() > kIslandSize)
      return {"group-too-large", name + " would join more than four lands"};
    if (board_->field(f).around.meets(islands(s, colour)))
      return {"touches-island", name + " would touch an island of its own colour"};
    return {"island-touches",
            name + " would make an island that touches another group of its own colour"};
  }

  Refusal bridge_refusal(const State& s, int colour, int e) const {
    const std::string name = bridge_name(e);
    for (const EdgeSet& bridges : s.bridges)
      if (bridges.contains(e)) return {"bridge-there", "there is a bridge " + name + " already"};
    for (int p : board_->edge(e).points) {
      if (!is_corner(s, colour, p))
        return {"no-land-at-end",
                colour_name(colour) + " has no land with the corner " + point_name(p)};
      for (const EdgeSet& bridges : s.bridges)
        if (board_->corner(p).edges.meets(bridges))
          return {"end-taken", point_name(p) + " carries a bridge already"};
    }
    return {"land-beside", "a land lies beside " + name};
  }

  // -- names ---------------------------------------------------------------------------------

  std::string point_name(int p) const {
    const Point& point = board_->point(p);
    return std::to_string(point.column) + "," + std::to_string(point.row);
  }

  template <class Points>
  std::string points_name(const Points& points, char separator) const {
    std::string out;
    for (int p : points) out += (out.empty() ? "" : std::string(1, separator)) + point_name(p);
    return out;
  }

  // Corners and ends are stored in the order in which they are written.
  std::string land_name(int f) const { return points_name(board_->field(f).points, '+'); }
  std::string bridge_name(int e) const { return points_name(board_->edge(e).points, '-'); }

  static int number_of(std::string_view text) {
    const bool plain = !text.empty() && text.size() <= 2 && text[0] != '0' &&
                       text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!plain) return 0;
    return text.size() == 1 ? text[0] - '0' : 10 * (text[0] - '0') + text[1] - '0';
  }

  // The points written with this separator; empty unless there are N, all on the board.
  template <std::size_t N>
  bool read_points(std::string_view text, char separator, std::array<Point, N>& points) const {
    const auto parts = split(text, separator);
    if (parts.size() != N) return false;
    for (std::size_t i = 0; i < N; ++i) {
      const auto numbers = split(parts[i], ',');
      if (numbers.size() != 2) return false;
      points[i] = {number_of(numbers[0]), number_of(numbers[1])};
      if (!board_->inside(points[i])) return false;
    }
    return true;
  }

  // The action that builds this land or bridge, or -1.
  int stone_of(std::string_view text) const {
    std::array<Point, 3> corners;
    if (read_points(text, '+', corners)) return board_->field_with(corners);
    std::array<Point, 2> ends;
    const int e = read_points(text, '-', ends) ? board_->edge_with(ends) : -1;
    return e < 0 ? -1 : bridge(e);
  }

  // -- positions as text -----------------------------------------------------------------------

  std::string stones_text(const State& s, int colour) const {
    std::string out = colour == kWhite ? "white" : "red";
    s.lands[colour].each([&](int f) { out += " " + land_name(f); });
    s.bridges[colour].each([&](int e) { out += " " + bridge_name(e); });
    return out;
  }

  static std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
  }

  void read_clauses(State& s, std::string_view text, bool with_stones, Violations& broken) const {
    bool turn_seen = false, stones_seen[2] = {false, false};
    std::vector<int> bridges[2];
    for (std::string_view part : split(text, ';')) {
      const std::string_view clause = trimmed(part);
      if (read_turn(s, clause)) {
        if (std::exchange(turn_seen, true)) refuse_position("it says twice whose turn it is");
      } else if (!read_flag(s, clause)) {
        const int colour = clause.starts_with("white") ? kWhite : kRed;
        const std::size_t name = colour == kWhite ? 5 : 3;
        const bool stones = clause.starts_with(colour == kWhite ? "white" : "red") &&
                            (clause.size() == name || clause[name] == ' ');
        if (!with_stones || !stones)
          refuse_position("'" + excerpt(clause) + "' is none of: " +
                          (with_stones ? "white ..., red ..., " : "") + std::string(kClauses));
        if (std::exchange(stones_seen[colour], true))
          refuse_position("it lists " + colour_name(colour) + "'s stones twice");
        read_stones(s, colour, clause.substr(name), bridges[colour], broken);
      }
    }
    for (int colour : {kWhite, kRed}) set_up_bridges(s, colour, bridges[colour], broken);
    if (!turn_seen) refuse_position("it does not say whose turn it is, like 'red to move'");
  }

  static constexpr std::string_view kClauses =
      "white to move, red to move, over by pass, over after last turn, second land due, swap open, "
      "last turn, seats exchanged";

  static bool read_turn(State& s, std::string_view clause) {
    for (int turn = 0; turn < 4; ++turn)
      if (clause == kTurns[turn]) {
        s.mover = turn == 0 ? kWhite : kRed;
        s.ending = turn < 2 ? Ending::none : static_cast<Ending>(turn - 1);
        return true;
      }
    return false;
  }

  static bool read_flag(State& s, std::string_view clause) {
    if (clause == "second land due") return s.step = Step::second_land, true;
    if (clause == "swap open") return s.swap_open = true, true;
    if (clause == "last turn") return s.last_turn = true, true;
    if (clause == "seats exchanged") return s.exchanged = true, true;
    return false;
  }

  void read_stones(State& s, int colour, std::string_view text, std::vector<int>& bridges,
                   Violations& broken) const {
    for (std::string_view name : split(text, ' ')) {
      if (name.empty()) continue;
      const int stone = stone_of(name);
      if (stone < 0)
        refuse_position("'" + excerpt(name) +
                        "' is no land like 1,1+1,2+2,1 and no bridge like 1,2-2,1 on side " +
                        std::to_string(board_->side));
      if (stone < bridge(0)) {
        set_up_land(s, colour, stone, broken);
      } else {
        bridges.push_back(stone - bridge(0));
      }
    }
  }

  // Every part of a legal board is legal, so the order does not matter; lands come before bridges.
  void set_up_land(State& s, int colour, int f, Violations& broken) const {
    if (s.open[colour].contains(f)) return lay_land(s, colour, f);
    broken.add(true, land_refusal(s, colour, f).reason);
  }

  void set_up_bridges(State& s, int colour, const std::vector<int>& bridges,
                      Violations& broken) const {
    for (int e : bridges) {
      if (open_bridges(s, colour).contains(e)) {
        build_bridge(s, colour, e);
      } else {
        broken.add(true, bridge_refusal(s, colour, e).reason);
      }
    }
  }

  void check_turn(const State& s, Violations& broken) const {
    const bool half = s.step == Step::second_land;
    broken.add(s.ending != Ending::none && (half || s.swap_open || s.last_turn),
               "a game that is over has no second land due, swap open or last turn");
    broken.add(half && s.lands[s.mover].empty(), "a second land is due, but the first is missing");
    broken.add(half && s.open[s.mover].empty(), "a second land is due, but none is possible");
    broken.add(s.swap_open && s.mover == kRed && half,
               "Red has begun to build: the swap is no longer open");
    broken.add(s.last_turn && s.mover == kWhite, "only Red has a last turn");
    broken.add(s.last_turn && s.swap_open, "White has passed: the swap is not open");
  }

  // -- what a game could hold ------------------------------------------------------------------

  // Lands are laid two by two; the first of a pair stands alone while its second is due.
  void check_pairs(const State& s, Violations& broken) const {
    for (int colour : {kWhite, kRed}) {
      const bool half = s.step == Step::second_land && s.mover == colour;
      broken.add(s.lands[colour].count() % 2 != half,
                 colour_name(colour) + "'s lands must be " + (half ? "odd" : "even") +
                     " in number, not " + std::to_string(s.lands[colour].count()));
    }
  }

  // Fields once closed stay closed, so who had no pair has none now.
  void check_passes(const State& s, Violations& broken) const {
    broken.add(s.ending == Ending::pass && !first_lands(s, kRed).empty(),
               "Red cannot have passed: it could lay two lands");
    broken.add((s.last_turn || s.ending == Ending::last_turn) && !first_lands(s, kWhite).empty(),
               "White cannot have passed: it could lay two lands");
  }

  void check_swap(const State& s, Violations& broken) const {
    const int first_turn = s.mover == kRed ? 2 : s.step == Step::second_land ? 1 : 0;
    const bool second_turn = s.lands[kWhite].count() == first_turn && s.lands[kRed].empty() &&
                             s.bridges[kWhite].empty() && s.bridges[kRed].empty();
    broken.add(s.swap_open && (!second_turn || s.exchanged),
               "the swap is open only until the second turn of the game");
    broken.add(
        !s.swap_open && s.mover == kWhite && s.lands[kRed].empty() && s.bridges[kRed].empty(),
        "Red has not moved yet, so the swap is open");
    broken.add(s.exchanged && s.lands[kWhite].empty(), "nothing has been laid that one could swap");
  }

  // The colours take turns, White first; a turn is two lands or a bridge. White's only pass comes
  // before Red's last turn, and a pass of Red's ends the game.
  void check_turns_taken(const State& s, Violations& broken) const {
    const auto turns = [&](int colour) {
      return s.lands[colour].count() / 2 + s.bridges[colour].count();
    };
    const int lead = turns(kWhite) - turns(kRed);
    const bool passed =
        s.last_turn || (s.ending == Ending::pass && lead == 0 && first_lands(s, kWhite).empty());
    const int expected = s.ending == Ending::last_turn ? -1 : s.mover == kRed && !passed ? 1 : 0;
    broken.add(lead != expected, "White has built in " + std::to_string(turns(kWhite)) +
                                     " turns and Red in " + std::to_string(turns(kRed)) +
                                     ", which cannot be now");
  }

  // -- the picture -----------------------------------------------------------------------------

  struct Spot {
    int line, column;
  };

  static char& glyph_at(std::vector<std::string>& lines, Spot spot) {
    return lines[static_cast<std::size_t>(spot.line)][static_cast<std::size_t>(spot.column)];
  }

  // The top line and left column of the box around an up field; its down field stands to the right.
  Spot box(const typename Board::Cell& cell) const {
    return {6 * (board_->side - cell.row), 12 * cell.column + 6 * cell.row - 16};
  }

  std::vector<Spot> land_spots(int f) const {
    const auto [top, left] = box(board_->cell(f));
    if (board_->cell(f).down)
      return {{top + 1, left + 10}, {top + 1, left + 11}, {top + 1, left + 12},
              {top + 1, left + 13}, {top + 2, left + 11}, {top + 2, left + 12}};
    return {{top + 3, left + 5}, {top + 3, left + 6}, {top + 4, left + 4},
            {top + 4, left + 5}, {top + 4, left + 6}, {top + 4, left + 7}};
  }

  std::vector<Spot> edge_spots(int e) const {
    const auto [top, left] = box(board_->edge_cell(e));
    std::vector<Spot> spots;
    if (e % 3 == 0)
      for (int i = 1; i <= 10; ++i) spots.push_back({top + 5, left + i});
    for (int i = 0; i < 6 && e % 3 != 0; ++i)
      spots.push_back({top + i, e % 3 == 1 ? left + 5 - i : left + 6 + i});
    return spots;
  }

  static std::vector<std::string_view> filled_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::string_view line : split(text, '\n'))
      if (!trimmed(line).empty())
        lines.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    return lines;
  }

  // Reads one character for each field and edge, then compares with the picture of what it read.
  void read_picture(State& s, std::vector<std::string_view> lines, Violations& broken) const {
    const auto height = static_cast<std::size_t>(6 * board_->side);
    if (lines.size() != height && lines.size() != height + 1)
      refuse_position("a picture of side " + std::to_string(board_->side) + " has " +
                      std::to_string(height) + " lines and at most one more for the turn, not " +
                      std::to_string(lines.size()));
    if (lines.size() > height) read_clauses(s, lines[height], false, broken);
    lines.resize(height);
    const auto aligned = align(lines);
    read_glyphs(s, aligned, broken);
    if (broken.all.empty()) compare_picture(s, aligned);
  }

  // A picture that was moved sideways as a whole, put back: its lower left corner is in column 2.
  static std::vector<std::string> align(const std::vector<std::string_view>& lines) {
    const std::size_t corner = lines.back().find_first_not_of(' ');
    std::vector<std::string> aligned;
    for (std::string_view line : lines) {
      const std::size_t blanks = std::min(corner, line.find_first_not_of(' '));
      aligned.push_back("  " + std::string(line.substr(blanks)));
    }
    return aligned;
  }

  void read_glyphs(State& s, const std::vector<std::string>& lines, Violations& broken) const {
    const auto owner = [&](Spot spot) {
      const auto& line = lines[static_cast<std::size_t>(spot.line)];
      const auto column = static_cast<std::size_t>(spot.column);
      const char glyph = column < line.size() ? line[column] : ' ';
      return glyph == kGlyphs[kWhite] ? kWhite : glyph == kGlyphs[kRed] ? kRed : kNoColour;
    };
    for (int f = 0; f < board_->num_fields; ++f)
      if (const int colour = owner(land_spots(f)[1]); colour != kNoColour)
        set_up_land(s, colour, f, broken);
    for (int e = 0; e < board_->num_edges; ++e)
      if (const int colour = owner(edge_spots(e)[2]); colour != kNoColour)
        set_up_bridges(s, colour, {e}, broken);
  }

  void compare_picture(const State& s, const std::vector<std::string>& lines) const {
    const std::string whole = picture(s);
    const auto wanted = split(whole, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i] == wanted[i]) continue;
      std::size_t column = 0;
      while (column < lines[i].size() && column < wanted[i].size() &&
             lines[i][column] == wanted[i][column])
        ++column;
      refuse_position("line " + std::to_string(i + 1) + " of the picture goes wrong in column " +
                      std::to_string(column + 1));
    }
  }

  const Board* board_;
  const IslandRace<MaxSide>* race_ = nullptr;  // for proofs, which are the processor's
};

// -- ruleset -----------------------------------------------------------------------------------

template <class Registry>
void enroll_diavolo(Registry& registry) {
  using Sized = std::variant<Diavolo<8>, Diavolo<16>, Diavolo<30>>;
  registry.template add<Sized>(
      "diavolo/standard", "Lands grow into islands, bridges join them, on a triangle of any side.",
      {integer_parameter("side", 8, 3, 30, "edges along a side of the board")},
      [](RuleValues& rules) -> Sized {
        const int side = integer_rule(rules, "side");
        if (side <= 8) return Diavolo<8>(side);
        if (side <= 16) return Diavolo<16>(side);
        return Diavolo<30>(side);
      });
}

}  // namespace spielwerk
