// DiavoloPP keeps a few fields in a word where the board fits into one, and else in a list. On boards
// that either can hold, both must play the same games.
#include <cstdio>
#include <cstdlib>

#include "games/diavolo.hpp"

namespace spielwerk {
namespace {

void require(bool holds, const char* what, int side) {
  if (holds) return;
  std::fprintf(stderr, "side %d: %s\n", side, what);
  std::exit(1);
}

template <int One, int Other>
void compare_legal(const Diavolo<One>& one, const typename Diavolo<One>::State& here,
                   const Diavolo<Other>& other, const typename Diavolo<Other>::State& there,
                   int side) {
  const auto legal_here = one.legal(here);
  const auto legal_there = other.legal(there);
  for (Action action = 0; action < one.actions(); ++action)
    require(legal_here.contains(action) == legal_there.contains(action), "legal actions", side);
}

template <int One, int Other>
void play_both(int side, Rng& rng) {
  const Diavolo<One> one(side);
  const Diavolo<Other> other(side);
  auto here = one.start(rng);
  auto there = other.start(rng);
  while (one.player(here) >= 0) {
    compare_legal(one, here, other, there, side);
    require(one.evaluate(here, 0) == other.evaluate(there, 0), "evaluation", side);
    const Action action = random_member(one.legal(here), rng);
    one.apply(here, action);
    other.apply(there, action);
    require(one.to_text(here) == other.to_text(there), "position", side);
  }
  int points[2][2];
  one.points(here, points[0]);
  other.points(there, points[1]);
  require(points[0][0] == points[1][0] && points[0][1] == points[1][1], "points", side);
}

}  // namespace
}  // namespace spielwerk

int main() {
  using namespace spielwerk;
  Rng rng(23);
  for (int side = 3; side <= 8; ++side)
    for (int game = 0; game < 60; ++game) {
      play_both<8, 16>(side, rng);
      play_both<8, 30>(side, rng);
    }
  std::printf("boards of one word and of many play alike: passed\n");
}
