// Tic-tac-toe: who first has three marks in a line wins.
#pragma once

#include "../boards/square.hpp"
#include "../game.hpp"

namespace spielwerk {

class TicTacToe : public GameDefaults<TicTacToe> {
 public:
  struct State {
    Bits marks[2];  // by seat: crosses begin
  };

  // -- playing -------------------------------------------------------------------------------

  static constexpr int kMaskWords = 1, kPlanes = 2, kMaxCells = 9;
  constexpr int actions() const { return board_.squares(); }
  constexpr int max_plies() const { return board_.squares(); }

  constexpr Seat player(const State& s) const {
    if (winner(s) != kNobody || free(s) == 0) return kNobody;
    return count(s.marks[0]) > count(s.marks[1]);
  }

  constexpr BitSet<kMaskWords> legal(const State& s) const {
    return {{player(s) == kNobody ? 0 : free(s)}};
  }

  constexpr void apply(State& s, Action square) const { s.marks[player(s)] |= bit(square); }

  constexpr void returns(const State& s, double* out) const {
    const Seat best = winner(s);
    for (Seat seat : {0, 1}) out[seat] = best == kNobody ? 0 : best == seat ? 1 : -1;
  }

  constexpr Grid grid() const { return {board_.size(), board_.size()}; }

  template <class Canvas>
  constexpr void observe(const State& s, Seat seat, Canvas& canvas) const {
    canvas.set(s.marks[seat]);
    canvas.set(s.marks[1 - seat]);
  }

  constexpr int symmetries() const { return SquareBoard::kSymmetries; }
  constexpr State symmetric(const State& s, int k) const {
    return {{board_.symmetric_set(s.marks[0], k), board_.symmetric_set(s.marks[1], k)}};
  }
  constexpr Action symmetric_action(Action square, int k) const {
    return board_.symmetric(square, k);
  }

  constexpr ActionCell action_cell(Action at) const {
    return {0, board_.row(at), board_.column(at)};
  }

  // -- words ---------------------------------------------------------------------------------

  std::string text(const State&, Action square) const { return board_.name(square); }

  Refusal refusal(const State&, Action square) const {
    return {"taken", board_.name(square) + " is taken"};
  }

  // The board, rank by rank: x and o, digits for empty squares. Whose turn it is follows from it.
  std::string to_text(const State& s) const { return board_.text(Glyph{s}); }

  State from_text(std::string_view text) const {
    State s{};
    board_.read(text, [&](int square, char mark) {
      if (mark != 'x' && mark != 'o') refuse_position(excerpt({&mark, 1}) + " is neither x nor o");
      s.marks[mark == 'o'] |= bit(square);
    });
    const int lead = count(s.marks[0]) - count(s.marks[1]);
    if (lead != 0 && lead != 1) refuse_position("x begins, and then both take turns");
    if (three(s.marks[0]) ? three(s.marks[1]) || lead == 0 : three(s.marks[1]) && lead == 1)
      refuse_position("it went on after somebody had three in a line");
    return s;
  }

  std::string picture(const State& s) const { return board_.picture(Glyph{s}); }

  std::vector<Plane> planes() const {
    return {{"own marks", "1 where the observer has a mark"},
            {"other marks", "1 where the other has a mark"}};
  }

 private:
  SquareBoard board_{3};

  constexpr Bits free(const State& s) const { return board_.all() & ~s.marks[0] & ~s.marks[1]; }

  static constexpr bool three(Bits marks) {
    constexpr Bits lines[] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    for (const Bits line : lines)
      if ((marks & line) == line) return true;
    return false;
  }

  static constexpr Seat winner(const State& s) {
    return three(s.marks[0]) ? 0 : three(s.marks[1]) ? 1 : kNobody;
  }

  struct Glyph {
    const State& s;
    char operator()(int square) const {
      return contains(s.marks[0], square) ? 'x' : contains(s.marks[1], square) ? 'o' : '.';
    }
  };
};

template <class Registry>
void enroll_tictactoe(Registry& registry) {
  registry.template add<TicTacToe>("tictactoe/standard", "Three in a line wins.", {},
                                   [](RuleValues&) { return TicTacToe(); });
}

}  // namespace spielwerk
