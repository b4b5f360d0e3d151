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

#include "game.hpp"
#include "search/greedy.hpp"
#include "thread_pool.hpp"

namespace spielwerk {

struct BatchOptions {
  int games = 1;
  int threads = 1;
  bool skip_forced = false;  // decisions with a single legal action are played at once
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
  Pages<std::uint8_t> observation;  // [games, planes, height, width]
  Pages<std::uint8_t> mask;         // [games, actions]
  Pages<float> reward;              // [games, seats]
  Pages<std::uint8_t> terminated;   // [games]
  Pages<std::uint8_t> truncated;    // [games]
  Pages<std::int32_t> seat;         // [games]
  Pages<std::int32_t> points;       // [games, seats], of the last game that ended here
  Pages<float> outlook;             // [games, seats], filled by evaluate
  Pages<std::int32_t> chosen;       // [games], filled by random_actions and greedy_actions
};

template <Game G>
class Batch {
 public:
  using State = typename G::State;

  Batch(const G& game, BatchOptions options)
      : game_(game),
        options_(options),
        pool_(options.threads),
        cell_(static_cast<std::size_t>(game.grid().height * game.grid().width) *
              game.planes().size()),
        states_(static_cast<std::size_t>(options.games)),
        streams_(static_cast<std::size_t>(options.games)),
        taken_(static_cast<std::size_t>(options.games)),
        legal_(static_cast<std::size_t>(options.games)) {
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
    settle(index);
    if (over(game_, states_[index])) begin(index);
    publish(index);
  }

  // Steps all games, or none: an illegal action anywhere refuses the whole call.
  template <class Integer>
  void step(const Integer* actions) {
    for (std::size_t i = 0; i < states_.size(); ++i) take(i, actions[i]);
    each_game([&](std::size_t i) { advance(i, taken_[i]); });
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

  // Reads the caller's number once and keeps a copy: another thread may rewrite the array
  // meanwhile, and what is played must be what was checked.
  template <class Integer>
  void take(std::size_t i, const volatile Integer& given) {
    const Integer action = given;
    const bool known = action >= 0 && action < game_.actions();
    if (!known || !legal_[i].contains(static_cast<Action>(action)))
      refuse(i, static_cast<long long>(action));
    taken_[i] = static_cast<Action>(action);
  }

  [[noreturn]] void refuse(std::size_t i, long long action) const {
    throw std::invalid_argument("action " + std::to_string(action) + " is illegal in game " +
                                std::to_string(i) + " of the batch; no game was stepped");
  }

  void begin(std::size_t i) {
    do {
      states_[i] = game_.start(streams_[i]);
      settle(i);
    } while (over(game_, states_[i]));
  }

  void settle(std::size_t i) {
    settle_chance(game_, states_[i], streams_[i]);
    if (options_.skip_forced) play_forced(i);
  }

  void play_forced(std::size_t i) {
    while (!over(game_, states_[i])) {
      const auto legal = game_.legal(states_[i]);
      if (legal.count() != 1) return;
      game_.apply(states_[i], legal.select(0));
      settle_chance(game_, states_[i], streams_[i]);
    }
  }

  void advance(std::size_t i, Action action) {
    game_.apply(states_[i], action);
    settle(i);
    if (over(game_, states_[i])) {
      pay(i);
      begin(i);
    } else {
      clear_result(i);
    }
    publish(i);
  }

  void pay(std::size_t i) {
    double returns[kMaxSeats];
    game_.returns(states_[i], returns);
    const auto seats = static_cast<std::size_t>(game_.seats());
    for (std::size_t seat = 0; seat < seats; ++seat)
      buffers_.reward[i * seats + seat] = static_cast<float>(returns[seat]);
    int points[kMaxSeats];
    game_.points(states_[i], points);
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
    game_.observe(states_[i], seat, &buffers_.observation[i * cell_]);
  }

  G game_;
  BatchOptions options_;
  ThreadPool pool_;
  std::size_t cell_;  // bytes of one observation
  std::vector<State> states_;
  std::vector<Rng> streams_;
  std::vector<Action> taken_;  // the actions of this step
  std::vector<BitSet<G::kMaskWords>> legal_;
  BatchBuffers buffers_;
};

}  // namespace spielwerk
