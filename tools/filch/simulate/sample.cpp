#include "sample.hpp"

#include <cmath>
#include <limits>

#include "../text.hpp"

namespace filch::tool {
namespace {

constexpr double k_doubt = 0.05;
// Differences that small come from rounding: equal runs give equal values.
constexpr double k_rounding = 1e-12;

// The continued fraction of the incomplete beta function (Lentz's method).
double beta_fraction(double a, double b, double x) {
  constexpr double k_tiny = 1e-300;
  constexpr double k_close = 1e-15;
  constexpr int k_most_terms = 10'000;
  const auto away_from_zero = [](double value) { return std::abs(value) < k_tiny ? k_tiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double product = d;
  for (int m = 1; m != k_most_terms; ++m) {
    const double two_m = 2.0 * m;
    const double even = m * (b - m) * x / ((a + two_m - 1) * (a + two_m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    product *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + two_m) * (a + two_m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    product *= d * c;
    if (std::abs(d * c - 1) < k_close) break;
  }
  return product;
}

// I_x(a, b), the regularised incomplete beta function.
double beta_share(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// The probability beyond t ≥ 0.
double student_tail(double t, double freedom) { return beta_share(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2; }

}  // namespace

double student_quantile(double p, double freedom) {
  if (p < 0.5) return -student_quantile(1 - p, freedom);
  double low = 0;
  double high = 1;
  while (student_tail(high, freedom) > 1 - p) high *= 2;
  for (int i = 0; i != 200 && high - low > 1e-13 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_tail(middle, freedom) > 1 - p ? low : high) = middle;
  }
  return (low + high) / 2;
}

sample_summary summary_of(std::span<const double> values) {
  sample_summary out{.count = values.size()};
  if (values.empty()) return out;
  const auto count = static_cast<double>(values.size());
  for (const double each : values) out.mean += each / count;
  if (values.size() == 1) {
    out.half_width = std::numeric_limits<double>::infinity();
    return out;
  }
  double squares = 0;
  for (const double each : values) squares += (each - out.mean) * (each - out.mean);
  out.sd = std::sqrt(squares / (count - 1));
  if (out.sd < k_rounding * std::abs(out.mean)) out.sd = 0;
  out.half_width = student_quantile(1 - k_doubt / 2, count - 1) * out.sd / std::sqrt(count);
  return out;
}

std::string spread_text(const sample_summary& of, int digits) {
  if (of.count < 2) return fixed(of.mean, digits);
  return fixed(of.mean, digits) + " ± " + fixed(of.sd, digits);
}

std::string interval_text(const sample_summary& of, int digits) {
  if (of.count < 2) return fixed(of.mean, digits);
  return fixed(of.mean, digits) + " ± " + fixed(of.half_width, digits);
}

std::vector<comparison> compare_paired(std::span<const std::vector<double>> values) {
  std::vector<comparison> out(values.size());
  if (values.size() < 2 || values.front().empty()) return out;
  std::size_t best = 0;
  std::vector<double> means;
  for (const auto& each : values) means.push_back(summary_of(each).mean);
  for (std::size_t c = 1; c != means.size(); ++c) {
    if (means[c] < means[best]) best = c;
  }
  const auto count = static_cast<double>(values[best].size());
  const double doubt = k_doubt / static_cast<double>(values.size() - 1);
  bool beats_all = count > 1;
  for (std::size_t c = 0; c != values.size(); ++c) {
    if (c == best) continue;
    std::vector<double> differences;
    for (std::size_t s = 0; s != values[c].size(); ++s) differences.push_back(values[c][s] - values[best][s]);
    const sample_summary apart = summary_of(differences);
    out[c].difference = apart.mean;
    out[c].half_width = count > 1 ? student_quantile(1 - doubt / 2, count - 1) * apart.sd / std::sqrt(count)
                                  : std::numeric_limits<double>::infinity();
    const bool is_beaten = apart.mean - out[c].half_width > k_rounding * std::abs(means[best]);
    if (is_beaten) out[c].how = standing::beaten;
    beats_all = beats_all && is_beaten;
  }
  if (beats_all) out[best].how = standing::winner;
  return out;
}

}  // namespace filch::tool
