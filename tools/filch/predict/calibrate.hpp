// This machine as the simulator takes it: every cost with its spread over the rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <machine_file.hpp>
#include <optional>
#include <string>
#include <vector>

namespace filch::tool {

struct measured_cost {
  std::string name;     // of the field in a machine file, or of a figure that is only shown
  std::string meaning;  // one line
  double median = 0;    // over the rounds
  double low = 0;       // … the first quartile
  double high = 0;      // … the third
  std::string unit = "ns";
};

struct calibration {
  std::uint32_t rounds = 0;
  std::vector<measured_cost> costs;
  double cpu_share = 1;  // that threads of this process had of the CPUs while they computed, median
  scenario::machine_description machine;

  [[nodiscard]] bool is_disturbed() const { return cpu_share < 0.95; }
};

// Measures everything once per round, one thing after the other, so that a disturbance hits all alike. `say` is told
// what comes next.
[[nodiscard]] calibration calibrate(std::uint32_t rounds, const std::function<void(const std::string&)>& say);

}  // namespace filch::tool
