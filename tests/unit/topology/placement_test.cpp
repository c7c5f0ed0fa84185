#include <filch/topology/placement.hpp>

#include "thrown_text.hpp"

#include <gtest/gtest.h>

namespace {

using namespace filch::topology;
using cpu_list = std::vector<cpu_number>;

TEST(placement, spread_takes_every_core_before_any_sibling) {
  const machine m = machine::synthetic({.cores_per_node = 4, .threads_per_core = 2});
  EXPECT_EQ(assign_workers(m, m.cpus(), 8), (cpu_list{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(placement, spread_alternates_between_packages_then_nodes_then_caches) {
  const machine m = machine::synthetic(
      {.packages = 2, .nodes_per_package = 2, .cores_per_node = 4, .cores_per_l3 = 2});  // CPUs 0-15, 4 a node
  EXPECT_EQ(assign_workers(m, m.cpus(), 16), (cpu_list{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}));
}

TEST(placement, spread_prefers_fast_cores_and_slow_cores_to_siblings) {
  const machine m = machine::synthetic({.cores_per_node = 2, .threads_per_core = 2, .efficiency_cores_per_node = 2});
  EXPECT_EQ(assign_workers(m, m.cpus(), 6), (cpu_list{0, 2, 4, 5, 1, 3}));
}

TEST(placement, compact_keeps_siblings_and_neighbours_together) {
  const machine m = machine::synthetic({.packages = 2, .cores_per_node = 2, .threads_per_core = 2});
  EXPECT_EQ(assign_workers(m, m.cpus(), 5, placement::compact), (cpu_list{0, 1, 2, 3, 4}));
}

TEST(placement, only_usable_cpus_are_taken) {
  const machine m = machine::synthetic({.cores_per_node = 4, .threads_per_core = 2});
  // Of cores 0 and 1 only the second sibling may be used: it counts as a core of its own, not as a sibling.
  const cpu_set usable{1, 3, 4, 5, 100};
  EXPECT_EQ(assign_workers(m, usable, 4), (cpu_list{1, 3, 4, 5}));
  EXPECT_EQ(assign_workers(m, usable, 4, placement::compact), (cpu_list{1, 3, 4, 5}));
  EXPECT_EQ(assign_workers(m, cpu_set{4, 5, 6}, 3), (cpu_list{4, 6, 5}));
}

TEST(placement, more_workers_than_cpus_go_round_again) {
  const machine m = machine::synthetic({.cores_per_node = 2});
  EXPECT_EQ(assign_workers(m, m.cpus(), 5), (cpu_list{0, 1, 0, 1, 0}));
}

TEST(placement, every_cpu_is_taken_once_before_any_is_taken_twice) {
  const machine m = machine::synthetic({.packages = 2,
                                        .nodes_per_package = 3,
                                        .cores_per_node = 5,
                                        .threads_per_core = 2,
                                        .efficiency_cores_per_node = 3,
                                        .cores_per_l3 = 3});
  const auto size = static_cast<std::uint32_t>(m.cpus().size());
  for (const placement how : {placement::spread, placement::compact}) {
    EXPECT_EQ(cpu_set{assign_workers(m, m.cpus(), size, how)}, m.cpus());
  }
}

TEST(placement, bad_requests_are_named) {
  const machine m = machine::synthetic({.cores_per_node = 2});
  EXPECT_EQ(thrown_text([&] { static_cast<void>(assign_workers(m, m.cpus(), 0)); }),
            "assign_workers: workers = 0 is not allowed; allowed: 1 to 65535");
  EXPECT_EQ(thrown_text([&] { static_cast<void>(assign_workers(m, cpu_set{8, 9}, 1)); }),
            "assign_workers: usable CPUs '8-9' are not allowed; allowed: at least one of the machine's CPUs 0-1");
}

}  // namespace
