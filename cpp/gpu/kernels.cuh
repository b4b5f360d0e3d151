// The batch on a GPU: one thread plays one game, by the very rules of the processor. Knows what a
// game is (game.hpp) and no game. Every kernel takes Arguments and is found by its name.
#pragma once

#include "../course.hpp"
#include "../search/greedy.hpp"
#include "arguments.hpp"
#include "warp_canvas.cuh"

namespace spielwerk::gpu {

inline constexpr int kWarpsPerBlock = 4;

// One game of the batch in a thread's own registers, and the way to and from the device's memory.
// Threads beyond the last game play a copy of it and write nothing, since whole warps write.
template <Game G>
class Player {
 public:
  __device__ explicit Player(const Arguments& arguments)
      : arguments_(arguments),
        game_(*reinterpret_cast<const G*>(arguments.game)),
        course_{game_, arguments.skip_forced != 0} {
    const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    real_ = thread < arguments.games;
    index_ = real_ ? thread : arguments.games - 1;
    warp_first_ = thread - thread % kWarp;
  }

  __device__ void reset() {
    dice_ = Rng(game_seed(static_cast<std::uint64_t>(arguments_.seed), index_));
    course_.begin(state_, dice_, own_);
    clear_result();
    publish();
  }

  __device__ void step() {
    load();
    const Action action = read_action();
    if (legal().contains(action)) {
      course_.play(state_, dice_, own_, action);
      if (over(game_, state_)) {
        pay();
        course_.begin(state_, dice_, own_);
      } else {
        clear_result();
      }
    } else {
      refuse(action);
      clear_result();
    }
    publish();
  }

  // The caller has written one position and its dice: play goes on from there.
  __device__ void place() {
    load();
    if (index_ == arguments_.placed) {
      course_.settle(state_, dice_, own_);
      if (over(game_, state_)) course_.begin(state_, dice_, own_);
    }
    publish();
  }

  __device__ void random_action() {
    Rng rng = own_stream();
    if (real_) arguments_.chosen[index_] = random_member(legal(), rng);
  }

  __device__ void greedy_choice() {
    load();
    Rng rng = own_stream();
    if (real_) arguments_.chosen[index_] = greedy_action(game_, state_, rng);
  }

  __device__ void evaluate() {
    load();
    for (Seat seat = 0; seat < game_.seats(); ++seat)
      if (real_)
        arguments_.outlook[index_ * game_.seats() + seat] =
            static_cast<float>(game_.evaluate(state_, seat));
  }

 private:
  using State = typename G::State;
  using Legal = BitSet<G::kMaskWords>;

  __device__ Rng own_stream() const {
    return Rng::stream(static_cast<std::uint64_t>(arguments_.seed), Purpose::actions, index_);
  }

  __device__ void load() {
    state_ = reinterpret_cast<const State*>(arguments_.states)[index_];
    dice_ = Rng(arguments_.dice[index_]);
  }

  __device__ Legal legal() const {
    return reinterpret_cast<const Legal*>(arguments_.legal)[index_];
  }

  __device__ Action read_action() const {
    const std::int64_t action = arguments_.action_bytes == 8
                                    ? static_cast<const std::int64_t*>(arguments_.actions)[index_]
                                    : static_cast<const std::int32_t*>(arguments_.actions)[index_];
    return action >= 0 && action < game_.actions() ? static_cast<Action>(action) : -1;
  }

  // The first one is kept for the caller's next question; nothing here waits for the host.
  __device__ void refuse(Action action) {
    if (!real_) return;
    if (atomicCAS(&arguments_.refused[0], 0ull, static_cast<unsigned long long>(index_ + 1)) == 0)
      arguments_.refused[1] = static_cast<unsigned long long>(static_cast<long long>(action));
  }

  __device__ void pay() {
    if (!real_) return;
    double returns[kMaxSeats];
    int points[kMaxSeats];
    pay_out(game_, state_, returns, points);
    for (Seat seat = 0; seat < game_.seats(); ++seat) {
      arguments_.reward[index_ * game_.seats() + seat] = static_cast<float>(returns[seat]);
      arguments_.points[index_ * game_.seats() + seat] = points[seat];
    }
    const bool truncated = game_.truncated(state_);
    arguments_.truncated[index_] = truncated;
    arguments_.terminated[index_] = !truncated;
  }

  __device__ void clear_result() {
    if (!real_) return;
    for (Seat seat = 0; seat < game_.seats(); ++seat)
      arguments_.reward[index_ * game_.seats() + seat] = 0;
    arguments_.terminated[index_] = arguments_.truncated[index_] = 0;
  }

  __device__ void publish() {
    const Seat seat = game_.player(state_);
    const Legal set = game_.legal(state_);
    if (real_) {
      reinterpret_cast<State*>(arguments_.states)[index_] = state_;
      arguments_.dice[index_] = dice_.state();
      reinterpret_cast<Legal*>(arguments_.legal)[index_] = set;
      arguments_.seat[index_] = seat;
    }
    write_mask(set);
    write_observation(seat);
  }

  __device__ void write_mask(const Legal& set) {
    auto& rows = shared().mask;
    std::uint32_t* row = rows.own();
    for (int word = 0; word < G::kMaskWords; ++word) {
      row[2 * word] = static_cast<std::uint32_t>(set.words[word]);
      row[2 * word + 1] = static_cast<std::uint32_t>(set.words[word] >> 32);
    }
    rows.write(arguments_.mask + warp_first_ * game_.actions(), game_.actions(), games_in_warp());
  }

  __device__ void write_observation(Seat seat) {
    const int cells = game_.grid().height * game_.grid().width;
    const std::int64_t length = arguments_.planes * cells;
    std::uint8_t* out = arguments_.observation + warp_first_ * length;
    if constexpr (kFitsShared) {
      Canvas canvas(shared().canvas, cells);
      game_.observe(state_, seat, canvas);
      canvas.write(out, games_in_warp());
    } else {
      LargeWarpCanvas<G::kMaxCells> canvas(out, static_cast<std::size_t>(length), cells,
                                           games_in_warp());
      game_.observe(state_, seat, canvas);
    }
  }

  __device__ int games_in_warp() const {
    const std::int64_t left = arguments_.games - warp_first_;
    return left < kWarp ? static_cast<int>(left) : kWarp;
  }

  // Of 48 kilobytes a block may have, four warps take at most this many words for each game.
  static constexpr bool kFitsShared = words_for(G::kPlanes * G::kMaxCells) <= 44;
  using Canvas = WarpCanvas<kFitsShared ? G::kPlanes : 1, kFitsShared ? G::kMaxCells : 1>;

  union Shared {
    SharedRows<G::kMaskWords + 1> mask;
    typename Canvas::Shared canvas;
  };

  __device__ static Shared& shared() {
    __shared__ Shared warps[kWarpsPerBlock];
    return warps[threadIdx.x / kWarp];
  }

  const Arguments& arguments_;
  const G& game_;
  Course<G> course_;
  std::int64_t index_, warp_first_;
  bool real_;
  State state_;
  Rng dice_;
  Seat own_ = 0;  // without meaning here: the caller plays all seats
};

}  // namespace spielwerk::gpu
