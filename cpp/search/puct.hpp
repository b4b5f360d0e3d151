// PUCT (Rosin 2011; Silver et al. 2017): tree search guided by a network's policy and value, at any
// time ready to answer. Several leaves are chosen before one is judged, so that the network is asked
// about them at once; a virtual loss on each path sends the next one elsewhere.
#pragma once

#include <vector>

#include "limits.hpp"
#include "tree.hpp"

namespace spielwerk {

struct PuctOptions {
  float exploration = 1.5;  // c_puct
  float first_play_reduction =
      0.3;  // an action without a visit counts as so much worse than its node
  std::size_t max_nodes = std::size_t{1} << 18;  // beyond this, the tree grows no more
};

template <Game G>
class PuctSearch {
 public:
  using State = typename G::State;
  using T = Tree<G>;
  using Index = typename T::Index;

  PuctSearch(const G& game, const PuctOptions& options)
      : game_(&game), options_(options), tree_(game) {}

  // What an earlier search knows about the position is kept.
  void begin(const State& state, std::uint64_t seed) {
    rng_ = Rng::stream(seed, Purpose::search);
    leaves_.clear();
    simulations_ = 0;
    depth_ = 0;
    if (!tree_.replant(state)) tree_.plant(state);
  }

  bool finished() const { return tree_.proved(T::kRoot) || tree_.size() >= options_.max_nodes; }

  // Chooses leaves for the network to judge, `most` at most; there may be none where results are
  // certain.
  std::size_t select(std::size_t most) {
    leaves_.clear();
    std::vector<Path> collided;
    for (std::size_t trial = 0; trial < 2 * most && leaves_.size() < most && !finished(); ++trial) {
      Path path;
      if (!tree_.descend(path, rng_, [this](Index node) { return choose(node); })) {
        count(path);
        continue;
      }
      lose_virtually(path, 1);
      (is_chosen(path.leaf) ? collided : leaves_).push_back(std::move(path));
      if (leaves_.back().leaf == T::kRoot) break;
    }
    for (const Path& path : collided) lose_virtually(path, -1);
    return leaves_.size();
  }

  const State& leaf(std::size_t i) const { return tree_.state(leaves_[i].leaf); }

  // The answer about leaf i; `logits` are those of all actions.
  void judge(std::size_t i, const float* logits, const Prospects& prospects) {
    lose_virtually(leaves_[i], -1);
    tree_.expand(leaves_[i], logits, prospects);
    count(leaves_[i]);
  }

  std::uint64_t simulations() const { return simulations_; }

  SearchReport report() {
    SearchReport report;
    for (int edge : in_order(T::kRoot)) report.lines.push_back(line(edge));
    report.nodes = simulations_;
    report.depth = depth_;
    report.proved = tree_.proved(T::kRoot);
    return report;
  }

 private:
  using Path = typename T::Path;

  void count(const Path& path) {
    ++simulations_;
    depth_ = std::max(depth_, static_cast<int>(path.steps.size()));
  }

  bool is_chosen(Index node) const {
    return std::ranges::any_of(leaves_, [&](const Path& path) { return path.leaf == node; });
  }

  // As if the simulation had been lost, until its result is known; `sign` -1 takes that back.
  void lose_virtually(const Path& path, float sign) {
    for (const auto& [node, edge] : path.steps) {
      const auto edges = tree_.edges(node);
      const auto i = static_cast<std::size_t>(edge);
      edges.visits[i] += sign;
      edges.total[i] -= sign;
      if (edges.link[i].exact != T::kUnknown)
        edges.total[i] = edges.visits[i] * static_cast<float>(edges.link[i].exact);
    }
  }

  // Edges that were never tried all have the same value, so that the next one is the best of them.
  int choose(Index node) {
    const auto edges = tree_.edges(node);
    const std::size_t count = edges.link.size();
    float visits = 0, total = 0, seen = 0;
    std::size_t tried = 0;
    for (; tried < count && edges.visits[tried] > 0; ++tried) {
      visits += edges.visits[tried];
      total += edges.total[tried];
      seen += edges.prior[tried];
    }
    const float mean = (tree_.value(node) + total) / (1 + visits);
    const float untried = mean - options_.first_play_reduction * std::sqrt(seen);
    const float scale = options_.exploration * std::sqrt(1 + visits);
    std::size_t best = tried < count ? tried : 0;
    float most = tried < count ? untried + scale * edges.prior[tried] : -1e30F;
    for (std::size_t i = 0; i < tried; ++i) {
      if (edges.link[i].exact == -1) continue;
      const float score = edges.mean(i) + scale * edges.prior[i] / (1 + edges.visits[i]);
      if (score > most) best = i, most = score;
    }
    if (best == tried) tree_.choose_next(node, tried + 1);
    return static_cast<int>(best);
  }

  // -- report --------------------------------------------------------------------------------

  // A certain win first, a certain loss last; between them what was visited most.
  std::vector<int> in_order(Index node) {
    const auto edges = tree_.edges(node);
    std::vector<int> order;
    for (int edge = 0; edge < edges.count(); ++edge) order.push_back(edge);
    const auto rank = [&](int edge) {
      const auto i = static_cast<std::size_t>(edge);
      const std::int8_t exact = edges.link[i].exact;
      const int sure = exact == T::kUnknown ? 0 : exact;
      const float mean = edges.visits[i] > 0 ? edges.mean(i) : -1;
      return std::tuple(sure, edges.visits[i], mean, edges.prior[i]);
    };
    std::ranges::stable_sort(order, [&](int a, int b) { return rank(a) > rank(b); });
    return order;
  }

  SearchLine line(int edge) {
    const auto edges = tree_.edges(T::kRoot);
    const auto i = static_cast<std::size_t>(edge);
    SearchLine line;
    line.value = edges.visits[i] > 0 ? edges.mean(i) : -1;
    line.visits = static_cast<std::uint64_t>(edges.visits[i]);
    line.proved = edges.link[i].exact != T::kUnknown;
    line.actions = actions_from(edge);
    return line;
  }

  std::vector<Action> actions_from(int edge) {
    constexpr std::size_t kLongest = 12;
    std::vector<Action> actions;
    for (Index node = T::kRoot;;) {
      actions.push_back(tree_.link(node, edge).action);
      node = tree_.link(node, edge).child;
      if (G::kHasChance || node == T::kNone || !tree_.expanded(node)) return actions;
      if (actions.size() == kLongest) return actions;
      edge = in_order(node)[0];
      if (tree_.edges(node).visits[static_cast<std::size_t>(edge)] == 0) return actions;
    }
  }

  const G* game_;
  PuctOptions options_;
  T tree_;
  Rng rng_{0};
  std::vector<Path> leaves_;
  std::uint64_t simulations_ = 0;
  int depth_ = 0;
};

}  // namespace spielwerk
