// How far apart workers are, as small whole numbers for choosing victims.
//
// The scale is ordinal: it says who is nearer, not what a steal costs.
//
//   0    the worker itself, and nothing else
//   1    the same core: SMT siblings, or two workers on one CPU
//   2    another core that shares a cache of level 2 or above
//   3    the same NUMA node, without such a cache
//   4    the same package, another node
//   5…   another package: 5 for the smallest NUMA distance between packages, 6 for the next larger one, and so on;
//        always 5 when the machine does not say. Never above 255.
//
// The smallest number that applies counts. The table is symmetric: of two unequal NUMA distances of a pair the larger
// one counts. It takes workers² bytes: 1 MiB for 1024 workers.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/topology/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace filch::inline v0::topology {

using distance = std::uint8_t;

inline constexpr distance k_distance_self = 0;
inline constexpr distance k_distance_core = 1;
inline constexpr distance k_distance_cache = 2;
inline constexpr distance k_distance_node = 3;
inline constexpr distance k_distance_package = 4;
inline constexpr distance k_distance_remote = 5;  // and above

class distance_table {
 public:
  // No workers.
  distance_table() = default;
  // Worker w runs on cpu_of_worker[w]. Throws topology_error for a CPU that `m` does not have.
  distance_table(const machine& m, std::span<const cpu_number> cpu_of_worker);

  // Everyone is equally far from everyone else.
  [[nodiscard]] static distance_table uniform(std::uint32_t workers, distance apart = k_distance_cache);

  [[nodiscard]] std::uint32_t workers() const { return workers_; }
  [[nodiscard]] distance between(worker_id a, worker_id b) const {
    return cells_[static_cast<std::size_t>(a.value) * workers_ + b.value];
  }
  // The distances from `from` to every worker, by worker number.
  [[nodiscard]] std::span<const distance> row(worker_id from) const {
    return {cells_.data() + static_cast<std::size_t>(from.value) * workers_, workers_};
  }
  // The largest distance in the table.
  [[nodiscard]] distance farthest() const { return farthest_; }

  friend bool operator==(const distance_table&, const distance_table&) = default;

 private:
  std::uint32_t workers_ = 0;
  distance farthest_ = 0;
  std::vector<distance> cells_;
};

}  // namespace filch::inline v0::topology
