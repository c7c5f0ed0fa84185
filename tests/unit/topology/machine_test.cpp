#include <filch/topology/machine.hpp>

#include "thrown_text.hpp"

#include <gtest/gtest.h>

namespace {

using filch::topology::core_kind;
using filch::topology::cpu_set;
using filch::topology::machine;
using filch::topology::normalize;

TEST(machine, a_synthetic_one_has_the_parts_that_were_asked_for) {
  const machine m = machine::synthetic({.packages = 2,
                                        .nodes_per_package = 2,
                                        .cores_per_node = 4,
                                        .threads_per_core = 2,
                                        .memory_per_node_bytes = 1024});
  EXPECT_EQ(m.summary(), "2 packages, 4 NUMA nodes, 16 cores, 32 CPUs");
  EXPECT_EQ(m.source, "synthetic");
  EXPECT_EQ(m.cpus(), cpu_set::first(32));
  EXPECT_EQ(m.cores[5].cpus, (cpu_set{10, 11}));
  EXPECT_EQ(m.cores[5].node, 1u);
  EXPECT_EQ(m.cores[5].package, 0u);
  EXPECT_EQ(m.cores[15].package, 1u);
  EXPECT_EQ(m.nodes[3].memory_bytes, 1024u);
  EXPECT_EQ(m.node_distance(0, 0), 10u);
  EXPECT_EQ(m.node_distance(0, 1), 12u);
  EXPECT_EQ(m.node_distance(1, 2), 21u);
  ASSERT_EQ(m.caches.size(), 4u + 16u + 16u);  // one L3 for each node, an L2 and an L1 for each core
  EXPECT_EQ(m.caches.front().level, 3u);
  EXPECT_EQ(m.caches.front().cpus, cpu_set::first(8));
}

TEST(machine, processing_units_are_counted_within_their_core) {
  const machine m = machine::synthetic({.cores_per_node = 2, .threads_per_core = 2});
  const auto units = m.processing_units();
  ASSERT_EQ(units.size(), 4u);
  EXPECT_EQ(units[3].cpu, 3u);
  EXPECT_EQ(units[3].core, 1u);
  EXPECT_EQ(units[3].thread, 1u);
}

TEST(machine, efficiency_cores_have_their_kind_speed_single_thread_and_shared_l2) {
  const machine m = machine::synthetic({.cores_per_node = 2, .threads_per_core = 2, .efficiency_cores_per_node = 4});
  ASSERT_EQ(m.cores.size(), 6u);
  EXPECT_EQ(m.cores[0].kind, core_kind::performance);
  EXPECT_EQ(m.cores[0].speed_permille, 1000u);
  EXPECT_EQ(m.cores[2].kind, core_kind::efficiency);
  EXPECT_EQ(m.cores[2].speed_permille, 500u);
  EXPECT_EQ(m.cores[2].cpus, (cpu_set{4}));
  int clusters = 0;
  for (const auto& c : m.caches) clusters += c.level == 2 && c.cpus == cpu_set{4, 5, 6, 7};
  EXPECT_EQ(clusters, 1);
}

TEST(machine, a_bad_synthetic_option_is_named_with_its_value_and_range) {
  EXPECT_EQ(thrown_text([] { static_cast<void>(machine::synthetic({.packages = 0})); }),
            "synthetic machine: packages = 0 is not allowed; allowed: 1 to 65536");
  contains(thrown_text([] {
             static_cast<void>(machine::synthetic({.packages = 2, .cores_per_node = 60000, .threads_per_core = 8}));
           }),
           "number of CPUs = 960000");
}

TEST(machine, normalize_puts_cores_that_share_more_closer_together) {
  // CPU numbers that alternate between packages, as some firmware hands them out.
  machine m;
  m.packages.resize(2);
  m.nodes.resize(2);
  for (std::uint32_t cpu = 0; cpu != 8; ++cpu) {
    m.cores.push_back({.package = cpu % 2, .node = cpu % 2, .cpus = {cpu}});
  }
  m.caches.push_back({2, 0, cpu_set{0, 4}});
  m.caches.push_back({2, 0, cpu_set{2, 6}});
  m.caches.push_back({3, 0, cpu_set{0, 2, 4, 6}});
  normalize(m);
  std::vector<std::uint32_t> order;
  for (const auto& c : m.cores) order.push_back(c.cpus.front());
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 4, 2, 6, 1, 3, 5, 7}));
  EXPECT_EQ(m.caches.front().level, 3u);
  const machine again = m;
  normalize(m);
  EXPECT_EQ(m, again);
}

TEST(machine, normalize_names_what_breaks_an_invariant) {
  const machine good = machine::synthetic({.packages = 2, .cores_per_node = 2});
  const auto complaint = [&](auto spoil) {
    machine m = good;
    spoil(m);
    return thrown_text([&] { normalize(m); });
  };
  EXPECT_EQ(complaint([](machine& m) { m.cores.clear(); }),
            "cores: an empty list is not allowed; allowed: at least one");
  EXPECT_EQ(complaint([](machine& m) { m.cores[1].package = 2; }),
            "cores[1].package: 2 is not allowed; allowed: 0 to 1");
  EXPECT_EQ(complaint([](machine& m) { m.cores[1].node = 9; }), "cores[1].node: 9 is not allowed; allowed: 0 to 1");
  EXPECT_EQ(complaint([](machine& m) { m.cores[1].cpus = {}; }),
            "cores[1].cpus: an empty set is not allowed; allowed: at least one CPU");
  EXPECT_EQ(complaint([](machine& m) { m.cores[1].cpus = {0}; }),
            "cores[1].cpus: CPU 0 is not allowed; allowed: CPUs of no other core, and cores[0] has it");
  EXPECT_EQ(complaint([](machine& m) { m.cores[0].speed_permille = 1001; }),
            "cores[0].speed_permille: 1001 is not allowed; allowed: 1 to 1000");
  contains(complaint([](machine& m) {
             for (auto& c : m.cores) c.speed_permille = 900;
           }),
           "largest speed_permille: 900");
  contains(complaint([](machine& m) { m.caches[0].cpus = {99}; }), "caches[0].cpus: CPU 99");
  contains(complaint([](machine& m) { m.caches[1].cpus = m.caches[0].cpus; }), "another cache of level 3");
  contains(complaint([](machine& m) { m.caches[0].level = 6; }), "caches[0].level: 6");
  contains(complaint([](machine& m) { m.node_distances.pop_back(); }), "node_distances: 3 numbers");
  contains(complaint([](machine& m) { m.node_distances[2] = 0; }), "node_distances[1][0]: 0");
}

}  // namespace
