// The sources of machines and what they have in common. Private to src/topology.
#pragma once

#include <filch/topology/machine.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace filch::inline v0::topology {

// Each throws topology_error when it cannot tell.
[[nodiscard]] machine load_from_sysfs(const std::filesystem::path& root);
[[nodiscard]] machine load_from_hwloc();
[[nodiscard]] machine load_from_hwloc_xml(const std::filesystem::path& file);

// Turns measured speeds (capacity or clock, any unit, 0: unknown) into speed_permille and, for cores that have none
// yet, into kinds. raw_speed[i] belongs to m.cores[i].
void set_speeds(machine& m, const std::vector<std::uint64_t>& raw_speed);

}  // namespace filch::inline v0::topology
