// A square board of at most 8 × 8 squares, numbered row by row from the top left, so that a set of
// them is one word. Squares are called a1, b6: a letter for the column, a number for the row from
// the bottom.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "../bits.hpp"
#include "../text.hpp"

namespace spielwerk {

class SquareBoard {
 public:
  static constexpr int kSymmetries = 8;

  explicit constexpr SquareBoard(int size) : size_(size), squares_(size * size) {
    for (int square = 0; square < squares_; ++square) {
      if (column(square) + 1 < size) right_one_ |= bit(square);
      if (column(square) + 2 < size) right_two_ |= bit(square);
      if (column(square) >= 1) left_one_ |= bit(square);
      if (column(square) >= 2) left_two_ |= bit(square);
    }
  }

  constexpr int size() const { return size_; }
  constexpr int squares() const { return squares_; }
  constexpr Bits all() const { return first_bits(squares_); }

  constexpr int row(int square) const { return square / size_; }
  constexpr int column(int square) const { return square % size_; }
  constexpr int square(int row, int column) const { return row * size_ + column; }
  constexpr bool inside(int row, int column) const {
    return row >= 0 && row < size_ && column >= 0 && column < size_;
  }

  // k: bit 0 mirrors left and right, bit 1 top and bottom, bit 2 swaps rows and columns.
  constexpr int symmetric(int square, int k) const {
    int r = row(square), c = column(square);
    if (k & 1) c = size_ - 1 - c;
    if (k & 2) r = size_ - 1 - r;
    if (k & 4) std::swap(r, c);
    return this->square(r, c);
  }

  constexpr Bits symmetric_set(Bits set, int k) const {
    Bits image = 0;
    each(set, [&](int square) { image |= bit(symmetric(square, k)); });
    return image;
  }

  // The squares one knight's jump away from any of `from`.
  constexpr Bits knight_jumps(Bits from) const {
    const Bits near = ((from & right_one_) << 1) | ((from & left_one_) >> 1);
    const Bits far = ((from & right_two_) << 2) | ((from & left_two_) >> 2);
    return ((far << size_) | (far >> size_) | (near << (2 * size_)) | (near >> (2 * size_))) &
           all();
  }

  // -- words ---------------------------------------------------------------------------------

  std::string name(int square) const {
    return {column_name(column(square)), static_cast<char>('0' + size_ - row(square))};
  }

  // The square of that name, or -1.
  int named(std::string_view name) const {
    if (name.size() != 2) return -1;
    const int c = std::tolower(static_cast<unsigned char>(name[0])) - 'a';
    const int r = size_ - (name[1] - '0');
    return inside(r, c) ? square(r, c) : -1;
  }

  // Rows from the top joined by '/': glyph(square) for each square, digits for so many in a row
  // whose glyph is '.'.
  template <class Glyph>
  std::string text(Glyph&& glyph) const {
    std::string out;
    for (int r = 0; r < size_; ++r) {
      if (r > 0) out += '/';
      int gap = 0;
      for (int c = 0; c <= size_; ++c) {
        const char mark = c < size_ ? glyph(square(r, c)) : '\0';
        if (mark == '.') {
          ++gap;
          continue;
        }
        if (gap > 0) out += std::to_string(std::exchange(gap, 0));
        if (mark != '\0') out += mark;
      }
    }
    return out;
  }

  // Inverts text(): calls read(square, glyph) for every glyph, and refuses what is no such board.
  template <class Read>
  void read(std::string_view text, Read&& read) const {
    const auto rows = split(text, '/');
    if (static_cast<int>(rows.size()) != size_)
      refuse_position("the board has " + std::to_string(rows.size()) + " ranks, not " +
                      std::to_string(size_));
    for (int r = 0; r < size_; ++r) {
      int c = 0;
      for (const char mark : rows[static_cast<std::size_t>(r)]) {
        if (mark >= '1' && mark <= '8') {
          c += mark - '0';
        } else if (c++ < size_) {
          read(square(r, c - 1), mark);
        }
      }
      if (c != size_)
        refuse_position("rank " + std::to_string(size_ - r) + " does not have " +
                        std::to_string(size_) + " squares");
    }
  }

  // For people: the rows with their numbers, and below them the letters of the columns.
  template <class Glyph>
  std::string picture(Glyph&& glyph) const {
    std::string out;
    for (int r = 0; r < size_; ++r) {
      out += static_cast<char>('0' + size_ - r);
      for (int c = 0; c < size_; ++c) out += std::string(" ") + glyph(square(r, c));
      out += '\n';
    }
    out += ' ';
    for (int c = 0; c < size_; ++c) out += std::string(" ") + column_name(c);
    return out;
  }

 private:
  static char column_name(int column) { return static_cast<char>('a' + column); }

  int size_, squares_;
  Bits right_one_ = 0, right_two_ = 0, left_one_ = 0, left_two_ = 0;  // who can go so far sideways
};

}  // namespace spielwerk
