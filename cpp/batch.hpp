// Thousands of games stepped at once into flat buffers.
//
// Every game has its own random stream, so results depend on the seed alone, never on the number of
// threads. A finished game pays its returns in that step's rewards, and the next one starts in its
// place at once (same-step autoreset).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "course.hpp"
#include "game.hpp"
#include "search/greedy.hpp"
#include "thread_pool.hpp"

namespace spielwerk {

constexpr Action kNoAction = -1;

struct BatchOptions {
  int games = 1;
  int threads = 1;
  bool skip_forced = false;  // decisions with a single legal action are played at once
  Opponent opponent = Opponent::none;
  int seat = 0;  // the caller's where there are opponents; kAnySeat: drawn for every game
  bool illegal_loses = false;  // an illegal action loses its game instead of refusing the call
  bool keep_final = false;     // finished games are observed before the next one starts
};

// Whole pages of memory for each buffer, so that a learner may lock it for a GPU to read.
template <class T>
struct PageAllocator {
  using value_type = T;
  static constexpr std::size_t kPage = 4096;

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    return static_cast<T*>(::operator new(bytes, std::align_val_t{kPage}));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t{kPage}); }

  bool operator==(const PageAllocator&) const = default;
};

template <class T>
using Pages = std::vector<T, PageAllocator<T>>;

// Flat views, overwritten by every reset and step; [games, ...] each.
struct BatchBuffers {
  Pages<std::uint8_t> observation;        // [games, planes, height, width]
  Pages<std::uint8_t> mask;               // [games, actions]
  Pages<float> reward;                    // [games, seats]
  Pages<std::uint8_t> terminated;         // [games]
  Pages<std::uint8_t> truncated;          // [games]
  Pages<std::int32_t> seat;               // [games]
  Pages<std::int32_t> points;             // [games, seats], of the last game that ended here
  Pages<std::uint8_t> final_observation;  // [games, planes, height, width], of the last game that
                                          // ended here, if it is kept
  Pages<float> outlook;                   // [games, seats], filled by evaluate
  Pages<std::int32_t> chosen;             // [games], filled by random_actions and greedy_actions
};

template <Game G>
class Batch {
 public:
  using State = typename G::State;

  Batch(const G& game, BatchOptions options)
      : game_(game),
        course_{game_, options.skip_forced, options.opponent, options.seat},
        options_(options),
        pool_(options.threads),
        cell_(static_cast<std::size_t>(game.grid().height * game.grid().width) *
              game.planes().size()),
        states_(static_cast<std::size_t>(options.games)),
        streams_(static_cast<std::size_t>(options.games)),
        taken_(static_cast<std::size_t>(options.games)),
        legal_(static_cast<std::size_t>(options.games)),
        own_(static_cast<std::size_t>(options.games)) {
    const auto n = static_cast<std::size_t>(options.games);
    buffers_.observation.resize(n * cell_);
    buffers_.mask.resize(n * static_cast<std::size_t>(game.actions()));
    buffers_.reward.resize(n * static_cast<std::size_t>(game.seats()));
    buffers_.points.resize(n * static_cast<std::size_t>(game.seats()));
    buffers_.outlook.resize(n * static_cast<std::size_t>(game.seats()));
    buffers_.terminated.resize(n);
    buffers_.truncated.resize(n);
    buffers_.seat.resize(n);
    buffers_.chosen.resize(n);
    if (options.keep_final) buffers_.final_observation.resize(n * cell_);
    if (options.opponent != Opponent::none) require_that_every_seat_acts();
  }

  BatchBuffers& buffers() { return buffers_; }
  const State& state(int i) const { return states_[static_cast<std::size_t>(i)]; }
  const Rng& stream(int i) const { return streams_[static_cast<std::size_t>(i)]; }

  void reset(std::uint64_t seed) {
    each_game([&](std::size_t i) {
      streams_[i] = Rng(game_seed(seed, i));
      clear_result(i);
      begin(i);
      publish(i);
    });
  }

  // Puts game i into a position of the caller's choice.
  void place(int i, const State& state) { place(i, state, stream(i)); }

  // The same, with the dice that are to fall from here on.
  void place(int i, const State& state, const Rng& dice) {
    const auto index = static_cast<std::size_t>(i);
    states_[index] = state;
    streams_[index] = dice;
    own_[index] = game_.player(state);  // whose turn it is becomes the caller's seat
    course_.settle(states_[index], streams_[index], own_[index]);
    if (over(game_, states_[index])) begin(index);
    publish(index);
  }

  // Steps all games, or none: an illegal action anywhere refuses the whole call.
  template <class Integer>
  void step(const Integer* actions) {
    take(actions);
    each_game([&](std::size_t i) {
      if (taken_[i] == kNoAction) {
        forfeit(i);
      } else {
        advance(i, taken_[i]);
      }
    });
  }

  // One uniformly random legal action per game, a pure function of (seed, positions).
  void random_actions(std::uint64_t seed) {
    each_game([&](std::size_t i) {
      Rng rng = Rng::stream(seed, Purpose::actions, i);
      buffers_.chosen[i] = random_member(legal_[i], rng);
    });
  }

  // The action that each game's own heuristic likes best one step ahead; ties fall by the seed.
  void greedy_actions(std::uint64_t seed) {
    each_game([&](std::size_t i) {
      Rng rng = Rng::stream(seed, Purpose::actions, i);
      buffers_.chosen[i] = greedy_action(game_, states_[i], rng);
    });
  }

  // What every seat can expect by each game's own heuristic.
  void evaluate() {
    const auto seats = static_cast<std::size_t>(game_.seats());
    each_game([&](std::size_t i) {
      for (std::size_t seat = 0; seat < seats; ++seat)
        buffers_.outlook[i * seats + seat] =
            static_cast<float>(game_.evaluate(states_[i], static_cast<Seat>(seat)));
    });
  }

 private:
  template <class Work>
  void each_game(Work&& work) {
    const std::size_t games = states_.size();
    const auto parts = static_cast<std::size_t>(pool_.threads());
    pool_.run([&](int part) {
      const std::size_t first = games * static_cast<std::size_t>(part) / parts;
      const std::size_t last = games * (static_cast<std::size_t>(part) + 1) / parts;
      for (std::size_t i = first; i < last; ++i) work(i);
    });
  }

  // Reads each of the caller's numbers once and keeps a copy: another thread may rewrite the array
  // meanwhile, and what is played must be what was checked.
  template <class Integer>
  void take(const volatile Integer* actions) {
    const auto limit = static_cast<std::uint64_t>(game_.actions());
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const long long action = actions[i];
      const bool known = static_cast<std::uint64_t>(action) < limit;  // no negative one is
      taken_[i] = static_cast<Action>(action);
      if (known && legal_[i].contains(taken_[i])) continue;
      if (!options_.illegal_loses) refuse(i, action);
      taken_[i] = kNoAction;
    }
  }

  [[noreturn]] void refuse(std::size_t i, long long action) const {
    throw std::invalid_argument("action " + std::to_string(action) + " is illegal in game " +
                                std::to_string(i) + " of the batch; no game was stepped");
  }

  void begin(std::size_t i) { course_.begin(states_[i], streams_[i], own_[i]); }

  // Otherwise begin() could go on for ever.
  void require_that_every_seat_acts() {
    constexpr int kTrials = 1000;
    for (int trial = 0; trial < kTrials; ++trial) {
      course_.start(states_[0], streams_[0], own_[0]);
      if (!over(game_, states_[0])) return;
    }
    throw std::invalid_argument("seat " + std::to_string(options_.seat) +
                                " never acts: the others end the game before it can");
  }

  void advance(std::size_t i, Action action) {
    course_.play(states_[i], streams_[i], own_[i], action);
    if (over(game_, states_[i])) {
      pay(i);
      begin(i);
    } else {
      clear_result(i);
    }
    publish(i);
  }

  // The seat to act loses, as in the environments of single games: -1 for it, 0 for the others.
  void forfeit(std::size_t i) {
    const auto loser = static_cast<std::size_t>(game_.player(states_[i]));
    clear_result(i);
    buffers_.reward[i * static_cast<std::size_t>(game_.seats()) + loser] = -1;
    buffers_.terminated[i] = 1;
    keep_final(i);
    begin(i);
    publish(i);
  }

  // As the seat sees it that acted last.
  void keep_final(std::size_t i) {
    if (options_.keep_final)
      observe(game_, states_[i], buffers_.seat[i], &buffers_.final_observation[i * cell_]);
  }

  void pay(std::size_t i) {
    keep_final(i);
    double returns[kMaxSeats];
    int points[kMaxSeats];
    pay_out(game_, states_[i], returns, points);
    const auto seats = static_cast<std::size_t>(game_.seats());
    for (std::size_t seat = 0; seat < seats; ++seat)
      buffers_.reward[i * seats + seat] = static_cast<float>(returns[seat]);
    std::copy_n(points, seats, &buffers_.points[i * seats]);
    buffers_.truncated[i] = game_.truncated(states_[i]);
    buffers_.terminated[i] = !buffers_.truncated[i];
  }

  void clear_result(std::size_t i) {
    const auto seats = static_cast<std::size_t>(game_.seats());
    for (std::size_t seat = 0; seat < seats; ++seat) buffers_.reward[i * seats + seat] = 0;
    buffers_.terminated[i] = buffers_.truncated[i] = 0;
  }

  void publish(std::size_t i) {
    const Seat seat = game_.player(states_[i]);
    legal_[i] = game_.legal(states_[i]);
    buffers_.seat[i] = seat;
    legal_[i].expand_to(&buffers_.mask[i * static_cast<std::size_t>(game_.actions())],
                        game_.actions());
    observe(game_, states_[i], seat, &buffers_.observation[i * cell_]);
  }

  G game_;
  Course<G> course_;
  BatchOptions options_;
  ThreadPool pool_;
  std::size_t cell_;  // bytes of one observation
  std::vector<State> states_;
  std::vector<Rng> streams_;
  std::vector<Action> taken_;  // the actions of this step
  std::vector<BitSet<G::kMaskWords>> legal_;
  std::vector<Seat> own_;  // the caller's seat in each game, where there are opponents
  BatchBuffers buffers_;
};

}  // namespace spielwerk
