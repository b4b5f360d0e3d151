// Thousands of games that a network plays against itself, each under a Gumbel search of its own, so
// that every step asks the network about one position of every game.
//
// Playout cap randomisation: most decisions get a fast search and only move the game on; the others
// get a full one and become rows to learn from. A game's rows are shown under one of its symmetries.
// Results depend on the seed and on the network's answers, never on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch.hpp"
#include "course.hpp"
#include "search/gumbel.hpp"
#include "thread_pool.hpp"

namespace spielwerk {

struct SelfPlayOptions {
  int games = 1;
  int threads = 1;
  int simulations = 64;          // of a full search
  int fast_simulations = 16;     // of the others
  double full_share = 0.25;      // of the searches that are full
  int opening = 8;               // random decisions before the first search, at most
  double play_out_share = 0.25;  // of the games that go on to the end once their result is proved
  GumbelOptions gumbel = {};
};

// Positions that had a full search, one after the other in each array.
struct SelfPlayRows {
  std::vector<std::uint8_t>
      observation;                  // [rows, planes, height, width], as the seat to act sees it
  std::vector<std::uint8_t> mask;   // [rows, actions]
  std::vector<float> policy;        // [rows, actions], the improved one
  std::vector<float> value;         // [rows, seats], what the search expects, the seat to act first
  std::vector<std::int8_t> exact;   // [rows], the proved result for the seat to act, or 2
  std::vector<std::int32_t> place;  // [rows, 4]: game, its number, decisions before, seat

  void append(const SelfPlayRows& other);
};

// Games that are over.
struct SelfPlayEnds {
  std::vector<std::int32_t> place;       // [ends, 3]: game, its number, decisions
  std::vector<float> returns;            // [ends, seats]
  std::vector<std::int32_t> points;      // [ends, seats]
  std::vector<std::uint8_t> played_out;  // [ends], 0 where a proof ended the game
  std::vector<std::uint8_t>
      observation;  // [ends, seats, planes, height, width], of the last position

  void append(const SelfPlayEnds& other);
};

template <class T>
void append_to(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

inline void SelfPlayRows::append(const SelfPlayRows& other) {
  append_to(observation, other.observation);
  append_to(mask, other.mask);
  append_to(policy, other.policy);
  append_to(value, other.value);
  append_to(exact, other.exact);
  append_to(place, other.place);
}

inline void SelfPlayEnds::append(const SelfPlayEnds& other) {
  append_to(place, other.place);
  append_to(returns, other.returns);
  append_to(points, other.points);
  append_to(played_out, other.played_out);
  append_to(observation, other.observation);
}

struct SelfPlayCounts {
  std::uint64_t decisions = 0, evaluations = 0, simulations = 0;
};

// What a game needs beside its position to go on as it would have.
struct SelfPlayMemory {
  std::uint64_t stream = 0;  // of everything that is drawn but the game's own dice
  std::int32_t number = 0, decisions = 0, symmetry = 0;
  bool plays_out = false;
};

template <Game G>
class SelfPlay {
 public:
  using State = typename G::State;

  SelfPlay(const G& game, const SelfPlayOptions& options)
      : game_(game),
        course_{game_, true},
        options_(options),
        full_(options.gumbel.considered, options.simulations),
        fast_(options.gumbel.considered, options.fast_simulations),
        pool_(options.threads),
        parts_((static_cast<std::size_t>(options.games) + kGamesAPart - 1) / kGamesAPart),
        seats_(static_cast<std::size_t>(game.seats())),
        actions_(static_cast<std::size_t>(game.actions())),
        cell_(static_cast<std::size_t>(game.grid().height * game.grid().width) *
              game.planes().size()) {
    if (game.actions() > std::numeric_limits<std::int16_t>::max())
      throw std::invalid_argument("a search tree holds games of at most 32767 actions");
    for (int i = 0; i < options.games; ++i) slots_.emplace_back(game_, options.gumbel);
    observation_.resize(slots_.size() * cell_);
    require_decisions();
  }

  Pages<std::uint8_t>& observation() { return observation_; }
  const SelfPlayOptions& options() const { return options_; }
  const State& state(int i) const { return slots_[static_cast<std::size_t>(i)].state; }
  const Rng& dice(int i) const { return slots_[static_cast<std::size_t>(i)].dice; }
  const SelfPlayMemory& memory(int i) const { return slots_[static_cast<std::size_t>(i)].memory; }

  GumbelRoot root(int i) { return slots_[static_cast<std::size_t>(i)].search.root(); }

  void reset(std::uint64_t seed) {
    clear();
    each_slot([&](Slot& slot, std::size_t i, Part& part) {
      slot.dice = Rng(game_seed(seed, i));
      slot.memory = {};
      slot.memory.stream = Rng::stream(seed, Purpose::search, i).state();
      begin_game(slot);
      search(slot, i, part);
    });
  }

  // Puts game i into a position; restart() must follow before the next step.
  void place(int i, const State& state, const Rng& dice, const SelfPlayMemory& memory) {
    Slot& slot = slots_[static_cast<std::size_t>(i)];
    slot.state = state;
    slot.dice = dice;
    slot.memory = memory;
    if (decides(state)) return;
    throw std::invalid_argument("nothing is to be decided in this position");
  }

  // Every game thinks again about its position, from nothing.
  void restart() {
    each_slot([&](Slot& slot, std::size_t i, Part& part) { search(slot, i, part); });
  }

  // Takes the network's answers about all observations, plays where a search is over, and observes
  // the next leaves. logits [games, actions], values [games, width]: of the seat to act and, if
  // width is the number of seats, of those after it in turn.
  void step(const float* logits, const float* values, std::size_t width) {
    each_slot([&](Slot& slot, std::size_t i, Part& part) {
      Rng rng(slot.memory.stream);
      const Seat seat = game_.player(slot.search.leaf());
      slot.search.judge(logits + i * actions_, prospects_of(game_, seat, values + i * width, width),
                        rng);
      ++part.counts.evaluations;
      slot.memory.stream = rng.state();
      go_on(slot, i, part);
    });
  }

  // What was gathered since the last call; `place` says where each row belongs.
  SelfPlayRows take_rows() { return taken(&Part::rows); }
  SelfPlayEnds take_ends() { return taken(&Part::ends); }

  SelfPlayCounts counts() const {
    SelfPlayCounts all;
    for (const Part& part : parts_) {
      all.decisions += part.counts.decisions;
      all.evaluations += part.counts.evaluations;
      all.simulations += part.counts.simulations;
    }
    return all;
  }

 private:
  struct Slot {
    Slot(const G& game, const GumbelOptions& options) : search(game, options) {}

    State state{};
    Rng dice;
    SelfPlayMemory memory;
    bool full = false;
    GumbelSearch<G> search;
  };

  // What some of the games, one after the other, have gathered.
  struct Part {
    SelfPlayRows rows;
    SelfPlayEnds ends;
    SelfPlayCounts counts;
  };

  // Threads take parts as they get done, so that none waits for one whose core has other work.
  template <class Work>
  void each_slot(Work&& work) {
    std::atomic<std::size_t> next{0};
    pool_.run([&](int) {
      for (std::size_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts_.size();)
        each_slot_of(part, work);
    });
  }

  template <class Work>
  void each_slot_of(std::size_t part, Work& work) {
    const std::size_t last = std::min(slots_.size(), (part + 1) * kGamesAPart);
    for (std::size_t i = part * kGamesAPart; i < last; ++i) work(slots_[i], i, parts_[part]);
  }

  template <class Gathered>
  Gathered taken(Gathered Part::* member) {
    Gathered all;
    for (Part& part : parts_) {
      all.append(part.*member);
      part.*member = {};
    }
    return all;
  }

  void clear() {
    for (Part& part : parts_) part = {};
  }

  bool decides(const State& state) const {
    return game_.player(state) >= 0 && game_.legal(state).count() > 1;
  }

  // Otherwise begin_game() could go on for ever.
  void require_decisions() {
    constexpr int kTrials = 1000;
    Rng rng(0);
    for (int trial = 0; trial < kTrials; ++trial) {
      State state = game_.start(rng);
      course_.settle(state, rng, 0);
      if (!over(game_, state)) return;
    }
    throw std::invalid_argument("nothing is ever to be decided under these rules");
  }

  void begin_game(Slot& slot) {
    Rng rng(slot.memory.stream);
    do {
      slot.state = game_.start(slot.dice);
      course_.settle(slot.state, slot.dice, 0);
      for (int left = rng.below(options_.opening + 1); left > 0 && !over(game_, slot.state); --left)
        course_.play(slot.state, slot.dice, 0, random_member(game_.legal(slot.state), rng));
    } while (over(game_, slot.state));
    slot.memory.symmetry = rng.below(game_.symmetries());
    slot.memory.plays_out = uniform(rng) < options_.play_out_share;
    slot.memory.decisions = 0;
    slot.memory.stream = rng.state();
  }

  void search(Slot& slot, std::size_t i, Part& part) {
    begin_search(slot);
    go_on(slot, i, part);
  }

  void begin_search(Slot& slot) {
    Rng rng(slot.memory.stream);
    slot.full = uniform(rng) < options_.full_share;
    slot.search.begin(slot.state, slot.full ? full_ : fast_);
    slot.memory.stream = rng.state();
  }

  // Searches and plays until the network must be asked; a new search always asks about its root.
  void go_on(Slot& slot, std::size_t i, Part& part) {
    while (!found_leaf(slot)) {
      part.counts.simulations += static_cast<std::uint64_t>(slot.search.simulations());
      ++part.counts.decisions;
      decide(slot, i, part);
      begin_search(slot);
    }
    const State& leaf = slot.search.leaf();
    observe(game_, leaf, game_.player(leaf), &observation_[i * cell_]);
  }

  bool found_leaf(Slot& slot) {
    Rng rng(slot.memory.stream);
    const bool found = slot.search.next(rng);
    slot.memory.stream = rng.state();
    return found;
  }

  void decide(Slot& slot, std::size_t i, Part& part) {
    if (slot.full) keep_row(slot, i, part.rows);
    auto& tree = slot.search.tree();
    ++slot.memory.decisions;
    if (tree.proved(0) && !slot.memory.plays_out)
      return end_game(slot, i, part, tree.exact_prospects(tree.player(0), tree.exact(0)), false);
    course_.play(slot.state, slot.dice, 0, slot.search.action());
    if (!over(game_, slot.state)) return;
    double returns[kMaxSeats] = {};
    game_.returns(slot.state, returns);
    Prospects prospects;
    std::copy_n(returns, seats_, prospects.of);
    end_game(slot, i, part, prospects, true);
  }

  void keep_row(Slot& slot, std::size_t i, SelfPlayRows& rows) {
    auto& tree = slot.search.tree();
    const Seat seat = tree.player(0);
    const int k = slot.memory.symmetry;
    const State shown = game_.symmetric(slot.state, k);
    observe(game_, shown, seat, grown(rows.observation, cell_));
    game_.legal(shown).expand_to(grown(rows.mask, actions_), game_.actions());
    float* policy = grown(rows.policy, actions_);
    const auto edges = tree.edges(0);
    const std::vector<float>& improved = slot.search.policy();
    for (std::size_t edge = 0; edge < improved.size(); ++edge)
      policy[game_.symmetric_action(edges.link[edge].action, k)] = improved[edge];
    for (std::size_t turn = 0; turn < seats_; ++turn)
      rows.value.push_back(tree.root_mean(seat_after(seat, turn)));
    rows.exact.push_back(tree.exact(0));
    const SelfPlayMemory& memory = slot.memory;
    append_to(rows.place, {static_cast<std::int32_t>(i), memory.number, memory.decisions, seat});
  }

  void end_game(Slot& slot, std::size_t i, Part& part, const Prospects& result, bool played_out) {
    SelfPlayEnds& ends = part.ends;
    SelfPlayMemory& memory = slot.memory;
    append_to(ends.place, {static_cast<std::int32_t>(i), memory.number, memory.decisions});
    int points[kMaxSeats] = {};
    if (played_out) game_.points(slot.state, points);
    ends.played_out.push_back(played_out);
    const State shown = game_.symmetric(slot.state, memory.symmetry);
    for (std::size_t seat = 0; seat < seats_; ++seat) {
      ends.returns.push_back(result.of[seat]);
      ends.points.push_back(points[seat]);
      observe(game_, shown, static_cast<Seat>(seat), grown(ends.observation, cell_));
    }
    ++memory.number;
    begin_game(slot);
  }

  // Room for so many more values at the end.
  template <class T>
  static T* grown(std::vector<T>& values, std::size_t more) {
    values.resize(values.size() + more);
    return values.data() + values.size() - more;
  }

  Seat seat_after(Seat seat, std::size_t turns) const {
    return static_cast<Seat>((static_cast<std::size_t>(seat) + turns) % seats_);
  }

  static constexpr std::size_t kGamesAPart = 64;

  static double uniform(Rng& rng) { return static_cast<double>(rng.next() >> 11) * 0x1p-53; }

  G game_;
  Course<G> course_;
  SelfPlayOptions options_;
  HalvingSchedules full_, fast_;
  ThreadPool pool_;
  std::vector<Part> parts_;
  std::size_t seats_, actions_, cell_;  // cell_: bytes of one observation
  std::vector<Slot> slots_;
  Pages<std::uint8_t> observation_;  // of the leaves, [games, planes, height, width]
};

}  // namespace spielwerk
