// The largest sizes the topology layer accepts, so that a mistyped number is an error and not a full memory.
#pragma once

#include <cstdint>

namespace filch::inline v0::topology {

// CPU numbers are below this; more than any kernel supports.
inline constexpr std::uint32_t k_max_cpus = 65536;

// FILCH_WORKERS, assign_workers and distance_table take at most so many.
inline constexpr std::uint32_t k_max_workers = 65535;

}  // namespace filch::inline v0::topology
