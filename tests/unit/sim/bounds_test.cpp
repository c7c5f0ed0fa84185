// The worker model against what is known of greedy schedules, branching processes and steals.
#include <filch/sim/worker_model.hpp>

#include <filch/base/random.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using namespace filch;
using sim::graph_workload;
using sim::machine_model;
using sim::run_result;
using sim::target;
using trace::count;

// ---- greedy schedules -----------------------------------------------------------------------------------------------

sim::task_graph random_graph(random_stream& random) {
  sim::task_graph graph;
  const std::uint64_t size = 1 + random.below(120);
  const double density = random.uniform(0.0, 0.2);
  for (std::uint32_t i = 0; i != size; ++i) {
    graph.add(static_cast<time_ns>(1 + random.below(1000)));
    for (std::uint32_t j = i > 12 ? i - 12 : 0; j < i; ++j) {
      if (random.unit() < density) graph.add_edge(j, i);
    }
  }
  return graph;
}

// Graham: when nobody idles while a task is ready, T ≤ (T1 − T∞)/P + T∞. With free steals every policy keeps to it.
TEST(bounds, free_steals_keep_grahams_bound_on_every_graph) {
  random_stream random{filch_test::test_seed()};
  for (int i = 0; i != 300; ++i) {
    SCOPED_TRACE(i);
    const sim::task_graph graph = random_graph(random);
    const auto workers = 1 + static_cast<std::uint32_t>(random.below(20));
    const policy::search_options policy{
        .victims = static_cast<policy::victims>(random.below(policy::names<policy::victims>::all.size())),
        .order = static_cast<policy::order>(random.below(2)),
        .idle = random.below(2) == 0 ? policy::idle::eco : policy::idle::balanced};
    graph_workload load{graph};
    const run_result result = sim::simulate(machine_model::free(workers), policy, load, {.seed = random.bits()});
    ASSERT_TRUE(result.is_complete);
    ASSERT_EQ(result.total_use().work_ns, graph.work_ns());
    ASSERT_GE(result.makespan_ns, graph.span_ns());
    ASSERT_GE(result.makespan_ns * workers, graph.work_ns());
    ASSERT_LE((result.makespan_ns - graph.span_ns()) * workers, graph.work_ns() - graph.span_ns());
  }
}

time_ns list_schedule(const sim::task_graph& graph, std::uint32_t workers) {
  graph_workload load{graph, graph_workload::ready_goes::to_the_injector};
  return sim::simulate(machine_model::free(workers), {.idle = policy::idle::eco, .starvation_interval = 0}, load)
      .makespan_ns;
}

// Graham's nine tasks: more workers, shorter tasks or fewer constraints make it slower. Tasks are taken in the order of
// the list: the last one is of the low band, because it can become ready before others, and the first one is 1 ns
// longer than in the book, so that no two tasks end together.
sim::task_graph anomaly(time_ns shorter_by_ns, bool all_edges) {
  sim::task_graph graph;
  for (const time_ns work_ns : {3001, 2000, 2000, 2000, 4000, 4000, 4000, 4000}) graph.add(work_ns - shorter_by_ns);
  graph.add(9000 - shorter_by_ns, policy::priority::low);
  graph.add_edge(0, 8);
  for (std::uint32_t after = all_edges ? 4 : 6; after != 8; ++after) graph.add_edge(3, after);
  return graph;
}

TEST(bounds, grahams_anomalies_appear) {
  EXPECT_EQ(list_schedule(anomaly(0, true), 3), 12'001);
  EXPECT_EQ(list_schedule(anomaly(0, true), 4), 15'000);
  EXPECT_EQ(list_schedule(anomaly(1000, true), 3), 13'000);
  EXPECT_EQ(list_schedule(anomaly(0, false), 3), 16'001);
}

TEST(bounds, the_tight_instance_is_nearly_twice_as_slow_as_the_best) {
  for (const std::uint32_t workers : {2u, 3u, 8u, 32u}) {
    sim::task_graph graph;
    for (std::uint32_t i = 0; i != workers * (workers - 1); ++i) graph.add(1);
    graph.add(workers);
    EXPECT_EQ(list_schedule(graph, workers), 2 * workers - 1);
  }
}

// ---- equal tasks ----------------------------------------------------------------------------------------------------

// The lesson's closed form: tasks that come when the workers have just looked wait for one poll.
TEST(bounds, equal_tasks_take_a_poll_and_then_rounds) {
  constexpr time_ns k_poll_ns = k_ns_per_s / 10;
  for (const std::uint32_t tasks : {500u, 100u, 25u, 3u}) {
    const time_ns each_ns = 50 * k_ns_per_s / tasks;
    sim::task_list list;
    for (std::uint32_t i = 0; i != tasks; ++i) list.add(each_ns, target::by_policy(), 1);
    const run_result result = sim::simulate(
        machine_model::free(4), {.idle = policy::idle::poll(k_poll_ns), .placement = policy::placement::random}, list,
        {.deaf_waits = true});
    EXPECT_EQ(result.makespan_ns, k_poll_ns + (tasks + 3) / 4 * each_ns) << tasks;
  }
}

// Every worker must run N/P tasks, so those who start with fewer must steal the difference. Largest-first needs hardly
// more: one steal too many when the fullest queue it sees belongs to one that is about to take from it at that moment.
TEST(bounds, the_largest_queue_first_steals_hardly_more_than_needed) {
  random_stream random{filch_test::test_seed()};
  std::uint64_t least = 0;
  std::uint64_t by_largest = 0;
  std::uint64_t by_random = 0;
  for (int i = 0; i != 200; ++i) {
    constexpr std::uint32_t k_workers = 8;
    constexpr std::uint32_t k_each = 12;
    std::vector<std::uint32_t> at(k_workers * k_each);
    std::vector<std::uint32_t> initial(k_workers);
    for (auto& worker : at) ++initial[worker = static_cast<std::uint32_t>(random.below(k_workers))];
    std::uint64_t needed = 0;
    for (const std::uint32_t size : initial) needed += size < k_each ? k_each - size : 0;
    const auto steals = [&](policy::victims how) {
      sim::task_list list;
      for (const std::uint32_t worker : at) list.add(1000, target::at(worker_id{worker}));
      const run_result result = sim::simulate(machine_model::free(k_workers), {.victims = how}, list, {.seed = 5});
      EXPECT_EQ(result.makespan_ns, 1000 * k_each);
      return result.total_counts()[count::stolen_by_me];
    };
    const std::uint64_t largest = steals(policy::victims::largest);
    EXPECT_GE(largest, needed);
    const std::uint64_t randomly = steals(policy::victims::random);
    EXPECT_GE(randomly, needed);
    least += needed, by_largest += largest, by_random += randomly;
  }
  EXPECT_LT(static_cast<double>(by_largest), 1.08 * static_cast<double>(least));
  EXPECT_GT(static_cast<double>(by_random), 1.1 * static_cast<double>(least));
  EXPECT_LT(static_cast<double>(by_random), 1.4 * static_cast<double>(least));
}

// ---- the lesson's imbalanced load, in the worker model --------------------------------------------------------------

TEST(bounds, adaptive_thieves_save_steals_and_no_time) {
  constexpr int k_runs = 2000;
  double steals[2] = {};
  double makespan_s[2] = {};
  for (int i = 0; i != k_runs; ++i) {
    for (const bool adaptive : {false, true}) {
      random_stream random{static_cast<std::uint64_t>(i)};
      sim::task_list list;
      for (int t = 0; t != 15; ++t) {
        const auto worker = t < 12 ? 0u : static_cast<std::uint32_t>(random.below(4));
        list.add(static_cast<time_ns>(random.uniform(1e9, 2e9)), target::at(worker_id{worker}));
      }
      const auto result = sim::simulate(
          machine_model::free(4), {.victims = adaptive ? policy::victims::largest : policy::victims::random}, list);
      steals[adaptive] += static_cast<double>(result.total_counts()[count::stolen_by_me]) / k_runs;
      makespan_s[adaptive] += static_cast<double>(result.makespan_ns) * 1e-9 / k_runs;
    }
  }
  EXPECT_NEAR(steals[1], 9.000, 0.12);  // the lesson's own figures
  EXPECT_NEAR(steals[0], 9.624, 0.12);
  EXPECT_NEAR(makespan_s[1], 6.2301, 0.05);
  EXPECT_NEAR(makespan_s[0], makespan_s[1], 0.005);
}

// Five roots, each task with 0.6 children on average: 5/(1 − 0.6) tasks.
TEST(bounds, branching_tasks_are_as_many_as_the_theory_says) {
  constexpr int k_runs = 4000;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t seed = 0; seed != k_runs; ++seed) {
    sim::branching_tasks tasks{{}, seed};
    const auto made = static_cast<double>(
        sim::simulate(machine_model::free(4), {.placement = policy::placement::random}, tasks).tasks);
    sum += made, squares += made * made;
  }
  const double mean = sum / k_runs;
  EXPECT_NEAR(mean, 12.5, 4 * 9.01 / std::sqrt(k_runs));
  EXPECT_NEAR(std::sqrt(squares / k_runs - mean * mean), 9.01, 0.8);
}

TEST(bounds, the_work_is_the_same_whatever_the_schedule) {
  for (std::uint64_t seed = 0; seed != 20; ++seed) {
    const auto run = [seed](std::uint32_t workers) {
      sim::branching_tasks tasks{{.roots = 40}, seed};
      return sim::simulate(machine_model::free(workers), {.victims = policy::victims::best_of_two}, tasks);
    };
    const run_result one = run(1);
    const run_result many = run(16);
    EXPECT_EQ(one.tasks, many.tasks);
    EXPECT_EQ(one.total_use().work_ns, many.total_use().work_ns);
  }
}

}  // namespace
