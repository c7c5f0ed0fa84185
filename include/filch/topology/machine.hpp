// The machine as plain data: packages, NUMA nodes, caches, cores and their hardware threads. Values only; nothing here
// asks the operating system, so a described machine serves the simulator as a real one serves the runtime.
//
// A machine is filled in by a loader (load_machine.hpp, machine_file.hpp) or by machine::synthetic. Whoever fills one
// in by hand calls `normalize`, which checks and orders it.
//
// Invariants of a normalized machine:
//   I1  There is at least one package, one node and one core; every core has at least one CPU.
//   I2  No CPU belongs to two cores; no two caches of one level share a CPU; a cache names only CPUs of cores.
//   I3  core::package and core::node are positions in `packages` and `nodes`.
//   I4  `node_distances` is empty (unknown) or has nodes² entries, row by row, none of them 0.
//   I5  `cores` is in machine order: cores that share more stand closer together (package, then node, then caches from
//       the outermost inwards, then CPU number). `caches` goes from the outermost level inwards, then by CPU number.
//   I6  The fastest core has speed 1000 ‰ and none has more.
#pragma once

#include <filch/topology/cpu_set.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace filch::inline v0::topology {

struct package {
  std::uint32_t os_id = 0;

  friend bool operator==(const package&, const package&) = default;
};

struct numa_node {
  std::uint32_t os_id = 0;
  std::uint64_t memory_bytes = 0;  // 0: unknown

  friend bool operator==(const numa_node&, const numa_node&) = default;
};

// A data or unified cache; instruction caches are left out.
struct cache {
  std::uint32_t level = 1;       // 1 to k_max_cache_level
  std::uint64_t size_bytes = 0;  // 0: unknown
  cpu_set cpus{};                // who shares it

  friend bool operator==(const cache&, const cache&) = default;
};

inline constexpr std::uint32_t k_max_cache_level = 5;

enum class core_kind : std::uint8_t {
  uniform,      // the machine has one kind of core, or does not say
  performance,  // a fast core of a machine with several kinds
  efficiency,   // a slow one
};

[[nodiscard]] const char* to_string(core_kind kind);

struct core {
  std::uint32_t package = 0;  // position in machine::packages
  std::uint32_t node = 0;     // position in machine::nodes
  core_kind kind = core_kind::uniform;
  std::uint32_t speed_permille = 1000;  // of the fastest core of this machine
  cpu_set cpus{};                       // its hardware threads (SMT siblings of one another)

  friend bool operator==(const core&, const core&) = default;
};

// One hardware thread, seen from the machine.
struct processing_unit {
  cpu_number cpu = 0;
  std::uint32_t core = 0;    // position in machine::cores
  std::uint32_t thread = 0;  // position among its siblings

  friend bool operator==(const processing_unit&, const processing_unit&) = default;
};

// A regular machine to be built. Every count is at least 1 unless it says otherwise.
struct synthetic_options {
  std::uint32_t packages = 1;
  std::uint32_t nodes_per_package = 1;
  std::uint32_t cores_per_node = 1;  // without efficiency cores
  std::uint32_t threads_per_core = 1;
  std::uint32_t efficiency_cores_per_node = 0;  // further cores, one thread each; may be 0
  std::uint32_t efficiency_speed_permille = 500;
  std::uint32_t cores_per_l2 = 1;
  std::uint32_t efficiency_cores_per_l2 = 4;
  std::uint32_t cores_per_l3 = 0;      // 0: all cores of a node share one
  std::uint64_t l1_bytes = 32 * 1024;  // 0: the machine has no such cache; likewise below
  std::uint64_t l2_bytes = 1024 * 1024;
  std::uint64_t l3_bytes = 32 * 1024 * 1024;
  std::uint64_t memory_per_node_bytes = 0;  // 0: unknown
  std::uint32_t local_distance = 10;        // NUMA distances as firmware gives them: 10 is local
  std::uint32_t same_package_distance = 12;
  std::uint32_t other_package_distance = 21;
};

struct machine {
  std::string
      source;        // where this description comes from: "hwloc 2.9.0", "sysfs", "JSON file big.json", "synthetic", …
  std::string name;  // free text
  std::vector<package> packages;
  std::vector<numa_node> nodes;
  std::vector<std::uint32_t> node_distances;
  std::vector<cache> caches;
  std::vector<core> cores;

  // A regular machine. CPUs are numbered in machine order, siblings next to each other. Throws topology_error that
  // names the option, its value and what is allowed.
  [[nodiscard]] static machine synthetic(const synthetic_options& options);

  // Every CPU of every core.
  [[nodiscard]] cpu_set cpus() const;
  // The hardware threads in machine order.
  [[nodiscard]] std::vector<processing_unit> processing_units() const;
  // Between two positions in `nodes`; 0: unknown.
  [[nodiscard]] std::uint32_t node_distance(std::uint32_t from, std::uint32_t to) const {
    return node_distances.empty() ? 0 : node_distances[from * nodes.size() + to];
  }
  // One line for people: "2 packages, 2 NUMA nodes, 32 cores, 64 CPUs".
  [[nodiscard]] std::string summary() const;

  friend bool operator==(const machine&, const machine&) = default;
};

// Establishes I5 and checks the rest; throws topology_error whose text names the field, the value and what is allowed.
void normalize(machine& m);

}  // namespace filch::inline v0::topology
