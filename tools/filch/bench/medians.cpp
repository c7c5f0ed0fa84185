#include "medians.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace filch::tool {
namespace {

// The greatest number such that a coin thrown `count` times shows heads less often with a chance of at most 2.5 %.
// Chances are multiplied as logarithms: a thousand throws have some that are too small for a double.
std::size_t unlikely_below(std::size_t count) {
  double log_chance = -static_cast<double>(count) * std::numbers::ln2;
  double chance = std::exp(log_chance);
  std::size_t heads = 0;
  while (chance <= 0.025) {
    ++heads;
    log_chance += std::log(static_cast<double>(count - heads + 1) / static_cast<double>(heads));
    chance += std::exp(log_chance);
  }
  return heads;
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::optional<value_range> median_range(std::vector<double> values) {
  const std::size_t nth = unlikely_below(values.size());
  if (nth == 0) return std::nullopt;
  std::ranges::sort(values);
  return value_range{values[nth - 1], values[values.size() - nth]};
}

std::vector<double> counted(const std::vector<double>& values, const std::vector<bool>& is_disturbed) {
  std::vector<double> quiet;
  for (std::size_t i = 0; i != is_disturbed.size(); ++i) {
    if (!is_disturbed[i]) quiet.push_back(values[i]);
  }
  return quiet.size() < k_enough_rounds ? values : quiet;
}

}  // namespace filch::tool
