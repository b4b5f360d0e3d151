// What a colour of DiavoloPP can come to at most, without playing it out. docs/proofs.md has the
// reasoning.
#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "boards/triangular.hpp"

namespace spielwerk {

// For boards whose fields fit into one machine word.
template <int MaxSide>
class IslandRace {
  using Board = TriangularBoard<MaxSide>;
  using EdgeSet = typename Board::EdgeSet;

 public:
  static_assert(Board::kFields <= 64);

  // What a colour has, and where it could lay a land.
  struct Outlook {
    Bits lands, open;
  };

  explicit IslandRace(const Board& board) : board_(board) {
    for (int e = 0; e < board.num_edges; ++e) edges_.add(e);
    std::vector<Bits> connected;
    for (int f = 0; f < board.num_fields; ++f) {
      connected.push_back(bit(f));
      for (int p : board.field(f).points) corners_[f] |= bit(p);
    }
    for (int size = 2; size <= kIslandSize; ++size) connected = one_larger(connected);
    for (const Bits fields : connected)
      sites_.push_back({fields, around(fields), corners_of(fields)});
  }

  // The one for this board, which like the board is never freed.
  static const IslandRace& on(const Board& board) {
    static std::mutex mutex;
    static std::array<const IslandRace*, MaxSide + 1> races{};
    const std::lock_guard lock(mutex);
    const IslandRace*& race = races[static_cast<std::size_t>(board.side)];
    if (race == nullptr) race = new IslandRace(board);
    return *race;
  }

  // Whether a colour could come to `goal` or more: with as many islands and bridges as there is
  // room for, all joined. Bridges are counted first: they are cheaper, and often will do.
  template <class Tally>
  bool can_reach(const Tally& goal, const Tally& now, const Outlook& outlook,
                 const EdgeSet& spoilt) const {
    const int bridges = now.bridges + most_new_bridges(outlook, spoilt);
    if (Tally{now.points, now.islands, bridges} >= goal) return true;
    const int islands = now.islands + most_new_islands(outlook);
    return Tally{islands * (islands + 1) / 2, islands, bridges} >= goal;
  }

 private:
  static constexpr int kIslandSize = 4, kIslandCorners = 6;

  // Four fields that edges join: a place for an island.
  struct Site {
    Bits fields, around, corners;  // around: fields that share a point with it

    // Lands stay, so no other own land may touch it.
    bool possible(const Outlook& colour) const {
      const Bits missing = fields & ~colour.lands;
      return (missing & ~colour.open) == 0 && missing != 0 && (around & colour.lands) == 0;
    }
  };

  // Islands share no points, so where there are several sites, the points are counted.
  int most_new_islands(const Outlook& colour) const {
    int sites = 0;
    Bits corners = 0;
    for (const Site& site : sites_) {
      if (!site.possible(colour)) continue;
      ++sites;
      corners |= site.corners;
    }
    return std::min(sites, count(corners) / kIslandCorners);
  }

  // Every bridge takes two points, which must be corners of own lands by then.
  int most_new_bridges(const Outlook& colour, const EdgeSet& spoilt) const {
    const Bits corners = corners_of(colour.lands | colour.open);
    Bits ends = 0;
    int edges = 0;
    edges_.without(spoilt).each([&](int e) {
      const Bits both = bit(board_.edge(e).points[0]) | bit(board_.edge(e).points[1]);
      if ((both & ~corners) != 0) return;
      ends |= both;
      ++edges;
    });
    return std::min(edges, count(ends) / 2);
  }

  Bits corners_of(Bits fields) const {
    Bits points = 0;
    each(fields, [&](int f) { points |= corners_[f]; });
    return points;
  }

  Bits around(Bits fields) const {
    typename Board::FieldSet set;
    each(fields, [&](int f) { board_.field(f).around.add_to(set); });
    return set.words[0] & ~fields;
  }

  // Every set of fields that joins one more to one of these.
  std::vector<Bits> one_larger(const std::vector<Bits>& connected) const {
    std::vector<Bits> larger;
    for (const Bits fields : connected)
      each(fields, [&](int f) {
        board_.field(f).beside.each([&](int g) {
          if (!contains(fields, g)) larger.push_back(fields | bit(g));
        });
      });
    std::sort(larger.begin(), larger.end());
    larger.erase(std::unique(larger.begin(), larger.end()), larger.end());
    return larger;
  }

  const Board& board_;
  EdgeSet edges_;                               // all of them
  std::array<Bits, Board::kFields> corners_{};  // of each field
  std::vector<Site> sites_;
};

}  // namespace spielwerk
