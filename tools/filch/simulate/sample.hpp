// Values from many seeds: mean, spread and 95 % confidence interval of the mean, and whether one of several policies is
// significantly better than the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace filch::tool {

// The t for which Student's distribution with `freedom` degrees lies below it with probability p, 0 < p < 1. Within
// 1e-9 of the true value in probability.
[[nodiscard]] double student_quantile(double p, double freedom);

struct sample_summary {
  std::size_t count = 0;
  double mean = 0;
  double sd = 0;          // of the values; 0 for a single one
  double half_width = 0;  // of the 95 % interval of the mean; infinite for a single value
};

[[nodiscard]] sample_summary summary_of(std::span<const double> values);

// "4.649 ± 0.540": mean and standard deviation.
[[nodiscard]] std::string spread_text(const sample_summary& of, int digits);
// "4.649 ± 0.024": mean and half width of the interval; the mean alone for a single value.
[[nodiscard]] std::string interval_text(const sample_summary& of, int digits);

// ---- the winner
// -------------------------------------------------------------------------------------------------------
//
// All candidates run with the same seeds, so they do the same work, and their differences seed by seed vary much less
// than they themselves. The one with the least mean wins if for every other candidate the interval of the mean
// difference lies above 0. With k candidates each interval has confidence 1 − 0.05/(k − 1), so a winner is named
// wrongly in at most one of twenty comparisons among equals (Bonferroni).

enum class standing : std::uint8_t {
  winner,      // better than every other
  among_best,  // not distinguishable from the one with the least mean, which may be itself
  beaten,
};

struct comparison {
  standing how = standing::among_best;
  // Of the difference to the one with the least mean, in value; 0 and 0 for that one.
  double difference = 0;
  double half_width = 0;
};

// values[c][s]: candidate c with the s-th seed; less is better. All candidates have equally many values.
[[nodiscard]] std::vector<comparison> compare_paired(std::span<const std::vector<double>> values);

}  // namespace filch::tool
