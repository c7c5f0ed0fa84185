// The options of the simulator's commands as they were typed.
#pragma once

#include <optional>
#include <string>

namespace filch::tool {

// filch sim SCENARIO
struct sim_arguments {
  std::optional<std::string> scenario{};
  std::optional<std::string> seed{};
  bool lesson = false;
};

}  // namespace filch::tool
