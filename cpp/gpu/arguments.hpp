// What every kernel is given: addresses on the device and numbers, eight bytes each. The processor
// fills it in by the names below, so that this is the only place that knows the order.
#pragma once

#include <array>
#include <cstdint>

namespace spielwerk::gpu {

struct Arguments {
  const unsigned char* game;  // the rules in force, a plain copy of the processor's
  unsigned char* states;      // [games] positions
  std::uint64_t* dice;        // [games] random streams
  std::uint64_t* legal;       // [games, words] what can be played now
  std::uint8_t* observation;  // [games, planes, height, width]
  std::uint8_t* mask;         // [games, actions]
  float* reward;              // [games, seats]
  std::uint8_t* terminated;   // [games]
  std::uint8_t* truncated;    // [games]
  std::int32_t* seat;         // [games]
  std::int32_t* points;       // [games, seats]
  float* outlook;             // [games, seats]
  std::int32_t* chosen;       // [games]
  const void* actions;        // [games], of `action_bytes` bytes each
  std::int64_t action_bytes;
  std::int64_t games;
  std::int64_t games_a_warp;  // 32, or 16, 8, 4 where the batch is small
  std::int64_t seed;
  const std::int64_t* seed_at;  // where the seed is read instead, if anywhere
  std::int64_t skip_forced;
  std::int64_t placed;          // the game that is put into a position of the caller's choice
  unsigned long long* refused;  // [2] the first illegal action: its game + 1, and the action
};

inline constexpr std::array kArgumentNames = {
    "game",    "states",      "dice",         "legal",  "observation",  "mask",
    "reward",  "terminated",  "truncated",    "seat",   "points",       "outlook",
    "chosen",  "actions",     "action_bytes", "games",  "games_a_warp", "seed",
    "seed_at", "skip_forced", "placed",       "refused"};
static_assert(sizeof(Arguments) == 8 * kArgumentNames.size());

}  // namespace spielwerk::gpu
