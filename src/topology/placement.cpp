#include <filch/topology/error.hpp>
#include <filch/topology/placement.hpp>

#include "topology/coordinates.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace filch::inline v0::topology {

namespace {

// CPUs in machine order, siblings next to each other.
std::vector<cpu_number> compact_order(const machine& m, const cpu_set& usable) {
  std::vector<cpu_number> order;
  for (const core& c : m.cores) {
    for (const cpu_number cpu : c.cpus) {
      if (usable.contains(cpu)) order.push_back(cpu);
    }
  }
  return order;
}

// A group of cores that share their outermost cache, and its turn among the groups: first one group of every package,
// then one of every further node, then the further caches of the nodes.
struct group_key {
  std::uint32_t package, node, cache;
  friend auto operator<=>(const group_key&, const group_key&) = default;
};

group_key group_of(const coordinates& at) { return {at.package, at.node, at.outermost_cache()}; }

std::map<group_key, std::uint32_t> turns_of_groups(const std::vector<cpu_number>& cpus,
                                                   const std::vector<coordinates>& at) {
  std::map<group_key, std::uint32_t> turns;
  for (const cpu_number cpu : cpus) turns[group_of(at[cpu])] = 0;

  struct ranked {
    std::uint32_t cache_in_node, node_in_package;
    group_key key;
  };
  std::vector<ranked> groups;  // the map gives them by package, node, cache
  for (const auto& [key, unused] : turns) {
    ranked next{0, 0, key};
    if (!groups.empty() && groups.back().key.package == key.package) {
      const ranked& before = groups.back();
      const bool same_node = before.key.node == key.node;
      next.node_in_package = before.node_in_package + (same_node ? 0 : 1);
      next.cache_in_node = same_node ? before.cache_in_node + 1 : 0;
    }
    groups.push_back(next);
  }
  std::sort(groups.begin(), groups.end(), [](const ranked& a, const ranked& b) {
    return std::tuple{a.cache_in_node, a.node_in_package, a.key.package} <
           std::tuple{b.cache_in_node, b.node_in_package, b.key.package};
  });
  for (std::uint32_t i = 0; i != groups.size(); ++i) turns[groups[i].key] = i;
  return turns;
}

std::vector<cpu_number> spread_order(const machine& m, const cpu_set& usable) {
  const auto at = locate_cpus(m);
  const auto cpus = compact_order(m, usable);
  const auto turns = turns_of_groups(cpus, at);

  struct candidate {
    std::uint32_t sibling;  // how many usable siblings come before it
    bool slow;
    std::uint32_t round;  // how many like it come before it in its group
    std::uint32_t turn;   // its group's
    cpu_number cpu;
  };
  std::vector<candidate> candidates;
  std::map<std::tuple<std::uint32_t, bool, std::uint32_t>, std::uint32_t> rounds;
  std::uint32_t previous_core = k_nowhere;
  std::uint32_t sibling = 0;
  for (const cpu_number cpu : cpus) {
    sibling = at[cpu].core == previous_core ? sibling + 1 : 0;
    previous_core = at[cpu].core;
    const bool slow = m.cores[at[cpu].core].kind == core_kind::efficiency;
    const std::uint32_t turn = turns.at(group_of(at[cpu]));
    candidates.push_back({sibling, slow, rounds[{sibling, slow, turn}]++, turn, cpu});
  }
  std::sort(candidates.begin(), candidates.end(), [](const candidate& a, const candidate& b) {
    return std::tuple{a.sibling, a.slow, a.round, a.turn} < std::tuple{b.sibling, b.slow, b.round, b.turn};
  });
  std::vector<cpu_number> order;
  for (const candidate& c : candidates) order.push_back(c.cpu);
  return order;
}

}  // namespace

std::vector<cpu_number> assign_workers(const machine& m, const cpu_set& usable, std::uint32_t workers, placement how) {
  if (workers == 0 || workers > k_max_workers) {
    throw topology_error{"assign_workers: workers = " + std::to_string(workers) + " is not allowed; allowed: 1 to " +
                         std::to_string(k_max_workers)};
  }
  const auto order = how == placement::spread ? spread_order(m, usable) : compact_order(m, usable);
  if (order.empty()) {
    throw topology_error{"assign_workers: usable CPUs '" + usable.to_string() +
                         "' are not allowed; allowed: at least one of the machine's CPUs " + m.cpus().to_string()};
  }
  std::vector<cpu_number> cpu_of_worker(workers);
  for (std::size_t w = 0; w != workers; ++w) cpu_of_worker[w] = order[w % order.size()];
  return cpu_of_worker;
}

}  // namespace filch::inline v0::topology
