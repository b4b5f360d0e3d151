// Functions whose last digit differs between the mathematical libraries of this world, made of
// additions, multiplications and divisions alone, which are exact to the bit on every processor
// (the build forbids fused multiply-adds). So the same seed plays the same game everywhere.
#pragma once

#include <bit>
#include <cstdint>

namespace spielwerk {

// The hyperbolic tangent up to 0.001 where |x| < 3.5: odd, growing, within -1 .. +1 (a Padé
// approximant, cut off at ±1).
constexpr double squashed(double x) {
  const double square = x * x;
  const double value = x * (945 + square * (105 + square)) / (945 + square * (420 + 15 * square));
  return value > 1 ? 1 : value < -1 ? -1 : value;
}

// The natural logarithm of n ≥ 1 up to 0.00002: the exponent of n as a float, and a series of the
// inverse hyperbolic tangent for its mantissa, 1 .. 2.
constexpr float natural_log(std::uint64_t n) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(n));
  const auto exponent = static_cast<float>(static_cast<int>(bits >> 23) - 127);
  const auto mantissa = std::bit_cast<float>((bits & 0x7fffff) | 0x3f800000);
  const float z = (mantissa - 1) / (mantissa + 1), square = z * z;
  const float series = 1 + square * (1.0F / 3 + square * (1.0F / 5 + square * (1.0F / 7)));
  return exponent * 0.693147181F + 2 * z * series;
}

}  // namespace spielwerk
