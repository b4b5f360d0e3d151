// A warp of a GPU on the processor: 32 fibers that take turns at every point where a warp waits for
// all its threads. So the very kernels run where there is no GPU. Included behind everything that
// includes the standard library, whose headers also know the word __noinline__.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ static

struct Dimension {
  unsigned x;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline Dimension threadIdx{0}, blockIdx{0}, blockDim{32};

namespace warp {

inline constexpr unsigned kThreads = 32;
inline constexpr unsigned kWarpsPerBlock = 4;
inline constexpr std::size_t kStack = 1 << 20;

// Contexts begin the fibers; jumps go on with them, since they make no system calls.
inline jmp_buf scheduler, threads[kThreads];
inline std::vector<char> stacks(kThreads* kStack);
inline bool ended[kThreads];
inline std::uint64_t passed[kThreads];  // from thread to thread
inline void (*work)(const void*);
inline const void* arguments;

inline void wait_for_all() {
  if (_setjmp(threads[threadIdx.x]) == 0) _longjmp(scheduler, 1);
}

inline void live() {
  work(arguments);
  ended[threadIdx.x] = true;
  wait_for_all();
}

// Runs a thread of the warp until it waits for the others, for the first time or again.
inline void begin(unsigned thread) {
  threadIdx.x = thread;
  ended[thread] = false;
  ucontext_t fiber;
  getcontext(&fiber);
  fiber.uc_stack.ss_sp = stacks.data() + thread * kStack;
  fiber.uc_stack.ss_size = kStack;
  makecontext(&fiber, live, 0);
  if (_setjmp(scheduler) == 0) setcontext(&fiber);
}

inline void go_on(unsigned thread) {
  threadIdx.x = thread;
  if (_setjmp(scheduler) == 0) _longjmp(threads[thread], 1);
}

// Runs one warp to its end. Threads that do not all wait equally often would hang on a GPU.
inline void run() {
  for (unsigned thread = 0; thread < kThreads; ++thread) begin(thread);
  for (;;) {
    const auto count = std::count(ended, ended + kThreads, true);
    if (count == kThreads) return;
    if (count != 0) {
      std::fputs("some threads of a warp ended while others waited for them\n", stderr);
      std::abort();
    }
    for (unsigned thread = 0; thread < kThreads; ++thread) go_on(thread);
  }
}

template <class T>
T from_thread(T value, unsigned thread) {
  passed[threadIdx.x] = value;
  wait_for_all();
  const T found = static_cast<T>(passed[thread]);
  wait_for_all();
  return found;
}

// One warp after the other. As in a GPU's blocks, the last may have no games at all.
template <class Arguments>
void launch(const Arguments& given, void (*kernel)(const void*)) {
  work = kernel;
  arguments = &given;
  const auto games_a_block = kWarpsPerBlock * static_cast<unsigned>(given.games_a_warp);
  const auto blocks = (static_cast<unsigned>(given.games) + games_a_block - 1) / games_a_block;
  for (blockIdx.x = 0; blockIdx.x < kWarpsPerBlock * blocks; ++blockIdx.x) run();
}

// A game that notes which threads of all warps ask it about a position.
inline std::set<unsigned> asking;

template <class G>
struct Watched : G {
  using State = typename G::State;

  auto player(const State& state) const { return noted().player(state); }
  auto legal(const State& state) const { return noted().legal(state); }
  void apply(State& state, int action) const { noted().apply(state, action); }
  double evaluate(const State& state, int seat) const { return noted().evaluate(state, seat); }

  template <class Canvas>
  void observe(const State& state, int seat, Canvas& canvas) const {
    noted().observe(state, seat, canvas);
  }

 private:
  const G& noted() const {
    asking.insert(blockIdx.x * kThreads + threadIdx.x);
    return *this;
  }
};

}  // namespace warp

inline void __syncwarp() { warp::wait_for_all(); }

template <class T>
T __shfl_sync(unsigned, T value, int thread) {
  return warp::from_thread(value, static_cast<unsigned>(thread));
}

template <class T>
T __shfl_xor_sync(unsigned, T value, int distance) {
  return warp::from_thread(value, threadIdx.x ^ static_cast<unsigned>(distance));
}

inline int __ffs(int bits) { return __builtin_ffs(bits); }

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> shift % 32);
}

inline std::uint32_t atomicOr(std::uint32_t* word, std::uint32_t bits) {
  const std::uint32_t before = *word;
  *word |= bits;
  return before;
}

inline unsigned long long atomicCAS(unsigned long long* word, unsigned long long expected,
                                    unsigned long long wanted) {
  const unsigned long long before = *word;
  if (before == expected) *word = wanted;
  return before;
}
