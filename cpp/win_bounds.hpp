// How long a forced win takes: what games may know and the solver finds out, and how.
#pragma once

#include <algorithm>

namespace spielwerk {

inline constexpr int kEver = 60'000;   // more actions than any game has
inline constexpr int kNever = 60'001;  // there is no win

// The attacker cannot win in fewer than at_least actions, and surely wins within at_most; kNever
// where there is no win, or none is known.
struct WinBounds {
  int at_least = 0, at_most = kNever;

  bool wins_within(int depth) const { return at_most <= depth; }
  bool decide(int depth) const { return at_most <= depth || at_least > depth; }

  void tighten(const WinBounds& other) {
    at_least = std::max(at_least, other.at_least);
    at_most = std::min(at_most, other.at_most);
  }
};

// How a game is best searched for proofs.
struct ProofHabits {
  int remembered = 4;          // below this depth a position is searched faster than looked up
  int deepened = kEver;        // from this depth on internal iterative deepening pays
  bool shortest_first = true;  // short wins are common
  bool learns_order = false;   // what settled other positions is tried first, not what looks best
};

}  // namespace spielwerk
