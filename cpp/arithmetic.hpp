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

// The natural logarithm of x > 0, up to one part in 10^12.
constexpr double precise_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023);
  auto mantissa = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  if (mantissa > 1.4142135623730951) mantissa *= 0.5, exponent += 1;
  const double z = (mantissa - 1) / (mantissa + 1), square = z * z;
  double series = 1.0 / 15;
  for (int odd = 13; odd >= 1; odd -= 2) series = series * square + 1.0 / odd;
  return exponent * 0.6931471805599453 + 2 * z * series;
}

// e to the power of x up to three parts in 10^7, for x within -87 .. 88; what is beyond counts as
// the nearer end. Without branches, so that compilers can take several at once.
constexpr float exponential(float x) {
  x = x > -87.0F ? x : -87.0F;
  x = x < 88.0F ? x : 88.0F;
  const float scaled = x * 1.44269504F;
  const auto whole = static_cast<std::int32_t>(scaled + 512.5F) - 512;
  const float rest = (scaled - static_cast<float>(whole)) * 0.69314718F;
  const float power =
      1 +
      rest * (1 + rest * (1.0F / 2 +
                          rest * (1.0F / 6 +
                                  rest * (1.0F / 24 + rest * (1.0F / 120 + rest * (1.0F / 720))))));
  return power * std::bit_cast<float>(static_cast<std::uint32_t>(whole + 127) << 23);
}

}  // namespace spielwerk
