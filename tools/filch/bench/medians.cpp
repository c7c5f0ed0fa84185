#include "medians.hpp"

#include <algorithm>
#include <cstddef>

namespace filch::tool {
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> counted(const std::vector<double>& values, const std::vector<bool>& is_disturbed) {
  std::vector<double> quiet;
  for (std::size_t i = 0; i != is_disturbed.size(); ++i) {
    if (!is_disturbed[i]) quiet.push_back(values[i]);
  }
  return quiet.size() < k_enough_rounds ? values : quiet;
}

}  // namespace filch::tool
