// Games that alpha-beta plays against itself, for an evaluation network to learn from
// (search/nnue.hpp).
//
// A game begins with random actions and goes on by searches with a limit of nodes, now and then by a
// random action. Every searched position becomes a lesson, seen under a random symmetry: its
// features, the heuristic, the search's score and the result. So does the position after a random
// action, with the score of a search of its own in place of a result: leaves of a search are mostly
// what nobody would play.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "search/alphabeta.hpp"

namespace spielwerk {

struct LessonOptions {
  int games = 1;
  std::uint64_t seed = 0, first_game = 0;
  std::uint64_t nodes = 1;  // of a search
  int opening = 0;          // random actions at the beginning, at most
  double errs = 0;          // how often a random action is played later on
  std::shared_ptr<const NnueWeights> teacher = nullptr;  // judges in the searches
};

// Features of positions one after the other, `ends` says where each one's end; all values are
// seat 0's.
struct Lessons {
  std::vector<std::int32_t> features;
  std::vector<std::int64_t> ends;
  std::vector<float> heuristics, scores, results;
};

template <Game G>
class LessonBook {
 public:
  using State = typename G::State;

  LessonBook(const G& game, const LessonOptions& options)
      : game_(game), options_(options), features_(game, true) {}

  Lessons written() {
    for (int i = 0; i < options_.games; ++i) {
      const auto number = options_.first_game + static_cast<std::uint64_t>(i);
      play(Rng::stream(options_.seed, Purpose::search, number));
    }
    return std::move(lessons_);
  }

 private:
  static constexpr std::size_t kMegabytes = 4;  // of the transposition table
  static constexpr int kPerMille = 1000;

  void play(Rng draw) {
    AlphaBeta<G> search(game_, {.megabytes = kMegabytes, .network = options_.teacher});
    State state = game_.start(draw);
    int opening = draw.below(options_.opening + 1);
    std::vector<std::size_t> played;  // the lessons that wait for the result
    while (!over(game_, state) && game_.settled(state) == kNobody) {
      const auto choices = game_.legal(state);
      Action action = random_member(choices, draw);
      if (opening-- <= 0 && choices.count() > 1) {
        const SearchLine best = searched(search, state, options_.nodes, draw);
        played.push_back(lessons_.ends.size());
        write(state, best.value, draw);
        write_aside(search, state, action, draw);
        if (draw.below(kPerMille) >= options_.errs * kPerMille) action = best.actions[0];
      }
      game_.apply(state, action);
    }
    for (const std::size_t lesson : played) lessons_.results[lesson] = result_of(state);
  }

  void write_aside(AlphaBeta<G>& search, const State& state, Action action, Rng& draw) {
    State aside = state;
    game_.apply(aside, action);
    if (over(game_, aside) || game_.settled(aside) != kNobody || game_.legal(aside).count() == 1)
      return;
    const auto nodes = std::max<std::uint64_t>(1, options_.nodes / 2);
    write(aside, searched(search, aside, nodes, draw).value, draw);
  }

  SearchLine searched(AlphaBeta<G>& search, const State& state, std::uint64_t nodes, Rng& draw) {
    return search.search(state, {.nodes = nodes}, draw.next()).lines[0];
  }

  // `value` is for who is to act, and stands for the result until that is known.
  void write(const State& state, double value, Rng& draw) {
    features_.read(game_.symmetric(state, draw.below(game_.symmetries())));
    const auto& words = features_.words();
    for (std::size_t word = 0; word < words.size(); ++word)
      each(words[word], [&](int bit) { lessons_.features.push_back(features_.first(word) + bit); });
    lessons_.ends.push_back(static_cast<std::int64_t>(lessons_.features.size()));
    lessons_.heuristics.push_back(static_cast<float>(game_.evaluate(state, 0)));
    const double score = game_.player(state) == 0 ? value : -value;
    lessons_.scores.push_back(static_cast<float>(score));
    lessons_.results.push_back(static_cast<float>(score));
  }

  float result_of(const State& state) const {
    double returns[kMaxSeats];
    certain_returns(game_, state, returns);
    return static_cast<float>(returns[0]);
  }

  const G& game_;
  LessonOptions options_;
  FeatureSet<G> features_;
  Lessons lessons_;
};

}  // namespace spielwerk
