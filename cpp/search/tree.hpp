// A search tree that grows one leaf at a time and leaves judging to others: an evaluator outside,
// most often a network that is asked about many leaves at once, says how good each action looks
// (logits) and what every seat can expect.
//
// Any number of seats, several actions a turn, dice: an edge counts what its results were worth to
// the seat that chooses it. Dice are drawn on the way down; each outcome that was met has a node of
// its own under the same edge. In games of two seats without dice, results that are certain are
// carried up the tree (MCTS solver).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../arithmetic.hpp"
#include "../game.hpp"

namespace spielwerk {

// What every seat can expect, within -1 .. +1.
struct Prospects {
  float of[kMaxSeats] = {};
};

// Logits stay within these bounds, and what is no number counts as the lower one.
inline constexpr float kMostLogit = 20;

constexpr float bounded(float value, float most) {
  return value > -most ? (value < most ? value : most) : -most;
}

// From an evaluator's numbers: the value of the seat to act and of those after it in turn, or a
// single one, which is that of a side and the opposite of the other's.
template <Game G>
Prospects prospects_of(const G& game, Seat seat, const float* values, std::size_t width) {
  Prospects all;
  for (int turn = 0; turn < game.seats(); ++turn) {
    const Seat other = (seat + turn) % game.seats();
    const float sign = game.side(other) == game.side(seat) ? 1 : -1;
    all.of[other] = bounded(width == 1 ? sign * values[0] : values[turn], 1);
  }
  return all;
}

// Sums and largest numbers in eight lanes, so that compilers can take several at once; the order is
// the same on every machine.
inline constexpr std::size_t kLanes = 8;

inline float sum_of(std::span<const float> numbers) {
  float lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= numbers.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += numbers[i + lane];
  float sum = 0;
  for (; i < numbers.size(); ++i) sum += numbers[i];
  for (float lane : lanes) sum += lane;
  return sum;
}

inline float largest_of(std::span<const float> numbers) {
  float lanes[kLanes];
  std::fill_n(lanes, kLanes, numbers[0]);
  std::size_t i = 0;
  for (; i + kLanes <= numbers.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = numbers[i + lane] > lanes[lane] ? numbers[i + lane] : lanes[lane];
  float largest = lanes[0];
  for (; i < numbers.size(); ++i) largest = numbers[i] > largest ? numbers[i] : largest;
  for (float lane : lanes) largest = lane > largest ? lane : largest;
  return largest;
}

// Turns logits into probabilities in place; what is 60 or more below the largest has none.
inline void softmax(std::span<float> logits) {
  const float largest = largest_of(logits);
  for (float& logit : logits) logit = exponential(logit - largest);
  const float scale = 1 / sum_of(logits);
  constexpr float kVanishing = 1e-26F;
  for (float& weight : logits) weight = weight > kVanishing ? weight * scale : 0;
}

template <Game G>
class Tree {
 public:
  using State = typename G::State;
  using Index = std::uint32_t;

  static constexpr Index kRoot = 0, kNone = ~Index{0};
  static constexpr std::int8_t kUnknown = 2;

  struct Link {
    Index child = kNone;
    std::int16_t action = -1;
    std::int8_t exact = kUnknown;  // the proved result, for the seat that chooses
  };

  // The actions of a node, all arrays of the same length. Those that were tried come first; the next
  // one to try stands right behind them.
  struct Edges {
    std::span<float> logit, prior, visits, total;  // total: of the results, for the seat to act
    std::span<Link> link;

    int count() const { return static_cast<int>(link.size()); }
    float mean(std::size_t i) const { return total[i] / visits[i]; }
  };

  // The edges that a simulation took, and the leaf that it came to.
  struct Path {
    struct Step {
      Index node;
      int edge;
    };
    std::vector<Step> steps;
    Index leaf = kNone;
  };

  explicit Tree(const G& game) : game_(&game), proves_(kCanProve && game.seats() == 2) {}

  void plant(const State& state) {
    nodes_.clear();
    numbers_.clear();
    links_.clear();
    add_node(state);
    root_total_ = {};
    root_visits_ = 0;
    result_open_ = is_open(state);
  }

  // Makes the part of the tree below a position the whole tree; false where it does not hold it.
  bool replant(const State& state) {
    const auto same = [&](const Node& node) {
      return std::memcmp(&node.state, &state, sizeof state) == 0;
    };
    const auto found = std::ranges::find_if(nodes_, same);
    if (found == nodes_.end()) return false;
    keep_below(static_cast<Index>(found - nodes_.begin()));
    result_open_ = is_open(state);
    return true;
  }

  std::size_t size() const { return nodes_.size(); }
  const State& state(Index node) const { return nodes_[node].state; }
  Seat player(Index node) const { return nodes_[node].player; }
  bool expanded(Index node) const { return nodes_[node].edges != 0; }
  std::int8_t exact(Index node) const { return nodes_[node].exact; }
  bool proved(Index node) const { return exact(node) != kUnknown; }
  // What the evaluator said, for the seat to act.
  float value(Index node) const { return nodes_[node].value; }
  // The mean of all results so far, the evaluator's opinion of the root among them.
  float root_mean(Seat seat) const {
    return root_total_.of[seat] / static_cast<float>(std::max(1, root_visits_));
  }

  Edges edges(Index node) {
    const std::size_t count = nodes_[node].edges;
    const std::span<float> all{numbers_.data() + std::size_t{4} * nodes_[node].first, 4 * count};
    return {all.subspan(0, count),
            all.subspan(count, count),
            all.subspan(2 * count, count),
            all.subspan(3 * count, count),
            {links_.data() + nodes_[node].first, count}};
  }

  // Of the edges from `next` on, puts the one with the largest key(i) there; exchanged(i, j) hears
  // which two changed places.
  template <class Key, class Exchanged>
  void choose_next(Index node, std::size_t next, Key&& key, Exchanged&& exchanged) {
    const Edges here = edges(node);
    if (next >= here.link.size()) return;
    std::size_t best = next;
    for (std::size_t i = next + 1; i < here.link.size(); ++i)
      if (key(i) > key(best)) best = i;
    if (best == next) return;
    std::swap(here.logit[next], here.logit[best]);
    std::swap(here.prior[next], here.prior[best]);
    std::swap(here.link[next], here.link[best]);
    exchanged(next, best);
  }

  // The same by the evaluator's opinion.
  void choose_next(Index node, std::size_t next) {
    const Edges here = edges(node);
    choose_next(
        node, next, [&](std::size_t i) { return here.prior[i]; }, [](std::size_t, std::size_t) {});
  }

  // Goes down by choose(node), which names an edge, until the evaluator must judge path.leaf: true.
  // Where the result is certain, it is counted at once: false.
  template <class Choose>
  bool descend(Path& path, Rng& rng, Choose&& choose) {
    path.steps.clear();
    path.leaf = kRoot;
    while (expanded(path.leaf)) {
      const Index here = path.leaf;
      const int edge = choose(here);
      path.steps.push_back({here, edge});
      if (const std::int8_t known = link(here, edge).exact; known != kUnknown) {
        back_up(path, exact_prospects(player(here), known));
        return false;
      }
      path.leaf = follow(here, edge, rng);
      if (certain(nodes_[path.leaf])) {
        count_end(path);
        return false;
      }
    }
    return true;
  }

  // Takes the evaluator's answer about path.leaf; `logits` are those of all actions of the game.
  void expand(const Path& path, const float* logits, const Prospects& prospects) {
    Node& node = nodes_[path.leaf];
    node.value = prospects.of[node.player];
    node.first = static_cast<Index>(links_.size());
    game_->legal(node.state).each([&](Action action) {
      links_.push_back({kNone, static_cast<std::int16_t>(action), kUnknown});
    });
    node.edges = static_cast<Index>(links_.size()) - node.first;
    numbers_.resize(4 * links_.size());
    const Edges fresh = edges(path.leaf);
    for (std::size_t i = 0; i < fresh.link.size(); ++i)
      fresh.logit[i] = fresh.prior[i] = bounded(logits[fresh.link[i].action], kMostLogit);
    softmax(fresh.prior);
    choose_next(path.leaf, 0);
    back_up(path, prospects);
  }

  // Counts a result along the path.
  void back_up(const Path& path, const Prospects& prospects) {
    for (const auto& [node, edge] : path.steps) {
      const Edges here = edges(node);
      const auto i = static_cast<std::size_t>(edge);
      here.visits[i] += 1;
      here.total[i] += prospects.of[player(node)];
      if (here.link[i].exact != kUnknown)
        here.total[i] = here.visits[i] * static_cast<float>(here.link[i].exact);
    }
    for (int seat = 0; seat < game_->seats(); ++seat) root_total_.of[seat] += prospects.of[seat];
    ++root_visits_;
  }

  // What is certain for a position in which `mover` gets `result`.
  static Prospects exact_prospects(Seat mover, std::int8_t result) {
    Prospects all;
    all.of[mover] = result;
    all.of[1 - mover] = static_cast<float>(-result);
    return all;
  }

  Link& link(Index node, int edge) { return links_[nodes_[node].first + static_cast<Index>(edge)]; }

 private:
  static constexpr bool kCanProve = !G::kHasChance && G::kZeroSum;

  struct Node {
    State state;
    Index first = 0, edges = 0;
    Index sibling = kNone;  // where the dice fell otherwise after the same action
    float value = 0;
    std::int8_t player = kNobody;
    std::int8_t exact = kUnknown;  // the proved result, for `player`
  };

  bool is_open(const State& state) const { return game_->settled(state) == kNobody; }

  // Whether its result is. Below a root whose own winner is settled, games are followed to their end.
  bool certain(const Node& node) const {
    return node.player == kNobody || (proves_ && result_open_ && !is_open(node.state));
  }

  Index add_node(const State& state) {
    Node node{};
    node.state = state;
    node.player = static_cast<std::int8_t>(game_->player(state));
    nodes_.push_back(node);
    return static_cast<Index>(nodes_.size() - 1);
  }

  void keep_below(Index top) {
    Tree kept(*game_);
    std::vector<Index> order = {top};  // nodes in the new order
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Node& old = nodes_[order[i]];
      const Edges from = edges(order[i]);
      Node node = old;
      node.first = static_cast<Index>(kept.links_.size());
      node.sibling = i > 0 && old.sibling != kNone ? static_cast<Index>(i + 1) : kNone;
      for (const std::span<float>& part : {from.logit, from.prior, from.visits, from.total})
        kept.numbers_.insert(kept.numbers_.end(), part.begin(), part.end());
      for (Link link : from.link) {
        const auto first = static_cast<Index>(order.size());
        for (Index child = link.child; child != kNone; child = nodes_[child].sibling)
          order.push_back(child);
        link.child = order.size() > first ? first : kNone;
        kept.links_.push_back(link);
      }
      kept.nodes_.push_back(node);
    }
    *this = std::move(kept);
  }

  // The position after an action and the dice that fall then.
  Index follow(Index node, int edge, Rng& rng) {
    if constexpr (!G::kHasChance) {
      if (const Index known = link(node, edge).child; known != kNone) return known;
    }
    State next = nodes_[node].state;
    game_->apply(next, link(node, edge).action);
    settle_chance(*game_, next, rng);
    for (Index child = link(node, edge).child; child != kNone; child = nodes_[child].sibling)
      if (std::memcmp(&nodes_[child].state, &next, sizeof next) == 0) return child;
    const Index fresh = add_node(next);
    nodes_[fresh].sibling = link(node, edge).child;
    link(node, edge).child = fresh;
    return fresh;
  }

  void count_end(const Path& path) {
    double returns[kMaxSeats] = {};
    certain_returns(*game_, nodes_[path.leaf].state, returns);
    Prospects prospects;
    std::copy_n(returns, game_->seats(), prospects.of);
    const auto& [node, edge] = path.steps.back();
    const double result = returns[player(node)];
    const bool certain = proves_ && result == std::round(result);
    if (certain) link(node, edge).exact = static_cast<std::int8_t>(result);
    back_up(path, prospects);
    if (certain) prove(path);
  }

  // The last edge of the path has become certain: whatever follows from that, upwards.
  void prove(const Path& path) {
    for (std::size_t i = path.steps.size(); i-- > 0;) {
      Node& node = nodes_[path.steps[i].node];
      if (node.exact != kUnknown) return;
      node.exact = best_if_certain(path.steps[i].node);
      if (node.exact == kUnknown || i == 0) return;
      const auto& [above, edge] = path.steps[i - 1];
      const bool same_seat = player(above) == node.player;
      Link& up = link(above, edge);
      up.exact = static_cast<std::int8_t>(same_seat ? node.exact : -node.exact);
      const Edges all = edges(above);
      const auto at = static_cast<std::size_t>(edge);
      all.total[at] = all.visits[at] * static_cast<float>(up.exact);
    }
  }

  std::int8_t best_if_certain(Index node) {
    std::int8_t best = -1;
    bool certain = true;
    for (const Link& way : edges(node).link) {
      certain = certain && way.exact != kUnknown;
      if (way.exact != kUnknown) best = std::max(best, way.exact);
    }
    return certain || best == 1 ? best : kUnknown;
  }

  const G* game_;
  bool proves_;
  bool result_open_ = true;  // at the root
  std::vector<Node> nodes_;
  std::vector<float> numbers_;  // logits, priors, visits, totals, node by node
  std::vector<Link> links_;
  Prospects root_total_;
  int root_visits_ = 0;
};

}  // namespace spielwerk
