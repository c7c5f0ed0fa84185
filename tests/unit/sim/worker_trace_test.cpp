// A simulated run leaves the same events as a run on threads: its recording says what its books say.
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace {

using namespace filch;
using sim::machine_model;
using sim::run_result;
using trace::count;
using trace::event_kind;

std::unique_ptr<sim::workload> some_workload(int which) {
  if (which == 0) return std::make_unique<sim::fork_join_tree>(sim::fork_join_options{.depth = 7, .after_ns = 30});
  if (which == 1) {
    return std::make_unique<sim::fork_join_tree>(
        sim::fork_join_options{.depth = 6, .arity = 3, .before_ns = 5, .work_first = true});
  }
  if (which == 2) return std::make_unique<sim::branching_tasks>(sim::branching_options{.roots = 60}, 11);
  auto list = std::make_unique<sim::task_list>();
  for (int i = 0; i != 300; ++i) list->add(50 + 7 * (i % 13), sim::target::at(worker_id{0}), i / 10 * 100);
  return list;
}

machine_model dear(std::uint32_t workers) {
  machine_model machine = machine_model::free(workers);
  machine.costs.spawn_ns = 4, machine.costs.pop_ns = 2, machine.costs.park_ns = 20, machine.costs.wake_ns = 50;
  machine.costs.steal = {{30, 10, 15}};
  machine.costs.steal_exposure_ns = 12;
  return machine;
}

using kind_counts = std::array<std::uint64_t, trace::k_kind_count>;

// Events by kind; of steal_success the tasks taken.
kind_counts counted(const std::vector<trace::event>& list) {
  kind_counts out{};
  for (const trace::event& one : list) {
    out[static_cast<std::size_t>(one.kind)] += one.kind == event_kind::steal_success ? one.argument : 1;
  }
  return out;
}

TEST(simulated_trace, counts_of_every_worker_equal_its_books) {
  for (int which = 0; which != 4; ++which) {
    for (const std::uint32_t workers : {1u, 3u, 8u}) {
      SCOPED_TRACE("workload " + std::to_string(which) + ", " + std::to_string(workers) + " workers");
      trace::recording seen;
      const auto load = some_workload(which);
      // Without retries every visit of a victim is one look.
      const policy::search_options policy{.steal = which == 3 ? policy::steal::half : policy::steal::one,
                                          .retry_lost = false};
      const run_result result = sim::simulate(dear(workers), policy, *load, {.seed = 5, .record = &seen});
      ASSERT_TRUE(result.is_complete);
      ASSERT_EQ(seen.check(), "");
      ASSERT_EQ(seen.workers.size(), workers);
      std::uint64_t made = counted(seen.outside)[static_cast<std::size_t>(event_kind::spawn)];
      for (std::uint32_t w = 0; w != workers; ++w) {
        const kind_counts events = counted(seen.workers[w]);
        const auto of = [&](event_kind kind) { return events[static_cast<std::size_t>(kind)]; };
        const trace::count_values& books = result.counts[w];
        EXPECT_EQ(of(event_kind::end), books[count::executed]);
        EXPECT_EQ(of(event_kind::spawn), books[count::spawned]);
        EXPECT_EQ(of(event_kind::steal_attempt), books[count::steal_attempts]);
        EXPECT_EQ(of(event_kind::steal_success), books[count::stolen_by_me]);
        EXPECT_EQ(of(event_kind::steal_lost), books[count::steal_lost]);
        EXPECT_EQ(of(event_kind::steal_lost) + of(event_kind::steal_empty), books[count::steal_failures]);
        EXPECT_EQ(of(event_kind::park), books[count::parks]);
        EXPECT_EQ(of(event_kind::notify), books[count::wakes]);
        EXPECT_EQ(of(event_kind::suspend), books[count::suspends]);
        EXPECT_EQ(of(event_kind::resume), books[count::resumes]);
        made += of(event_kind::spawn);
      }
      EXPECT_EQ(made, result.tasks);
    }
  }
}

TEST(simulated_trace, every_inner_node_of_a_tree_joins_once_whether_it_had_to_wait_or_not) {
  for (const bool work_first : {false, true}) {
    for (const std::uint32_t workers : {1u, 4u}) {
      trace::recording seen;
      sim::fork_join_tree tree{{.depth = 5, .arity = 2, .work_first = work_first}};
      (void)sim::simulate(machine_model::free(workers), {}, tree, {.record = &seen});
      std::uint64_t joins = 0;
      for (const auto& list : seen.workers) joins += counted(list)[static_cast<std::size_t>(event_kind::join)];
      EXPECT_EQ(joins, 31u) << "work first: " << work_first << ", workers: " << workers;
    }
  }
}

TEST(simulated_trace, names_the_nodes_of_the_workers_where_the_machine_has_distances) {
  machine_model machine = machine_model::free(4);
  sim::task_list list;
  list.add(10);
  trace::recording seen;
  (void)sim::simulate(machine, {}, list, {.record = &seen});
  EXPECT_TRUE(seen.about.extra.empty());
  machine.distances = topology::distance_table::uniform(4, topology::k_distance_remote);
  sim::task_list again;
  again.add(10);
  (void)sim::simulate(machine, {}, again, {.record = &seen});
  using pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(seen.about.extra, (pairs{{"numa_nodes", "0 1 2 3"}}));
}

}  // namespace
