// The options of the simulator's commands as they were typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace filch::tool {

// filch sim SCENARIO
struct sim_arguments {
  std::optional<std::string> scenario{};
  std::optional<std::string> seed{};
  bool lesson = false;
};

inline constexpr std::uint32_t k_most_seeds = 1'000'000;

// filch sim exercise N
struct exercise_arguments {
  std::optional<std::string> number{};
  std::optional<std::string> seed{};
  std::optional<std::string> seeds{};
  std::optional<std::string> plot_file{};
  bool json = false;
};

}  // namespace filch::tool
