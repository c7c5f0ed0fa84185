// Medians, their confidence intervals, and the rounds that count.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace filch::tool {

[[nodiscard]] double median(std::vector<double> values);

struct value_range {
  double low;
  double high;
};

// A 95 % confidence interval for the median of the values' distribution, which may be any: from the nth least to the
// nth greatest, with the greatest n for which the median lies outside in at most 5 % of all cases (each value lies
// above or below it with equal chance). None for fewer than six values. Too narrow if the values depend on each other.
[[nodiscard]] std::optional<value_range> median_range(std::vector<double> values);

// The number of undisturbed rounds from which on the others are left out: the default number of rounds.
inline constexpr std::size_t k_enough_rounds = 7;

// Of the values by round those of undisturbed rounds, if they are enough; else all. `is_disturbed` is empty if that is
// not known.
[[nodiscard]] std::vector<double> counted(const std::vector<double>& values, const std::vector<bool>& is_disturbed);

}  // namespace filch::tool
