// Quantiles of a few rounds, interpolated between neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace filch::tool {

// `values` is not empty; a share of 0.5 is the median.
[[nodiscard]] inline double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace filch::tool
