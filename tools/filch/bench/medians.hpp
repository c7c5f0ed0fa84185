// Medians, and which rounds they are of.
#pragma once

#include <cstddef>
#include <vector>

namespace filch::tool {

[[nodiscard]] double median(std::vector<double> values);

// So many undisturbed rounds are enough to leave the others out: as many as there are by default.
inline constexpr std::size_t k_enough_rounds = 7;

// Of the values by round those of undisturbed rounds, if they are enough; else all. `is_disturbed` is empty if that is not
// known.
[[nodiscard]] std::vector<double> counted(const std::vector<double>& values, const std::vector<bool>& is_disturbed);

}  // namespace filch::tool
