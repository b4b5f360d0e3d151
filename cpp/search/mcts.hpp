// Monte Carlo tree search guided by the game's heuristic: any number of seats, chance, tree reuse.
//
// Selection is PUCT. A new node is worth what the heuristic says, and the heuristic of its siblings
// gives its prior; a game without a heuristic gets equal priors and random playouts instead. For two
// seats the mean of what was found below a node is mixed with what minimax makes of the heuristics
// there (implicit minimax backups), since one good answer outweighs many bad ones.
//
// In games of two seats without chance, results that are certain are carried up the tree (MCTS
// solver): a node whose player can force a win, or has only proved actions, is proved and never
// searched again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../playout.hpp"
#include "limits.hpp"

namespace spielwerk {

struct MctsOptions {
  double exploration = 1.0;  // PUCT's constant c
  bool playouts = false;     // random playouts and equal priors in place of the game's heuristic
  std::size_t max_nodes = std::size_t{1} << 22;  // beyond this, leaves are no longer expanded
};

template <Game G>
class Mcts {
 public:
  using State = typename G::State;

  Mcts(const G& game, MctsOptions options)
      : game_(game), options_(options), guided_(kHeuristic && !options.playouts) {}

  // Searches on from `state`, keeping what an earlier search already knows about it.
  SearchReport search(const State& state, const SearchLimits& limits, std::uint64_t seed) {
    rng_ = Rng::stream(seed, Purpose::search);
    if (!reuse(state)) restart(state);
    result_open_ = game_.settled(state) == kNobody;
    Stopwatch watch(limits);
    do {
      simulate();
    } while (!decided(nodes_[0]) && !watch.tick());
    return report(watch);
  }

 private:
  static constexpr bool kProves = !G::kHasChance && G::kZeroSum;
  // Whether the game has a heuristic of its own: the inherited one is a template.
  static constexpr bool kHeuristic = requires { &G::evaluate; };
  static constexpr float kMinimaxShare = 0.5f;    // of a node's value; the rest is the mean
  static constexpr float kPriorSoftness = 0.05f;  // smaller follows the heuristic more
  static constexpr std::int8_t kUnknown = 2;

  struct Node {
    std::uint32_t first = 0;  // index of the first child
    std::uint32_t visits = 0;
    float total = 0;           // of the returns, for `mover`
    float prior = 1;           // how likely the action is the best, before it was searched
    float minimax = 0;         // of the heuristics below, for `mover`
    std::int16_t action = -1;  // that led here
    std::uint16_t children = 0;
    std::int8_t mover = kNobody;   // who chose that action
    std::int8_t exact = kUnknown;  // the proved result, for `mover`
    std::int16_t depth = 0;        // deepest line below, for the report
  };

  static bool decided(const Node& node) { return kProves && node.exact != kUnknown; }
  bool two_seats() const { return game_.seats() == 2; }

  void restart(const State& state) {
    root_ = state;
    nodes_.assign(1, Node{});
  }

  // -- one simulation ------------------------------------------------------------------------

  void simulate() {
    State state = root_;
    path_.assign(1, 0);
    double returns[kMaxSeats] = {};
    while (!evaluate_leaf(state, returns)) {
      const std::uint32_t child = choose(path_.back(), state, game_.player(state));
      game_.apply(state, nodes_[child].action);
      path_.push_back(child);
    }
    back_up(returns);
  }

  // What the end of the path is worth; false if the path goes on below it.
  bool evaluate_leaf(State& state, double* returns) {
    const std::uint32_t index = path_.back();
    const Seat player = game_.player(state);
    if (decided(nodes_[index]) && path_.size() > 1) {
      exact_returns(nodes_[index], returns);
      return true;
    }
    if (player == kNobody || settles(state)) {
      certain_returns(game_, state, returns);
      prove_ended(index, returns);
      return true;
    }
    if (nodes_[index].children > 0) return false;
    if (expands(nodes_[index], index)) {
      grow(index, state, player);
      return false;
    }
    estimate(state, returns);
    return true;
  }

  // Whether the winner is settled here. Below a root where that is so, games are followed to their end.
  bool settles(const State& state) const {
    return kProves && result_open_ && two_seats() && game_.settled(state) != kNobody;
  }

  void estimate(State& state, double* returns) {
    if (guided_) {
      for (Seat seat = 0; seat < game_.seats(); ++seat) returns[seat] = game_.evaluate(state, seat);
    } else {
      play_out(game_, state, rng_);
      game_.returns(state, returns);
    }
  }

  // A leaf is expanded when it is met for the second time; the root at once.
  bool expands(const Node& node, std::uint32_t index) const {
    return index == 0 || (node.visits > 0 && nodes_.size() < options_.max_nodes);
  }

  void grow(std::uint32_t index, const State& state, Seat player) {
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    game_.legal(state).each([&](Action action) {
      Node child;
      child.action = static_cast<std::int16_t>(action);
      child.mover = static_cast<std::int8_t>(player);
      if (guided_ && player >= 0) look_at(child, state, player);
      nodes_.push_back(child);
    });
    nodes_[index].first = first;
    nodes_[index].children = static_cast<std::uint16_t>(nodes_.size() - first);
    if (index == 0) shuffle_from(first);
    if (player >= 0) share_priors(nodes_[index]);
  }

  // Among equals the first is preferred, which should not always be the same.
  void shuffle_from(std::uint32_t first) {
    for (auto i = static_cast<std::uint32_t>(nodes_.size()); i > first + 1; --i)
      std::swap(
          nodes_[i - 1],
          nodes_[first + static_cast<std::uint32_t>(rng_.below(static_cast<int>(i - first)))]);
  }

  void look_at(Node& child, State state, Seat player) {
    game_.apply(state, child.action);
    child.minimax = static_cast<float>(game_.evaluate(state, player));
  }

  // Falls with the square of how much worse than the best the heuristic finds an action.
  void share_priors(const Node& node) {
    float best = -2, sum = 0;
    for_children(node, [&](Node& child) { best = std::max(best, child.minimax); });
    for_children(node, [&](Node& child) {
      const float gap = kPriorSoftness + best - child.minimax;
      child.prior = 1 / (gap * gap);
      sum += child.prior;
    });
    for_children(node, [&](Node& child) { child.prior /= sum; });
  }

  template <class Visit>
  void for_children(const Node& node, Visit&& visit) {
    for (std::uint32_t child = node.first; child < node.first + node.children; ++child)
      visit(nodes_[child]);
  }

  // Selection by PUCT: the value, and c · prior · sqrt(visits of the node) / (1 + visits of the
  // child).
  std::uint32_t choose(std::uint32_t index, const State& state, Seat player) {
    const Node& node = nodes_[index];
    if (player == kChance) return child_by_action(node, roll(state));
    const float scale =
        static_cast<float>(options_.exploration) * std::sqrt(static_cast<float>(node.visits) + 1);
    std::uint32_t best = node.first;
    float best_score = -1e30f;
    for (std::uint32_t child = node.first; child < node.first + node.children; ++child) {
      const Node& option = nodes_[child];
      if (decided(option) && option.exact < 0) continue;
      const float score =
          value(option) + scale * option.prior / (1 + static_cast<float>(option.visits));
      if (score > best_score) best = child, best_score = score;
    }
    return best;
  }

  // For the seat that chose the action; the heuristic's word until it was visited.
  float value(const Node& node) const {
    if (node.visits == 0) return node.minimax;
    const float mean = node.total / static_cast<float>(node.visits);
    if (!minimaxed()) return mean;
    return mean + kMinimaxShare * (node.minimax - mean);
  }

  Action roll(const State& state) {
    if constexpr (G::kHasChance) return game_.roll(state, rng_);
    return game_.legal(state).select(0);
  }

  std::uint32_t child_by_action(const Node& node, Action action) const {
    std::uint32_t child = node.first;
    while (nodes_[child].action != action) ++child;
    return child;
  }

  // Backpropagation along the path of this simulation.
  void back_up(const double* returns) {
    for (std::size_t i = path_.size(); i-- > 0;) {
      Node& node = nodes_[path_[i]];
      ++node.visits;
      if (node.mover >= 0) node.total += static_cast<float>(returns[node.mover]);
      node.depth = std::max(node.depth, static_cast<std::int16_t>(path_.size() - 1 - i));
    }
    if constexpr (kProves) {
      if (two_seats()) prove_path();
    }
    if (minimaxed()) minimax_path();
  }

  bool minimaxed() const { return guided_ && !G::kHasChance && G::kZeroSum && two_seats(); }

  void minimax_path() {
    for (std::size_t i = path_.size(); i-- > 0;) {
      Node& node = nodes_[path_[i]];
      if (decided(node)) {
        node.minimax = node.exact;
      } else if (node.children > 0) {
        float best = -2;
        for_children(node, [&](const Node& child) { best = std::max(best, child.minimax); });
        node.minimax = nodes_[node.first].mover == node.mover ? best : -best;
      }
    }
  }

  // -- proof ---------------------------------------------------------------------------------

  void exact_returns(const Node& node, double* returns) const {
    returns[node.mover] = node.exact;
    returns[1 - node.mover] = -node.exact;
  }

  void prove_ended(std::uint32_t index, const double* returns) {
    if (kProves && two_seats() && nodes_[index].mover >= 0)
      nodes_[index].exact = static_cast<std::int8_t>(std::lround(returns[nodes_[index].mover]));
  }

  void prove_path() {
    for (std::size_t i = path_.size(); i-- > 1;) {
      if (nodes_[path_[i]].exact == kUnknown) return;
      Node& parent = nodes_[path_[i - 1]];
      if (parent.exact != kUnknown || !prove(parent)) return;
    }
  }

  // The best a player can choose, if that is already certain.
  bool prove(Node& node) const {
    const Seat player = nodes_[node.first].mover;
    int best = -1;
    bool certain = true;
    for (std::uint32_t child = node.first; child < node.first + node.children; ++child) {
      const std::int8_t exact = nodes_[child].exact;
      certain = certain && exact != kUnknown;
      if (exact != kUnknown) best = std::max<int>(best, exact);
    }
    if (!certain && best < 1) return false;
    node.exact = static_cast<std::int8_t>(node.mover == player ? best : -best);
    if (node.mover < 0) node.exact = static_cast<std::int8_t>(best);  // the root: for its player
    return true;
  }

  // -- reuse ---------------------------------------------------------------------------------

  static bool same(const State& a, const State& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

  // Looks for `state` a few actions below the old root and makes that subtree the tree.
  bool reuse(const State& state) {
    if (nodes_.empty()) return false;
    if (same(root_, state)) return true;
    std::uint32_t found = 0;
    int budget = 20000;
    if (!find(0, root_, state, 4, budget, found)) return false;
    keep_subtree(found);
    root_ = state;
    return true;
  }

  bool find(std::uint32_t index, const State& from, const State& wanted, int depth, int& budget,
            std::uint32_t& found) const {
    const Node node = nodes_[index];
    for (std::uint32_t child = node.first; child < node.first + node.children; ++child) {
      if (nodes_[child].visits == 0) continue;
      if (--budget < 0) return false;
      State next = from;
      game_.apply(next, nodes_[child].action);
      if (same(next, wanted)) {
        found = child;
        return true;
      }
      if (depth > 1 && find(child, next, wanted, depth - 1, budget, found)) return true;
    }
    return false;
  }

  void keep_subtree(std::uint32_t top) {
    std::vector<Node> kept = {nodes_[top]};
    kept[0].mover = kNobody;
    kept[0].exact = kUnknown;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::uint32_t first = kept[i].first;
      kept[i].first = static_cast<std::uint32_t>(kept.size());
      for (std::uint32_t child = first; child < first + kept[i].children; ++child)
        kept.push_back(nodes_[child]);
    }
    nodes_ = std::move(kept);
    if (kProves && two_seats() && nodes_[0].children > 0) prove(nodes_[0]);
  }

  // -- report --------------------------------------------------------------------------------

  double mean(const Node& node) const {
    if (decided(node)) return node.exact;
    return node.visits == 0 ? -1.0 : static_cast<double>(node.total) / node.visits;
  }

  // A certain win, then what was visited most; a certain loss last.
  bool better(const Node& a, const Node& b) const {
    const auto rank = [](const Node& node) {
      return decided(node) && node.exact != 0 ? node.exact : 0;
    };
    if (rank(a) != rank(b)) return rank(a) > rank(b);
    return a.visits != b.visits ? a.visits > b.visits : mean(a) > mean(b);
  }

  SearchReport report(const Stopwatch& watch) const {
    SearchReport report;
    std::vector<std::uint32_t> order;
    for (std::uint32_t child = nodes_[0].first; child < nodes_[0].first + nodes_[0].children;
         ++child)
      order.push_back(child);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return better(nodes_[a], nodes_[b]);
    });
    for (std::uint32_t child : order)
      report.lines.push_back(
          {line_from(child), mean(nodes_[child]), nodes_[child].visits, decided(nodes_[child])});
    report.nodes = nodes_[0].visits;
    report.depth = nodes_[0].depth;
    report.milliseconds = watch.milliseconds();
    report.proved = decided(nodes_[0]);
    return report;
  }

  std::vector<Action> line_from(std::uint32_t index) const {
    std::vector<Action> line;
    for (;;) {
      const Node& node = nodes_[index];
      line.push_back(node.action);
      if (node.children == 0 || nodes_[node.first].mover < 0 || line.size() >= 12) return line;
      std::uint32_t best = node.first;
      for (std::uint32_t child = node.first; child < node.first + node.children; ++child)
        if (better(nodes_[child], nodes_[best])) best = child;
      if (nodes_[best].visits == 0) return line;
      index = best;
    }
  }

  const G& game_;
  MctsOptions options_;
  bool guided_;              // by the game's heuristic
  bool result_open_ = true;  // at the root
  Rng rng_{0};
  State root_{};
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> path_;
};

}  // namespace spielwerk
