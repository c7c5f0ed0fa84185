#include <filch/topology/distance_table.hpp>
#include <filch/topology/placement.hpp>

#include "thrown_text.hpp"

#include <gtest/gtest.h>

namespace {

using namespace filch::topology;
using filch::worker_id;
using cpu_list = std::vector<cpu_number>;

// 2 packages × 2 nodes × 4 cores × 2 threads; two cores share an L3.
machine deep_machine() {
  return machine::synthetic(
      {.packages = 2, .nodes_per_package = 2, .cores_per_node = 4, .threads_per_core = 2, .cores_per_l3 = 2});
}

TEST(distance_table, each_step_of_the_scale_has_its_number) {
  const machine m = deep_machine();
  const cpu_list cpus{0, 1, 2, 4, 8, 16};
  const distance_table table{m, cpus};
  EXPECT_EQ(table.between(worker_id{0}, worker_id{0}), k_distance_self);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{1}), k_distance_core);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{2}), k_distance_cache);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{3}), k_distance_node);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{4}), k_distance_package);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{5}), k_distance_remote);
  EXPECT_EQ(table.farthest(), k_distance_remote);
}

TEST(distance_table, two_workers_on_one_cpu_are_not_one_worker) {
  const machine m = machine::synthetic({});
  const distance_table table{m, cpu_list{0, 0}};
  EXPECT_EQ(table.between(worker_id{0}, worker_id{1}), k_distance_core);
  EXPECT_EQ(table.between(worker_id{1}, worker_id{1}), k_distance_self);
}

TEST(distance_table, packages_farther_away_get_larger_numbers) {
  machine m = machine::synthetic({.packages = 4});
  m.node_distances = {10, 16, 16, 22,   //
                      16, 10, 22, 16,   //
                      16, 22, 10, 16,   //
                      30, 16, 16, 10};  // of 22 and 30 the larger counts
  normalize(m);
  const distance_table table{m, cpu_list{0, 1, 2, 3}};
  EXPECT_EQ(table.between(worker_id{0}, worker_id{1}), 5);
  EXPECT_EQ(table.between(worker_id{1}, worker_id{2}), 6);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{3}), 7);
  EXPECT_EQ(table.between(worker_id{3}, worker_id{0}), 7);
}

TEST(distance_table, unknown_numa_distances_make_all_other_packages_equal) {
  machine m = machine::synthetic({.packages = 3});
  m.node_distances.clear();
  const distance_table table{m, cpu_list{0, 1, 2}};
  EXPECT_EQ(table.between(worker_id{0}, worker_id{1}), k_distance_remote);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{2}), k_distance_remote);
}

TEST(distance_table, a_machine_without_caches_still_has_nodes) {
  const machine m = machine::synthetic({.cores_per_node = 2, .l1_bytes = 0, .l2_bytes = 0, .l3_bytes = 0});
  const distance_table table{m, cpu_list{0, 1}};
  EXPECT_EQ(table.between(worker_id{0}, worker_id{1}), k_distance_node);
}

TEST(distance_table, an_l1_alone_does_not_make_neighbours) {
  machine m = machine::synthetic({.cores_per_node = 2, .l1_bytes = 0, .l2_bytes = 0, .l3_bytes = 0});
  m.caches.push_back({1, 0, cpu_set{0, 1}});
  const distance_table table{m, cpu_list{0, 1}};
  EXPECT_EQ(table.between(worker_id{0}, worker_id{1}), k_distance_node);
}

TEST(distance_table, it_is_symmetric_and_zero_only_on_the_diagonal) {
  const machine m = deep_machine();
  const auto cpus = assign_workers(m, m.cpus(), 40);
  const distance_table table{m, cpus};
  ASSERT_EQ(table.workers(), 40u);
  for (std::uint32_t a = 0; a != 40; ++a) {
    const auto row = table.row(worker_id{a});
    ASSERT_EQ(row.size(), 40u);
    for (std::uint32_t b = 0; b != 40; ++b) {
      EXPECT_EQ(row[b], table.between(worker_id{b}, worker_id{a}));
      EXPECT_EQ(row[b] == 0, a == b);
    }
  }
}

// A wrong stride or an overflow shows at the far corner.
TEST(distance_table, two_thousand_workers_fit) {
  const machine m = machine::synthetic({.packages = 8, .cores_per_node = 128, .threads_per_core = 2});
  const auto cpus = assign_workers(m, m.cpus(), 2048, placement::compact);
  const distance_table table{m, cpus};
  EXPECT_EQ(table.between(worker_id{2047}, worker_id{2046}), k_distance_core);
  EXPECT_EQ(table.between(worker_id{2047}, worker_id{1792}), k_distance_cache);
  EXPECT_EQ(table.between(worker_id{2047}, worker_id{1791}), k_distance_remote);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{2047}), k_distance_remote);
}

TEST(distance_table, a_cpu_the_machine_does_not_have_is_refused_by_name) {
  const machine m = machine::synthetic({.cores_per_node = 4});
  EXPECT_EQ(thrown_text([&] { distance_table(m, cpu_list{0, 7}); }),
            "distance_table: worker 1 on CPU 7 is not allowed; allowed: CPUs 0-3");
}

TEST(distance_table, a_uniform_one_knows_only_self_and_others) {
  const auto table = distance_table::uniform(3);
  EXPECT_EQ(table.between(worker_id{1}, worker_id{1}), 0);
  EXPECT_EQ(table.between(worker_id{0}, worker_id{2}), k_distance_cache);
  EXPECT_EQ(distance_table::uniform(1).farthest(), 0);
  EXPECT_EQ(distance_table{}.workers(), 0u);
}

}  // namespace
