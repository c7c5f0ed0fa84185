#include <filch/topology/error.hpp>
#include <filch/topology/machine.hpp>

#include "topology/coordinates.hpp"
#include "topology/text.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace filch::inline v0::topology {

namespace {

std::string element(const char* list, std::size_t i, const char* field) {
  return std::string{list} + '[' + std::to_string(i) + "]." + field;
}

[[noreturn]] void refuse(const std::string& field, const std::string& found, const std::string& allowed) {
  throw topology_error{field + ": " + found + " is not allowed; allowed: " + allowed};
}

void require_range(const std::string& field, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low || value > high) {
    refuse(field, std::to_string(value), std::to_string(low) + " to " + std::to_string(high));
  }
}

void require_some(const char* list, std::size_t size) {
  if (size == 0) refuse(list, "an empty list", "at least one");
}

// I1, I2 (cores), I3, I6. Returns whose core each CPU is.
std::vector<std::uint32_t> check_cores(const machine& m) {
  std::vector<std::uint32_t> core_of(k_max_cpus, k_nowhere);
  std::uint32_t fastest = 0;
  for (std::size_t i = 0; i != m.cores.size(); ++i) {
    const core& c = m.cores[i];
    require_range(element("cores", i, "package"), c.package, 0, m.packages.size() - 1);
    require_range(element("cores", i, "node"), c.node, 0, m.nodes.size() - 1);
    require_range(element("cores", i, "speed_permille"), c.speed_permille, 1, 1000);
    fastest = std::max(fastest, c.speed_permille);
    if (c.cpus.empty()) refuse(element("cores", i, "cpus"), "an empty set", "at least one CPU");
    for (const cpu_number cpu : c.cpus) {
      if (core_of[cpu] != k_nowhere) {
        refuse(element("cores", i, "cpus"), "CPU " + std::to_string(cpu),
               "CPUs of no other core, and cores[" + std::to_string(core_of[cpu]) + "] has it");
      }
      core_of[cpu] = static_cast<std::uint32_t>(i);
    }
  }
  if (fastest != 1000) refuse("cores: largest speed_permille", std::to_string(fastest), "1000 for the fastest core");
  return core_of;
}

// I2 (caches).
void check_caches(const machine& m, const std::vector<std::uint32_t>& core_of) {
  std::array<std::vector<bool>, k_max_cache_level + 1> taken;
  for (std::size_t i = 0; i != m.caches.size(); ++i) {
    const cache& c = m.caches[i];
    require_range(element("caches", i, "level"), c.level, 1, k_max_cache_level);
    if (c.cpus.empty()) refuse(element("caches", i, "cpus"), "an empty set", "at least one CPU");
    auto& level = taken[c.level];
    level.resize(k_max_cpus);
    for (const cpu_number cpu : c.cpus) {
      if (core_of[cpu] == k_nowhere) {
        refuse(element("caches", i, "cpus"), "CPU " + std::to_string(cpu), "the CPUs of cores");
      }
      if (level[cpu]) {
        refuse(element("caches", i, "cpus"), "CPU " + std::to_string(cpu),
               "CPUs without another cache of level " + std::to_string(c.level));
      }
      level[cpu] = true;
    }
  }
}

// I4.
void check_distances(const machine& m) {
  const std::size_t n = m.nodes.size();
  if (m.node_distances.empty()) return;
  if (m.node_distances.size() != n * n) {
    refuse("node_distances", std::to_string(m.node_distances.size()) + " numbers",
           "none, or " + std::to_string(n * n) + " for " + std::to_string(n) + " nodes");
  }
  for (std::size_t i = 0; i != n * n; ++i) {
    const std::string field = "node_distances[" + std::to_string(i / n) + "][" + std::to_string(i % n) + "]";
    require_range(field, m.node_distances[i], 1, 65535);
  }
}

std::string count_of(std::size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

}  // namespace

const char* to_string(core_kind kind) {
  switch (kind) {
    case core_kind::performance:
      return "performance";
    case core_kind::efficiency:
      return "efficiency";
    case core_kind::uniform:
      break;
  }
  return "uniform";
}

std::vector<coordinates> locate_cpus(const machine& m) {
  cpu_number largest = 0;
  for (const core& c : m.cores) largest = std::max(largest, c.cpus.back());
  coordinates unknown;
  unknown.cache.fill(k_nowhere);
  std::vector<coordinates> at(largest + 1, unknown);
  for (std::uint32_t i = 0; i != m.cores.size(); ++i) {
    for (const cpu_number cpu : m.cores[i].cpus) {
      at[cpu].core = i;
      at[cpu].node = m.cores[i].node;
      at[cpu].package = m.cores[i].package;
    }
  }
  for (const cache& c : m.caches) {
    for (const cpu_number cpu : c.cpus) at[cpu].cache[c.level] = c.cpus.front();
  }
  return at;
}

void normalize(machine& m) {
  require_some("packages", m.packages.size());
  require_some("nodes", m.nodes.size());
  require_some("cores", m.cores.size());
  check_caches(m, check_cores(m));
  check_distances(m);

  std::sort(m.caches.begin(), m.caches.end(), [](const cache& a, const cache& b) {
    return std::pair{k_max_cache_level - a.level, a.cpus.front()} <
           std::pair{k_max_cache_level - b.level, b.cpus.front()};
  });
  const auto at = locate_cpus(m);
  const auto key = [&at](const core& c) {
    const auto& caches = at[c.cpus.front()].cache;
    return std::tuple{c.package, c.node, caches[5], caches[4], caches[3], caches[2], c.cpus.front()};
  };
  static_assert(k_max_cache_level == 5, "the key above names every level");
  std::sort(m.cores.begin(), m.cores.end(), [&key](const core& a, const core& b) { return key(a) < key(b); });
}

cpu_set machine::cpus() const {
  std::vector<cpu_number> all;
  for (const core& c : cores) all.insert(all.end(), c.cpus.begin(), c.cpus.end());
  return cpu_set{std::move(all)};
}

std::vector<processing_unit> machine::processing_units() const {
  std::vector<processing_unit> units;
  for (std::uint32_t i = 0; i != cores.size(); ++i) {
    std::uint32_t thread = 0;
    for (const cpu_number cpu : cores[i].cpus) units.push_back({cpu, i, thread++});
  }
  return units;
}

std::string machine::summary() const {
  std::size_t cpu_count = 0;
  for (const core& c : cores) cpu_count += c.cpus.size();
  return count_of(packages.size(), "package") + ", " + count_of(nodes.size(), "NUMA node") + ", " +
         count_of(cores.size(), "core") + ", " + count_of(cpu_count, "CPU");
}

}  // namespace filch::inline v0::topology
