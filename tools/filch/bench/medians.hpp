// Medians, how far they can be trusted, and which rounds they are of.
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

// A 95 % confidence interval for the median of what the values are drawn from, whatever their distribution: from the
// nth least to the nth greatest, with the greatest n at which the median lies outside in at most 5 % of all cases (each
// value lies above or below it as a coin falls). None for fewer than six values. Too narrow if the values depend on one
// another.
[[nodiscard]] std::optional<value_range> median_range(std::vector<double> values);

// So many undisturbed rounds are enough to leave the others out: as many as there are by default.
inline constexpr std::size_t k_enough_rounds = 7;

// Of the values by round those of undisturbed rounds, if they are enough; else all. `is_disturbed` is empty if that is
// not known.
[[nodiscard]] std::vector<double> counted(const std::vector<double>& values, const std::vector<bool>& is_disturbed);

}  // namespace filch::tool
