// Described machines in JSON: machines/*.json, which are part of the program, and files of users.
//
//   {"name": "laptop-8p16e", "workers": 24,
//    "topology": {"cores_per_node": 8, "efficiency_cores_per_node": 16, …},
//    "costs": {"spawn_ns": 8, "steal": [{"success_ns": 60, …}, …], …},
//    "disturbances": [{"worker": 3, "every_ns": 10000000, "for_ns": 2000000, "speed_permille": 0}],
//    "measured": [{"cost": "spawn_ns", "median": 61.2, "low": 58.9, "high": 66.0}]}
#pragma once

#include "scenario_error.hpp"

#include <filch/sim/machine_model.hpp>
#include <filch/topology/machine.hpp>
#include <filch/topology/placement.hpp>

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filch::scenario {

// How well a cost is known: its median over the rounds of a calibration, and the quartiles. For people; no run uses it.
struct cost_spread {
  std::string cost;
  double median = 0;
  double low = 0;
  double high = 0;

  friend bool operator==(const cost_spread&, const cost_spread&) = default;
};

struct machine_description {
  std::string name = "free";
  std::string title{};
  std::uint32_t workers = 4;  // unless the scenario says
  // Nothing: all workers are equally far and equally fast.
  std::optional<topology::synthetic_options> topology{};
  topology::placement placement = topology::placement::spread;  // which worker runs on which CPU
  sim::machine_costs costs{};
  std::vector<sim::disturbance> disturbances{};
  std::vector<cost_spread> spreads{};  // "measured" in the file
};

// Throws error.
[[nodiscard]] machine_description parse_machine(std::string_view text, std::string_view origin);
[[nodiscard]] machine_description load_machine(const std::filesystem::path& file);
// The machines that are part of the program, by name in alphabetical order.
[[nodiscard]] std::vector<std::string_view> machine_names();
// A text that ends in .json or names a folder is a file; everything else a machine of the program. Throws error.
[[nodiscard]] machine_description find_machine(std::string_view name_or_file);

// Reading what was written gives the same machine.
void write_machine(std::ostream& out, const machine_description& machine);

// Its model with this number of workers; 0: with its own number.
[[nodiscard]] sim::machine_model make_machine(const machine_description& machine, std::uint32_t workers);

}  // namespace filch::scenario
