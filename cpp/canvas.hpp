// How observations become bytes. A game paints its planes one after the other, in the order of
// planes(), onto a canvas that knows how many cells a plane has:
//   set(members)           1 in these cells, 0 elsewhere: a word for at most 64 cells, or a BitSet
//   one(cell)              1 in this cell, 0 elsewhere
//   few(count, cell, value)  value(i) in cell(i) for i < count, later ones over earlier ones
//   numbers(value)         value(cell) in every cell; only the processor has it
//   everywhere(values...)  a plane for each value, the same in every cell
//   lines<K>(count, width, visit)
//                          K planes at once: visit(line, put) for each of so many lines calls
//                          put(plane, bits) for a plane's cells from width * line on, `width` at most
//   marked<K>(set, visit)  K planes at once: visit(member, mark) for each member of a BitSet calls
//                          mark(plane, cell) where a 1 belongs
// The processor has this canvas; a GPU has its own (gpu/warp_canvas.cuh), where games share the work.
#pragma once

#include <cstdint>
#include <cstring>

#include "bits.hpp"

namespace spielwerk {

// `Cells` is 0 where only the rules in force say how many there are.
template <int Cells = 0>
class ByteCanvas {
 public:
  ByteCanvas(std::uint8_t* out, int cells) : out_(out), cells_(cells) {}

  void set(Bits members) {
    expand(members, cells(), out_);
    out_ += cells();
  }

  template <int Words>
  void set(const BitSet<Words>& members) {
    members.expand_to(out_, cells());
    out_ += cells();
  }

  void one(int cell) {
    fill(0, 1);
    out_[cell] = 1;
    out_ += cells();
  }

  template <class Cell, class Value>
  void few(int count, Cell&& cell, Value&& value) {
    fill(0, 1);
    for (int i = 0; i < count; ++i) out_[cell(i)] = static_cast<std::uint8_t>(value(i));
    out_ += cells();
  }

  template <class Value>
  void numbers(Value&& value) {
    for (int cell = 0; cell < cells(); ++cell) out_[cell] = static_cast<std::uint8_t>(value(cell));
    out_ += cells();
  }

  template <class... Values>
  void everywhere(Values... values) {
    ((fill(values, 1), out_ += cells()), ...);
  }

  template <int K, class Visit>
  void lines(int count, int width, Visit&& visit) {
    fill(0, K);
    for (int line = 0; line < count; ++line)
      visit(line, [&](int plane, Bits bits) { put(plane, width * line, bits); });
    out_ += K * cells();
  }

  template <int K, class Members, class Visit>
  void marked(const Members& members, Visit&& visit) {
    fill(0, K);
    const auto mark = [this](int plane, int cell) { out_[plane * cells() + cell] = 1; };
    members.each([&](int member) { visit(member, mark); });
    out_ += K * cells();
  }

 private:
  // Clears up to seven cells behind them, where the next line comes.
  void put(int plane, int cell, Bits bits) {
    std::uint8_t* out = out_ + plane * cells();
    do {
      if (cell + 8 > cells()) return each(bits, [&](int i) { out[cell + i] = 1; });
      expand8(bits, out + cell);
      cell += 8;
      bits >>= 8;
    } while (bits != 0);
  }

  int cells() const { return Cells > 0 ? Cells : cells_; }
  void fill(int value, int planes) { fill_short(out_, value, planes * cells()); }

  std::uint8_t* out_;
  int cells_;
};

}  // namespace spielwerk
