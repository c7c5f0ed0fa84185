#include <filch/base/random.hpp>

#include <filch/base/assert.hpp>

#include <limits>

namespace filch::inline v0 {

// x = m · 2^e with m in [√½, √2); ln m = 2·artanh(s) with s = (m − 1)/(m + 1), |s| < 0.1716, as an odd series in s.
// Only +, −, ·, / are used, and the file is compiled without contraction, so the result has the same bits everywhere.
double portable_log(double x) {
  FILCH_ASSERT(x > 0 && x <= std::numeric_limits<double>::max(), x);
  auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = 0;
  if (bits < 0x0010000000000000u) {  // subnormal
    bits = std::bit_cast<std::uint64_t>(x * 0x1.0p54);
    exponent = -54;
  }
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m > 1.4142135623730951) m *= 0.5, ++exponent;

  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double sum = 0.0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * z;
  const double high = 2.0 * s;
  constexpr double k_ln2_high = 6.93147180369123816490e-01;  // the low 32 bits are zero: the product below is exact
  constexpr double k_ln2_low = 1.90821492927058770002e-10;
  return exponent * k_ln2_high + (high + (high * sum + exponent * k_ln2_low));
}

double random_stream::exponential(double mean) {
  // 1 − unit() lies in (0, 1], so the logarithm is finite.
  return -mean * portable_log(1.0 - unit());
}

}  // namespace filch::inline v0
