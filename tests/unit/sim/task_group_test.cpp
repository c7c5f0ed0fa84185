// Groups of tasks, divisible loads, and what a machine can do to tasks: cold caches and disturbances.
#include <filch/sim/task_group.hpp>

#include <filch/base/random.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace filch;
using sim::arrival_times;
using sim::lengths;
using sim::machine_model;
using sim::run_result;
using sim::target;

std::vector<sim::arrival> arrivals_of(std::vector<sim::task_group> groups, std::uint64_t seed = 1) {
  sim::grouped_tasks load{std::move(groups), seed};
  std::vector<sim::arrival> out;
  for (sim::arrival one; load.next_arrival(one);) out.push_back(one);
  return out;
}

std::vector<sim::task_group> equal_tasks(std::uint64_t count, time_ns each_ns) {
  std::vector<sim::task_group> groups(1);
  groups[0].count = count;
  groups[0].length = lengths::constant(each_ns);
  return groups;
}

std::vector<time_ns> times_of(const arrival_times& arrives, std::uint64_t count) {
  std::vector<sim::task_group> groups(1);
  groups[0].count = count;
  groups[0].arrives = arrives;
  std::vector<time_ns> out;
  for (const auto& one : arrivals_of(groups)) out.push_back(one.at_ns);
  return out;
}

TEST(task_group, tasks_come_when_their_pattern_says) {
  using kind = arrival_times::kind;
  EXPECT_EQ(times_of({.what = kind::at_once, .first_ns = 7}, 3), (std::vector<time_ns>{7, 7, 7}));
  EXPECT_EQ(times_of({.what = kind::every, .first_ns = 1, .gap_ns = 10}, 3), (std::vector<time_ns>{1, 11, 21}));
  EXPECT_EQ(times_of({.what = kind::bursts, .first_ns = 1, .gap_ns = 10, .size = 2}, 5),
            (std::vector<time_ns>{1, 1, 11, 11, 21}));
  EXPECT_EQ(times_of({.what = kind::listed, .times_ns = {4, 4, 9}}, 3), (std::vector<time_ns>{4, 4, 9}));
}

TEST(task_group, poisson_arrivals_have_their_mean_and_variance) {
  constexpr std::uint64_t k_tasks = 200'000;
  const auto times = times_of({.what = arrival_times::kind::poisson, .gap_ns = 1'000'000}, k_tasks);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i != times.size(); ++i) {
    const double gap = static_cast<double>(times[i] - times[i - 1]) * 1e-6;
    sum += gap, squares += gap * gap;
  }
  EXPECT_NEAR(sum / k_tasks, 1, 0.01);
  EXPECT_NEAR(squares / k_tasks, 2, 0.05);
}

TEST(task_group, groups_are_merged_by_time_and_lengths_keep_to_their_bounds) {
  std::vector<sim::task_group> groups(2);
  groups[0].count = 100;
  groups[0].length = lengths::uniform(5, 9);
  groups[0].arrives.first_ns = 50;
  groups[1].count = 100;
  groups[1].length = lengths::constant(3);
  groups[1].arrives.what = arrival_times::kind::every;
  groups[1].arrives.gap_ns = 1;
  groups[1].band = policy::priority::low;
  const auto all = arrivals_of(groups);
  ASSERT_EQ(all.size(), 200u);
  for (std::size_t i = 1; i != all.size(); ++i) ASSERT_LE(all[i - 1].at_ns, all[i].at_ns);
  for (const auto& one : all) {
    if (one.band == policy::priority::low) {
      EXPECT_EQ(one.words[0], 3u);
    } else {
      EXPECT_GE(one.words[0], 5u);
      EXPECT_LE(one.words[0], 9u);
    }
  }
  EXPECT_EQ(all[50].band, policy::priority::normal);  // of the first group, which comes first at equal times
}

TEST(task_group, a_run_stops_when_it_has_made_too_many_tasks) {
  sim::grouped_tasks list{equal_tasks(1000, 5), 1};
  const run_result flat = sim::simulate(machine_model::free(2), {}, list, {.most_tasks = 100});
  EXPECT_EQ(flat.end, sim::run_end::task_limit);
  EXPECT_LE(flat.tasks, 101u);
  // On average 1.8 children each: without a limit it would not end.
  sim::branching_tasks growing{{.probability = 0.9}, 1};
  const run_result grown = sim::simulate(machine_model::free(8), {}, growing, {.most_tasks = 50'000});
  EXPECT_EQ(grown.end, sim::run_end::task_limit);
  EXPECT_FALSE(grown.is_complete);
  EXPECT_LE(grown.tasks, 50'010u);
}

// Eleven workers look for work again and again while one task takes a second.
TEST(limits, a_run_with_too_many_events_stops) {
  sim::task_list list;
  list.add(k_ns_per_s);
  policy::search_options restless;
  restless.idle = policy::idle::latency;
  const run_result result = sim::simulate(machine_model::free(12), restless, list, {.most_events = 20});
  EXPECT_EQ(result.end, sim::run_end::event_limit);
  EXPECT_EQ(result.use.front().total_ns(), result.makespan_ns);
}

TEST(divisible_load, all_of_it_is_done_and_idle_workers_get_half) {
  for (const std::uint32_t workers : {1u, 2u, 7u, 32u}) {
    sim::divisible_load load{{.work_ns = 10'000'000, .grain_ns = 1000}};
    const run_result result = sim::simulate(machine_model::free(workers), {}, load);
    EXPECT_TRUE(result.is_complete);
    EXPECT_EQ(result.total_use().work_ns, 10'000'000);
    EXPECT_LE(result.makespan_ns, 10'000'000 / workers + 20 * 1000);
  }
}

// ---- cold caches ----------------------------------------------------------------------------------------------------

TEST(migration, a_task_pays_on_another_worker_than_the_one_that_made_it) {
  machine_model machine = machine_model::free(2);
  machine.costs.migration_ns = {0, 0, 500};
  // Worker 0 runs the root and one leaf, worker 1 steals the other; the last to end goes on with the root.
  sim::fork_join_tree tree{{.depth = 1, .leaf_ns = 1000}};
  const run_result result = sim::simulate(machine, {}, tree);
  EXPECT_EQ(result.use[1].overhead_ns, 1000);  // the leaf and the root's continuation
  EXPECT_EQ(result.use[0].overhead_ns, 0);
  EXPECT_EQ(result.makespan_ns, 2000);
}

TEST(migration, tasks_from_outside_and_those_that_stay_pay_nothing) {
  machine_model machine = machine_model::free(1);
  machine.costs.migration_ns = {500};
  sim::fork_join_tree tree{{.depth = 5, .leaf_ns = 10}};
  EXPECT_EQ(sim::simulate(machine, {}, tree).total_use().overhead_ns, 0);
}

// ---- disturbances ---------------------------------------------------------------------------------------------------

// Second by second: what the closed form must come to.
time_ns stepwise_ns(const machine_model& machine, std::uint32_t worker, time_ns from_ns, time_ns span_ns) {
  double left = static_cast<double>(span_ns);
  time_ns at_ns = from_ns;
  for (; left > 1e-9; ++at_ns) {
    double speed = 1;
    for (const auto& one : machine.disturbances) {
      if (one.worker != worker || at_ns < one.from_ns) continue;
      const time_ns since_ns = one.every_ns == 0 ? at_ns - one.from_ns : (at_ns - one.from_ns) % one.every_ns;
      if (since_ns < one.for_ns) speed = one.speed_permille / 1000.0;
    }
    left -= speed;
  }
  return at_ns - from_ns;
}

TEST(disturbances, work_takes_as_long_as_counting_it_step_by_step_says) {
  random_stream random{filch_test::test_seed()};
  for (int i = 0; i != 2000; ++i) {
    SCOPED_TRACE(i);
    machine_model machine = machine_model::free(2);
    const auto below = [&random](std::uint64_t bound) { return static_cast<time_ns>(random.below(bound)); };
    const std::uint32_t speed = random.below(2) == 0 ? 0 : 500;  // at a half, a step of two ends on a whole one
    if (random.below(2) == 0) {
      const time_ns for_ns = 2 * (1 + below(10));
      machine.disturbances = {{1, below(50), for_ns, for_ns + 1 + below(30), speed}};
    } else {
      time_ns from_ns = 0;
      for (std::uint64_t n = random.below(5); n != 0; --n) {
        from_ns += below(20);
        const time_ns for_ns = 2 * (1 + below(10));
        machine.disturbances.push_back({1, from_ns, for_ns, 0, speed});
        from_ns += for_ns;
      }
    }
    sim::require_valid(machine);
    const time_ns from_ns = below(200);
    const time_ns span_ns = below(200);
    const auto got = static_cast<double>(machine.disturbed_ns(1, from_ns, span_ns));
    // A start in the middle of a slow stretch may lose half a step to rounding in each.
    ASSERT_NEAR(got, static_cast<double>(stepwise_ns(machine, 1, from_ns, span_ns)), speed == 0 ? 0 : 2);
    ASSERT_EQ(machine.disturbed_ns(0, from_ns, span_ns), span_ns);
  }
}

TEST(disturbances, a_noisy_neighbour_costs_others_less_than_its_worker) {
  machine_model machine = machine_model::free(4);
  machine.disturbances = {{.worker = 2, .from_ns = 0, .for_ns = 500, .every_ns = 1000, .speed_permille = 0}};
  sim::grouped_tasks load{equal_tasks(4000, 100), 1};
  const run_result result = sim::simulate(machine, {.placement = policy::placement::round_robin}, load);
  EXPECT_TRUE(result.is_complete);
  const double speed = 3.5;  // three whole workers and a half one
  EXPECT_NEAR(static_cast<double>(result.makespan_ns), 400'000 / speed, 0.01 * 400'000);
}

TEST(disturbances, what_cannot_be_is_refused_by_name) {
  const auto said = [](std::vector<sim::disturbance> disturbances) -> std::string {
    machine_model machine = machine_model::free(2);
    machine.disturbances = std::move(disturbances);
    try {
      sim::require_valid(machine);
    } catch (const std::invalid_argument& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(said({{0, 0, 10, 11, 0}, {1, 5, 10, 0, 1000}}), "");
  EXPECT_EQ(said({{2, 0, 10, 0, 0}}), "machine.disturbances[0].worker = 2: allowed is the number of a worker");
  EXPECT_EQ(said({{1, 0, 1, 0, 0}, {0, 0, 1, 0, 0}}),
            "machine.disturbances[1].worker = 0: allowed is none below that of the one before");
  EXPECT_EQ(said({{0, 0, 10, 20, 0}, {0, 30, 1, 0, 0}}),
            "machine.disturbances[1].every_ns = 0: allowed is 0 for all, or a single one of this worker, which comes "
            "again");
  EXPECT_EQ(said({{0, 0, 10, 0, 1001}}),
            "machine.disturbances[0].speed_permille = 1001: allowed is a number from 0 to 1000");
}

}  // namespace
