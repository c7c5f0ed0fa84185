#include <filch/topology/distance_table.hpp>
#include <filch/topology/error.hpp>

#include "topology/coordinates.hpp"

#include <algorithm>
#include <string>

namespace filch::inline v0::topology {

namespace {

void check_count(std::size_t workers) {
  if (workers > k_max_workers) {
    throw topology_error{"distance_table: " + std::to_string(workers) + " workers are not allowed; allowed: 0 to " +
                         std::to_string(k_max_workers)};
  }
}

// Turns the NUMA distances between packages into 5, 6, 7, ….
class remote_scale {
 public:
  explicit remote_scale(const machine& m) : machine_{m} {
    // Which nodes each package reaches; few distinct pairs, whatever the number of cores.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (const core& c : m.cores) places.emplace_back(c.package, c.node);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const auto& [package_a, node_a] : places) {
      for (const auto& [package_b, node_b] : places) {
        if (package_a != package_b && node_a != node_b) steps_.push_back(apart(node_a, node_b));
      }
    }
    std::sort(steps_.begin(), steps_.end());
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
  }

  [[nodiscard]] distance between(std::uint32_t node_a, std::uint32_t node_b) const {
    const auto step = std::lower_bound(steps_.begin(), steps_.end(), apart(node_a, node_b)) - steps_.begin();
    return static_cast<distance>(std::min<std::ptrdiff_t>(k_distance_remote + step, UINT8_MAX));
  }

 private:
  [[nodiscard]] std::uint32_t apart(std::uint32_t a, std::uint32_t b) const {
    return std::max(machine_.node_distance(a, b), machine_.node_distance(b, a));
  }

  const machine& machine_;
  std::vector<std::uint32_t> steps_;  // the distinct NUMA distances between packages, ascending
};

bool share_a_cache(const coordinates& a, const coordinates& b) {
  for (std::size_t level = 2; level <= k_max_cache_level; ++level) {
    if (a.cache[level] != k_nowhere && a.cache[level] == b.cache[level]) return true;
  }
  return false;
}

distance apart(const coordinates& a, const coordinates& b, const remote_scale& remote) {
  if (a.core == b.core) return k_distance_core;
  if (share_a_cache(a, b)) return k_distance_cache;
  if (a.node == b.node) return k_distance_node;
  if (a.package == b.package) return k_distance_package;
  return remote.between(a.node, b.node);
}

}  // namespace

distance_table::distance_table(const machine& m, std::span<const cpu_number> cpu_of_worker) {
  check_count(cpu_of_worker.size());
  if (cpu_of_worker.empty()) return;
  const auto at = locate_cpus(m);
  std::vector<coordinates> places;
  for (std::size_t w = 0; w != cpu_of_worker.size(); ++w) {
    const cpu_number cpu = cpu_of_worker[w];
    if (cpu >= at.size() || at[cpu].core == k_nowhere) {
      throw topology_error{"distance_table: worker " + std::to_string(w) + " on CPU " + std::to_string(cpu) +
                           " is not allowed; allowed: CPUs " + m.cpus().to_string()};
    }
    places.push_back(at[cpu]);
  }
  workers_ = static_cast<std::uint32_t>(places.size());
  cells_.resize(places.size() * places.size());
  const remote_scale remote{m};
  for (std::size_t a = 0; a != places.size(); ++a) {
    for (std::size_t b = 0; b != a; ++b) {
      const distance d = apart(places[a], places[b], remote);
      cells_[a * workers_ + b] = d;
      cells_[b * workers_ + a] = d;
      farthest_ = std::max(farthest_, d);
    }
  }
}

distance_table distance_table::uniform(std::uint32_t workers, distance apart) {
  check_count(workers);
  distance_table table;
  table.workers_ = workers;
  table.farthest_ = workers > 1 ? apart : k_distance_self;
  table.cells_.assign(std::size_t{workers} * workers, apart);
  for (std::size_t w = 0; w != workers; ++w) table.cells_[w * workers + w] = k_distance_self;
  return table;
}

}  // namespace filch::inline v0::topology
