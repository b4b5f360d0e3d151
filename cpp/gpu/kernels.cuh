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
// Where a batch is small it spreads over many warps, each of which has fewer games than threads.
// Those without a game of their own play nothing, but write along, since whole warps write; and where
// observations take long to paint, they take a share of that.
//
// The position is no member: rules reach into it by numbers known only at run time, so it lies in
// memory, and the compiler would put an object that holds it there as a whole.
template <Game G>
class Player {
 public:
  // Blocks that a multiprocessor should be able to hold at once. Games with large positions would
  // take all its registers and then wait for memory with nobody to take over.
  static constexpr int kResidentBlocks = sizeof(typename G::State) > 64 ? 5 : 1;

  __device__ __forceinline__ explicit Player(const Arguments& arguments)
      : arguments_(arguments),
        game_(*reinterpret_cast<const G*>(arguments.game)),
        course_{game_, arguments.skip_forced != 0} {
    const int warp = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
    warp_first_ = warp * static_cast<int>(arguments.games_a_warp);
    index_ = warp_first_ + lane();
    has_game_ = lane() < games_in_warp();
  }

  __device__ __forceinline__ void reset() {
    State state;
    if (has_game_) {
      dice_ = Rng(game_seed(seed(), index_));
      course_.begin(state, dice_, own_);
      write_dice();
      clear_result();
    }
    publish(state);
  }

  __device__ __forceinline__ void step() {
    State state;
    if (has_game_) {
      take_up(state);
      play(state);
    }
    publish(state);
  }

  // The caller has written one position and its dice: play goes on from there.
  __device__ __forceinline__ void place() {
    State state;
    if (has_game_) {
      take_up(state);
      if (index_ == arguments_.placed) {
        course_.settle(state, dice_, own_);
        if (over(game_, state)) begin_next(state);
      }
    }
    publish(state);
  }

  __device__ __forceinline__ void random_action() {
    if (!has_game_) return;
    Rng rng = own_stream();
    arguments_.chosen[index_] = random_member(read_legal(), rng);
  }

  __device__ __forceinline__ void greedy_choice() {
    if (!has_game_) return;
    const State state = read_state();
    Rng rng = own_stream();
    arguments_.chosen[index_] = greedy_action(game_, state, rng);
  }

  __device__ __forceinline__ void evaluate() {
    if (!has_game_) return;
    const State state = read_state();
    for (Seat seat = 0; seat < game_.seats(); ++seat)
      arguments_.outlook[index_ * game_.seats() + seat] =
          static_cast<float>(game_.evaluate(state, seat));
  }

 private:
  using State = typename G::State;
  using Legal = BitSet<G::kMaskWords>;

  __device__ __forceinline__ std::uint64_t seed() const {
    return static_cast<std::uint64_t>(arguments_.seed_at ? *arguments_.seed_at : arguments_.seed);
  }

  __device__ __forceinline__ Rng own_stream() const {
    return Rng::stream(seed(), Purpose::actions, index_);
  }

  __device__ __forceinline__ State read_state() const { return read_state(index_); }
  __device__ __forceinline__ State read_state(std::int64_t index) const {
    return reinterpret_cast<const State*>(arguments_.states)[index];
  }

  __device__ __forceinline__ Rng read_dice() const { return Rng(arguments_.dice[index_]); }
  __device__ __forceinline__ void write_dice() const { arguments_.dice[index_] = dice_.state(); }

  // Games without chance draw when they begin and at no other time. So most steps leave their dice
  // where they are: memory is what a step waits for.
  __device__ __forceinline__ void take_up(State& state) {
    state = read_state();
    if constexpr (G::kHasChance) dice_ = read_dice();
  }

  __device__ __forceinline__ void begin_next(State& state) {
    if constexpr (!G::kHasChance) dice_ = read_dice();
    course_.begin(state, dice_, own_);
    if constexpr (!G::kHasChance) write_dice();
  }

  __device__ __forceinline__ Legal read_legal() const {
    return reinterpret_cast<const Legal*>(arguments_.legal)[index_];
  }

  __device__ __forceinline__ std::int64_t read_action() const {
    return arguments_.action_bytes == 8
               ? static_cast<const std::int64_t*>(arguments_.actions)[index_]
               : static_cast<const std::int32_t*>(arguments_.actions)[index_];
  }

  // What the caller wants, if it is legal.
  __device__ __forceinline__ void play(State& state) {
    const std::int64_t wish = read_action();
    const Action action = wish >= 0 && wish < game_.actions() ? static_cast<Action>(wish) : -1;
    if (!read_legal().contains(action)) {
      refuse(action);
      clear_result();
      return;
    }
    course_.play(state, dice_, own_, action);
    if (over(game_, state)) {
      pay(state);
      begin_next(state);
    } else {
      clear_result();
    }
  }

  // The first one is kept for the caller's next question; nothing here waits for the host.
  __device__ __forceinline__ void refuse(Action action) {
    if (atomicCAS(&arguments_.refused[0], 0ull, static_cast<unsigned long long>(index_ + 1)) == 0)
      arguments_.refused[1] = static_cast<unsigned long long>(static_cast<long long>(action));
  }

  __device__ __forceinline__ void pay(const State& state) {
    double returns[kMaxSeats];
    int points[kMaxSeats];
    pay_out(game_, state, returns, points);
    for (Seat seat = 0; seat < game_.seats(); ++seat) {
      arguments_.reward[index_ * game_.seats() + seat] = static_cast<float>(returns[seat]);
      arguments_.points[index_ * game_.seats() + seat] = points[seat];
    }
    const bool truncated = game_.truncated(state);
    arguments_.truncated[index_] = truncated;
    arguments_.terminated[index_] = !truncated;
  }

  __device__ __forceinline__ void clear_result() {
    for (Seat seat = 0; seat < game_.seats(); ++seat)
      arguments_.reward[index_ * game_.seats() + seat] = 0;
    arguments_.terminated[index_] = arguments_.truncated[index_] = 0;
  }

  __device__ __forceinline__ void publish(State& state) {
    if (games_in_warp() == 0) return;
    if (has_game_) {
      reinterpret_cast<State*>(arguments_.states)[index_] = state;
      if constexpr (G::kHasChance) write_dice();
      arguments_.seat[index_] = game_.player(state);
    }
    write_legal(state);
    write_observation(state);
  }

  // As bits for the next step and as bytes for the caller.
  __device__ __forceinline__ void write_legal(const State& state) {
    auto& bits = shared().mask;
    const int length = game_.actions();
    bits.begin(length, games_in_warp());
    if (has_game_) {
      const Strip strip{static_cast<unsigned>(lane() * length), length % 32 != 0};
      const Legal set = game_.legal(state);
      reinterpret_cast<Legal*>(arguments_.legal)[index_] = set;
      for (int word = 0; 64 * word < length; ++word)
        bits.add(strip, 64 * word, set.words[word], length - 64 * word);
    }
    bits.write(arguments_.mask + std::int64_t{warp_first_} * length, length * games_in_warp());
  }

  __device__ __forceinline__ void write_observation(State& state) {
    const int cells = game_.grid().height * game_.grid().width;
    const std::int64_t length = G::kPlanes * cells;
    std::uint8_t* out = arguments_.observation + warp_first_ * length;
    if constexpr (kFitsShared) {
      if constexpr (G::kMarksCells) {
        paint_together(state, out, cells);
      } else {
        typename Canvas::Corrections corrections;
        Canvas canvas(shared().canvas, corrections, cells, games_in_warp(), lane());
        if (has_game_) game_.observe(state, game_.player(state), canvas);
        canvas.write(out, games_in_warp());
      }
    } else {
      LargeWarpCanvas<G::kMaxCells> canvas(out, static_cast<std::size_t>(length), cells,
                                           games_in_warp());
      if (has_game_) {
        game_.observe(state, game_.player(state), canvas);
      } else {
        canvas.write_along(G::kPlanes);
      }
    }
  }

  // As many threads paint a game as the warp has for each; the one that plays it is the first, and
  // has stored its position.
  __device__ __forceinline__ void paint_together(State& state, std::uint8_t* out, int cells) {
    const auto games = static_cast<unsigned>(arguments_.games_a_warp);
    const auto thread = static_cast<unsigned>(lane());
    const int game = static_cast<int>(thread % games);
    const bool paints = game < games_in_warp();
    if (paints && !has_game_) state = read_state(warp_first_ + game);
    typename Canvas::Corrections corrections;
    Canvas canvas(shared().canvas, corrections, cells, games_in_warp(), game,
                  {thread / games, kWarp / games});
    if (paints) game_.observe(state, game_.player(state), canvas);
    canvas.write(out, games_in_warp());
  }

  // None in a warp that only fills its block up.
  __device__ __forceinline__ int games_in_warp() const {
    const int left = static_cast<int>(arguments_.games) - warp_first_;
    const int most = static_cast<int>(arguments_.games_a_warp);
    return left <= 0 ? 0 : left < most ? left : most;
  }

  // Of 48 kilobytes a block may have, four warps take at most this many words for each game.
  static constexpr bool kFitsShared = words_for(G::kPlanes * G::kMaxCells) <= 44;
  using Canvas = WarpCanvas<kFitsShared ? G::kPlanes : 1, kFitsShared ? G::kMaxCells : 1>;

  union Shared {
    WarpBits<64 * G::kMaskWords> mask;
    typename Canvas::Shared canvas;
  };

  __device__ __forceinline__ static Shared& shared() {
    __shared__ Shared warps[kWarpsPerBlock];
    return warps[threadIdx.x / kWarp];
  }

  const Arguments& arguments_;
  const G& game_;
  Course<G> course_;
  std::int64_t index_;
  int warp_first_;  // 64 bits would take another register, and no GPU holds 2³¹ games
  bool has_game_;
  Rng dice_;
  Seat own_ = 0;  // without meaning here: the caller plays all seats
};

}  // namespace spielwerk::gpu
