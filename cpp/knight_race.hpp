// What is certain about two knights that leave an apple on every square they leave and capture each
// other (Pferdeäpfel's trail), without playing it out. docs/proofs.md has the reasoning.
#pragma once

#include <array>

#include "boards/square.hpp"
#include "win_bounds.hpp"

namespace spielwerk {

class KnightRace {
 public:
  explicit KnightRace(int size) : board_(size) {
    for (int square = 0; square < size * size; ++square) {
      const int row = square / size, column = square % size, last = size - 1;
      const int images[kMirrors] = {(last - row) * size + last - column, column * size + row,
                                    (last - column) * size + last - row, row * size + last - column,
                                    (last - row) * size + column};
      for (int k = 0; k < kMirrors; ++k) mirror_[k][square] = static_cast<std::uint8_t>(images[k]);
    }
  }

  // Whether the attacker wins within `depth` jumps, as far as can be seen at once. `free` are the
  // squares without apple and horse.
  WinBounds bounds(Bits free, int attacker, int runner, bool runner_moves, int depth) const {
    WinBounds known{runner_moves ? 2 : 1, kNever};
    if (known.decide(depth)) return known;
    if (mirrored(free, attacker, runner))
      return runner_moves ? WinBounds{2, count(free) + 1} : WinBounds{kNever, kNever};
    if (depth > 2 * kFarthest) return known;
    const int escape = runner_moves ? depth / 2 + 1 : (depth + 1) / 2;
    if (outruns(free, runner, attacker, !runner_moves, escape, false)) {
      known.at_least = 2 * escape + !runner_moves;
    } else if (runs_dry(free, runner, escape)) {
      const int pursuit = escape - runner_moves;
      if (outruns(free, attacker, runner, runner_moves, pursuit, true))
        known.at_most = 2 * escape - 1 - runner_moves;
    }
    return known;
  }

 private:
  static constexpr int kMirrors = 5;    // those symmetries of the square that undo themselves
  static constexpr int kFarthest = 20;  // jumps looked ahead
  static constexpr int kPatience = 64;  // squares tried for one path

  // By squares the hunter may have touched before each jump, and may land on after it.
  using Layers = std::array<Bits, kFarthest + 2>;

  Bits jumps(Bits from) const { return board_.knight_jumps(from); }

  // The side to move loses a position that a mirror maps onto itself with the horses exchanged.
  bool mirrored(Bits free, int horse, int other) const {
    for (const auto& image : mirror_) {
      if (image[horse] != other) continue;
      Bits reflected = 0;
      each(free, [&](int square) { reflected |= bit(image[square]); });
      if (reflected == free) return true;
    }
    return false;
  }

  // The runner can make so many jumps whatever the hunter does: onto squares that the hunter cannot
  // have touched before and cannot capture on. The last may be open to capture unless `last_safe`.
  bool outruns(Bits free, int runner, int hunter, bool hunter_moves, int wanted,
               bool last_safe) const {
    Layers open;
    Bits at = bit(runner), front = bit(hunter), touched = front;
    if (hunter_moves) {
      front = jumps(front);
      if (front & at) return false;
      front &= free;
      touched |= front;
    }
    for (int i = 1; i <= wanted; ++i) {
      at = jumps(at) & free & ~touched;
      front = jumps(front) & free;
      touched |= front;
      if (i < wanted || last_safe) at &= ~touched;
      if (at == 0) return false;
      open[static_cast<std::size_t>(i)] = at;
    }
    for (int i = wanted - 1; i > 0; --i)
      open[static_cast<std::size_t>(i)] &= jumps(open[static_cast<std::size_t>(i) + 1]);
    int patience = kPatience;
    return has_path(open, runner, 1, wanted, patience);
  }

  // A path over open squares, none twice. The layers hold walks; only distinct squares are a path.
  bool has_path(Layers& open, int from, int i, int wanted, int& patience, Bits used = 0) const {
    if (i > wanted) return true;
    Bits next = jumps(bit(from)) & open[static_cast<std::size_t>(i)] & ~used;
    for (; next != 0 && --patience >= 0; next &= next - 1) {
      const int to = lowest(next);
      if (has_path(open, to, i + 1, wanted, patience, used | bit(to))) return true;
    }
    return false;
  }

  // The runner cannot make so many jumps even if left alone.
  bool runs_dry(Bits free, int runner, int wanted) const {
    int patience = kPatience;
    return !has_walk(free, runner, wanted, patience) && patience >= 0;
  }

  bool has_walk(Bits free, int from, int wanted, int& patience) const {
    if (wanted == 0) return true;
    for (Bits next = jumps(bit(from)) & free; next != 0; next &= next - 1) {
      if (--patience < 0) return false;
      const int to = lowest(next);
      if (has_walk(free & ~bit(to), to, wanted - 1, patience)) return true;
    }
    return false;
  }

  SquareBoard board_;
  std::array<std::array<std::uint8_t, 64>, kMirrors> mirror_{};
};

}  // namespace spielwerk
