// Which worker runs on which CPU.
#pragma once

#include <filch/topology/machine.hpp>

#include <cstdint>
#include <vector>

namespace filch::inline v0::topology {

enum class placement : std::uint8_t {
  // Every core before any SMT sibling, fast cores before slow ones, alternating between packages, nodes and caches.
  spread,
  // Neighbours first: all threads of a core, then the cores that share a cache with it, and so on.
  compact,
};

// cpu[w] is the CPU of worker w. Only CPUs in `usable` are taken; with more workers than those, the order starts anew.
// Throws topology_error when `workers` is 0 or above k_max_workers, or `usable` holds no CPU of `m`.
[[nodiscard]] std::vector<cpu_number> assign_workers(const machine& m, const cpu_set& usable, std::uint32_t workers,
                                                     placement how = placement::spread);

}  // namespace filch::inline v0::topology
