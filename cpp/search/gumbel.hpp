// Gumbel search (Danihelka, Guez, Schrittwieser, Silver: Policy improvement by planning with Gumbel,
// 2022): with few simulations it still improves the policy in expectation.
//
//  - At the root, actions are drawn without replacement (Gumbel-top-k), and sequential halving shares
//    the simulations among them.
//  - Elsewhere, the action is taken whose share of the visits lags most behind the improved policy.
//  - The improved policy is softmax(logits + σ(completed Q)): actions without a visit count as much as
//    the node, a mixture of what the network said of it and of the results of its visited actions.
//
// Actions that are proved to lose are left out while there are others, and a node that is proved to
// be won, lost or drawn answers by what is proved.
#pragma once

#include <vector>

#include "tree.hpp"

namespace spielwerk {

struct GumbelOptions {
  int considered = 16;       // actions that sequential halving starts with, at most
  float visit_offset = 50;   // c_visit: as many visits more count in σ
  float value_scale = 0.25;  // c_scale: σ(q) = (c_visit + most visits) · c_scale · q
};

// A search as seen from its root, edge by edge.
struct GumbelRoot {
  std::vector<Action> actions;
  std::vector<float> noise, logits, visits, means, policy;  // means: 0 without a visit
  float value = 0;                                          // what the network said
  Action chosen = -1;
  int exact = 2;  // the proved result, 2 for none
  int simulations = 0;
};

// How often each action has been visited that is considered next, simulation by simulation.
inline std::vector<int> halving_schedule(int considered, int simulations) {
  std::vector<int> order;
  if (considered <= 1) {
    for (int i = 0; i < simulations; ++i) order.push_back(i);
    return order;
  }
  int rounds = 0;
  while ((1 << rounds) < considered) ++rounds;
  int visits = 0;
  for (int left = considered; static_cast<int>(order.size()) < simulations;
       left = std::max(2, left / 2)) {
    const int each = std::max(1, simulations / (rounds * left));
    for (int round = 0; round < each; ++round, ++visits) order.insert(order.end(), left, visits);
  }
  order.resize(static_cast<std::size_t>(simulations));
  return order;
}

// The schedules for one number of simulations and every number of actions.
class HalvingSchedules {
 public:
  HalvingSchedules(int considered, int simulations) : simulations_(simulations) {
    for (int actions = 0; actions <= considered; ++actions)
      by_actions_.push_back(halving_schedule(actions, simulations));
  }

  int simulations() const { return simulations_; }
  int visits(int actions, int simulation) const {
    const auto most = by_actions_.size() - 1;
    return by_actions_[std::min(static_cast<std::size_t>(actions), most)]
                      [static_cast<std::size_t>(simulation)];
  }

 private:
  int simulations_;
  std::vector<std::vector<int>> by_actions_;
};

template <Game G>
class GumbelSearch {
 public:
  using State = typename G::State;
  using T = Tree<G>;
  using Index = typename T::Index;

  GumbelSearch(const G& game, const GumbelOptions& options) : options_(options), tree_(game) {}

  void begin(const State& state, const HalvingSchedules& schedules) {
    tree_.plant(state);
    schedules_ = &schedules;
    simulations_ = 0;
  }

  // Goes on until a leaf must be judged: true; or until the search is over: false.
  bool next(Rng& rng) {
    while (!finished()) {
      if (tree_.descend(path_, rng, [this](Index node) { return choose(node); })) return true;
      ++simulations_;
    }
    return false;
  }

  const State& leaf() const { return tree_.state(path_.leaf); }

  // The answer about the leaf; the root's is no simulation yet.
  void judge(const float* logits, const Prospects& prospects, Rng& rng) {
    tree_.expand(path_, logits, prospects);
    if (path_.leaf == T::kRoot) {
      draw_noise(rng);
    } else {
      ++simulations_;
    }
  }

  bool finished() const {
    return tree_.expanded(T::kRoot) &&
           (simulations_ >= schedules_->simulations() || tree_.proved(T::kRoot));
  }

  // -- what came out -------------------------------------------------------------------------

  T& tree() { return tree_; }
  int simulations() const { return simulations_; }
  const std::vector<float>& noise() const { return noise_; }

  Action action() { return tree_.link(T::kRoot, best_edge()).action; }

  GumbelRoot root() {
    GumbelRoot root;
    if (!tree_.expanded(T::kRoot)) return root;
    const auto edges = tree_.edges(T::kRoot);
    for (int edge = 0; edge < edges.count(); ++edge) {
      const auto i = static_cast<std::size_t>(edge);
      root.actions.push_back(edges.link[i].action);
      root.logits.push_back(edges.logit[i]);
      root.visits.push_back(edges.visits[i]);
      root.means.push_back(edges.visits[i] > 0 ? edges.mean(i) : 0);
    }
    root.noise = noise_;
    root.policy = policy();
    root.value = tree_.value(T::kRoot);
    root.chosen = action();
    root.exact = tree_.exact(T::kRoot);
    root.simulations = simulations_;
    return root;
  }

  // A probability for every edge of the root.
  const std::vector<float>& policy() {
    improve(T::kRoot);
    leave_out_what_is_worse();
    softmax(improved_);
    return improved_;
  }

 private:
  static constexpr float kLeftOut = -1e9F;

  void draw_noise(Rng& rng) {
    noise_.resize(tree_.edges(T::kRoot).link.size());
    for (float& value : noise_) value = gumbel(rng);
    choose_next_at_root(0);
  }

  // The next action to consider: Gumbel-top-k, one after the other.
  void choose_next_at_root(std::size_t next) {
    const auto edges = tree_.edges(T::kRoot);
    tree_.choose_next(
        T::kRoot, next, [&](std::size_t i) { return noise_[i] + edges.logit[i]; },
        [&](std::size_t i, std::size_t j) { std::swap(noise_[i], noise_[j]); });
  }

  // One number of the standard Gumbel distribution.
  static float gumbel(Rng& rng) {
    const double uniform = (static_cast<double>(rng.next() >> 11) + 0.5) * 0x1p-53;
    return static_cast<float>(-precise_log(-precise_log(uniform)));
  }

  int choose(Index node) { return node == T::kRoot ? root_choice() : inner_choice(node); }

  // What is known about the edges of a node that were tried.
  struct Tried {
    std::size_t count = 0;
    float visits = 0, most = 0;  // of all, and of one
    float prior = 0;             // of all together
    float mixed = 0;             // the value of the others
  };

  Tried tried(Index node) {
    const auto edges = tree_.edges(node);
    Tried all;
    float weighted = 0;
    for (; all.count < edges.link.size() && edges.visits[all.count] > 0; ++all.count) {
      const std::size_t i = all.count;
      all.visits += edges.visits[i];
      all.most = std::max(all.most, edges.visits[i]);
      all.prior += edges.prior[i];
      weighted += edges.prior[i] * edges.mean(i);
    }
    const float own = tree_.value(node);
    all.mixed = own;
    if (all.count > 0) all.mixed = (own + all.visits * weighted / all.prior) / (1 + all.visits);
    return all;
  }

  float sigma(const Tried& all) const {
    return (options_.visit_offset + all.most) * options_.value_scale;
  }

  // Sequential halving: of the edges with as many visits as are due, the best.
  int root_choice() {
    const auto edges = tree_.edges(T::kRoot);
    const Tried all = tried(T::kRoot);
    const int due = schedules_->visits(edges.count(), simulations_);
    if (due == 0) {
      choose_next_at_root(all.count + 1);
      return static_cast<int>(all.count);
    }
    const float scale = sigma(all);
    std::size_t best = 0;
    float most = -1e30F;
    for (std::size_t i = 0; i < all.count; ++i) {
      if (edges.visits[i] != static_cast<float>(due)) continue;
      const bool lost = edges.link[i].exact == -1;
      const float score = lost ? kLeftOut : noise_[i] + edges.logit[i] + scale * edges.mean(i);
      if (score > most) best = i, most = score;
    }
    return static_cast<int>(best);
  }

  // The edge whose share of the visits lags most behind the improved policy. Edges that were never
  // tried all have the mixed value, so that the next one is the best of them.
  int inner_choice(Index node) {
    const auto edges = tree_.edges(node);
    const Tried all = tried(node);
    const bool untried = all.count < edges.link.size();
    const float scale = sigma(all);
    float top = untried ? all.mixed : -1;
    for (std::size_t i = 0; i < all.count; ++i) top = std::max(top, edges.mean(i));
    const float of_untried = exponential(scale * (all.mixed - top));
    float sum = untried ? std::max(0.0F, 1 - all.prior) * of_untried : 0;
    improved_.resize(all.count);
    for (std::size_t i = 0; i < all.count; ++i) {
      const bool lost = edges.link[i].exact == -1;
      improved_[i] = lost ? 0 : edges.prior[i] * exponential(scale * (edges.mean(i) - top));
      sum += improved_[i];
    }
    std::size_t best = all.count;
    float most = untried ? edges.prior[best] * of_untried / sum : -1e30F;
    for (std::size_t i = 0; i < all.count; ++i) {
      const float lag = improved_[i] / sum - edges.visits[i] / (1 + all.visits);
      if (lag > most && edges.link[i].exact != -1) best = i, most = lag;
    }
    if (best == all.count && untried) tree_.choose_next(node, best + 1);
    return static_cast<int>(std::min(best, edges.link.size() - 1));
  }

  // The edge with the largest noise + improved logit where `counts` is true; 0 where it never is.
  template <class Counts>
  int best_where(Counts&& counts) const {
    std::size_t best = 0;
    float most = -1e30F;
    for (std::size_t i = 0; i < improved_.size(); ++i) {
      const float score = noise_[i] + improved_[i];
      if (counts(i) && score > most) best = i, most = score;
    }
    return static_cast<int>(best);
  }

  // The most visited of those that are not worse than what is proved.
  int best_edge() {
    const auto edges = tree_.edges(T::kRoot);
    improve(T::kRoot);
    leave_out_what_is_worse();
    float most = -1;
    for (std::size_t i = 0; i < improved_.size(); ++i)
      if (improved_[i] > kLeftOut) most = std::max(most, edges.visits[i]);
    return best_where(
        [&](std::size_t i) { return improved_[i] > kLeftOut && edges.visits[i] == most; });
  }

  // Fills improved_ with logits + σ(completed Q).
  void improve(Index node) {
    const auto edges = tree_.edges(node);
    const Tried all = tried(node);
    const float scale = sigma(all);
    improved_.resize(edges.link.size());
    for (std::size_t i = 0; i < improved_.size(); ++i) {
      const float value = i < all.count ? edges.mean(i) : all.mixed;
      const bool lost = edges.link[i].exact == -1 && !tree_.proved(node);
      improved_[i] = lost ? kLeftOut : edges.logit[i] + scale * value;
    }
  }

  // Where the root is proved, only actions that keep its result are left.
  void leave_out_what_is_worse() {
    if (!tree_.proved(T::kRoot)) return;
    const auto edges = tree_.edges(T::kRoot);
    for (std::size_t i = 0; i < improved_.size(); ++i)
      if (edges.link[i].exact != tree_.exact(T::kRoot)) improved_[i] = kLeftOut;
  }

  GumbelOptions options_;
  T tree_;
  const HalvingSchedules* schedules_ = nullptr;
  int simulations_ = 0;
  typename T::Path path_;
  std::vector<float> noise_, improved_;
};

}  // namespace spielwerk
