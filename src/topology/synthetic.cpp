#include <filch/topology/error.hpp>
#include <filch/topology/machine.hpp>

#include <algorithm>
#include <string>

namespace filch::inline v0::topology {

namespace {

void require(const char* option, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low || value > high) {
    throw topology_error{std::string{"synthetic machine: "} + option + " = " + std::to_string(value) +
                         " is not allowed; allowed: " + std::to_string(low) + " to " + std::to_string(high)};
  }
}

void check(const synthetic_options& o) {
  require("packages", o.packages, 1, k_max_cpus);
  require("nodes_per_package", o.nodes_per_package, 1, k_max_cpus);
  require("cores_per_node", o.cores_per_node, 1, k_max_cpus);
  require("threads_per_core", o.threads_per_core, 1, k_max_cpus);
  require("efficiency_cores_per_node", o.efficiency_cores_per_node, 0, k_max_cpus);
  require("efficiency_speed_permille", o.efficiency_speed_permille, 1, 1000);
  require("cores_per_l2", o.cores_per_l2, 1, k_max_cpus);
  require("efficiency_cores_per_l2", o.efficiency_cores_per_l2, 1, k_max_cpus);
  require("cores_per_l3", o.cores_per_l3, 0, k_max_cpus);
  require("local_distance", o.local_distance, 1, 65535);
  require("same_package_distance", o.same_package_distance, 1, 65535);
  require("other_package_distance", o.other_package_distance, 1, 65535);
  const std::uint64_t nodes = std::uint64_t{o.packages} * o.nodes_per_package;
  require("packages × nodes_per_package", nodes, 1, 1024);
  const std::uint64_t per_node = std::uint64_t{o.cores_per_node} * o.threads_per_core + o.efficiency_cores_per_node;
  require("number of CPUs", nodes * per_node, 1, k_max_cpus);
}

// Gives every `group` neighbours among `cores` one cache; a last group may be smaller.
void add_caches(machine& m, std::uint32_t level, std::uint64_t size_bytes, std::size_t first, std::size_t last,
                std::size_t group) {
  if (size_bytes == 0) return;
  for (std::size_t i = first; i < last; i += group) {
    std::vector<cpu_number> shared;
    for (std::size_t k = i; k != std::min(i + group, last); ++k) {
      shared.insert(shared.end(), m.cores[k].cpus.begin(), m.cores[k].cpus.end());
    }
    m.caches.push_back({level, size_bytes, cpu_set{std::move(shared)}});
  }
}

void add_node(machine& m, const synthetic_options& o, std::uint32_t package_index, cpu_number& next_cpu) {
  const auto node = static_cast<std::uint32_t>(m.nodes.size());
  m.nodes.push_back({node, o.memory_per_node_bytes});
  const std::size_t first = m.cores.size();
  const std::size_t slow = first + o.cores_per_node;
  const std::size_t last = slow + o.efficiency_cores_per_node;
  const bool mixed = o.efficiency_cores_per_node != 0;
  for (std::size_t i = first; i != last; ++i) {
    core c{.package = package_index, .node = node};
    if (mixed) c.kind = i < slow ? core_kind::performance : core_kind::efficiency;
    if (i >= slow) c.speed_permille = o.efficiency_speed_permille;
    std::vector<cpu_number> siblings;
    for (std::uint32_t t = 0; t != (i < slow ? o.threads_per_core : 1); ++t) siblings.push_back(next_cpu++);
    c.cpus = cpu_set{std::move(siblings)};
    m.cores.push_back(std::move(c));
  }
  add_caches(m, 1, o.l1_bytes, first, last, 1);
  add_caches(m, 2, o.l2_bytes, first, slow, o.cores_per_l2);
  add_caches(m, 2, o.l2_bytes, slow, last, o.efficiency_cores_per_l2);
  add_caches(m, 3, o.l3_bytes, first, last, o.cores_per_l3 == 0 ? last - first : o.cores_per_l3);
}

}  // namespace

machine machine::synthetic(const synthetic_options& o) {
  check(o);
  machine m;
  m.source = "synthetic";
  m.name = "synthetic";
  cpu_number next_cpu = 0;
  for (std::uint32_t p = 0; p != o.packages; ++p) {
    m.packages.push_back({p});
    for (std::uint32_t n = 0; n != o.nodes_per_package; ++n) add_node(m, o, p, next_cpu);
  }
  const std::size_t nodes = m.nodes.size();
  for (std::size_t a = 0; a != nodes; ++a) {
    for (std::size_t b = 0; b != nodes; ++b) {
      const bool same_package = a / o.nodes_per_package == b / o.nodes_per_package;
      m.node_distances.push_back(a == b         ? o.local_distance
                                 : same_package ? o.same_package_distance
                                                : o.other_package_distance);
    }
  }
  normalize(m);
  return m;
}

}  // namespace filch::inline v0::topology
