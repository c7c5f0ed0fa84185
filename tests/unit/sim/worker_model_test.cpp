// What simulated workers do, step by step, and that their books are right.
#include <filch/sim/worker_model.hpp>

#include <filch/sim/workloads.hpp>
#include <filch/topology/machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace filch;
using sim::machine_model;
using sim::run_result;
using sim::target;
using trace::count;

constexpr worker_id w0{0};
constexpr worker_id w1{1};

// When this happened to the task; -1: never.
time_ns time_of(const trace::recording& in, trace::event_kind kind, std::uint64_t task) {
  for (const auto& list : in.workers) {
    for (const auto& one : list) {
      if (one.kind == kind && one.task == task) return one.time_ns;
    }
  }
  return -1;
}

TEST(worker_model, one_worker_does_everything_one_after_the_other) {
  sim::task_list list;
  for (time_ns work_ns = 1; work_ns <= 100; ++work_ns) list.add(work_ns);
  const run_result result = sim::simulate(machine_model::free(1), {}, list);
  EXPECT_TRUE(result.is_complete);
  EXPECT_EQ(result.makespan_ns, 5050);
  EXPECT_EQ(result.tasks, 100u);
  EXPECT_EQ(result.use[0], (sim::time_use{.work_ns = 5050}));
  EXPECT_EQ(result.counts[0][count::executed], 100u);
}

TEST(worker_model, nothing_to_do_takes_no_time) {
  sim::task_list list;
  const run_result result = sim::simulate(machine_model::free(4), {}, list);
  EXPECT_TRUE(result.is_complete);
  EXPECT_EQ(result.makespan_ns, 0);
  EXPECT_EQ(result.events, 0u);
}

TEST(worker_model, every_cost_passes_where_it_belongs) {
  machine_model machine = machine_model::free(2);
  machine.costs.pop_ns = 3;
  machine.costs.steal = {{.success_ns = 20, .empty_ns = 7, .lost_ns = 11}};
  sim::task_list list;
  for (int i = 0; i != 3; ++i) list.add(100, target::at(w0));
  const run_result result = sim::simulate(machine, {.idle = policy::idle::eco}, list);
  // Worker 0 pops twice and is done at 206, when nothing is left; worker 1 steals at 0 and is done at 120. It then
  // finds one task fewer: worker 0 has popped its second at 103.
  EXPECT_EQ(result.makespan_ns, 206);
  EXPECT_EQ(result.use[0], (sim::time_use{.work_ns = 200, .overhead_ns = 6}));
  EXPECT_EQ(result.use[1], (sim::time_use{.work_ns = 100, .steal_ns = 27, .park_ns = 79}));
  EXPECT_EQ(result.counts[1][count::stolen_by_me], 1u);
  EXPECT_EQ(result.counts[0][count::stolen_from_me], 1u);
  EXPECT_EQ(result.counts[1][count::steal_attempts], 2u);
  EXPECT_EQ(result.counts[1][count::steal_failures], 1u);
  EXPECT_EQ(result.counts[1][count::parks], 1u);
  EXPECT_EQ(result.counts[0][count::queue_max], 3u);
}

TEST(worker_model, steals_cost_by_distance) {
  machine_model machine = machine_model::of(topology::machine::synthetic({.packages = 2, .cores_per_node = 2}),
                                            std::vector<topology::cpu_number>{0, 1, 2, 3}, {});
  machine.costs.steal.assign(topology::k_distance_remote + 1, {.success_ns = 10, .empty_ns = 1, .lost_ns = 1});
  machine.costs.steal[topology::k_distance_remote].success_ns = 1000;
  sim::task_list list;
  for (int i = 0; i != 4; ++i) list.add(5000, target::at(w0));
  trace::recording seen;
  const run_result result = sim::simulate(machine, {.victims = policy::victims::largest}, list, {.record = &seen});
  EXPECT_EQ(result.makespan_ns, 6000);
  const auto first_start_ns = [&seen](std::size_t worker) {
    const auto is_start = [](const trace::event& one) { return one.kind == trace::event_kind::start; };
    return std::ranges::find_if(seen.workers[worker], is_start)->time_ns;
  };
  EXPECT_EQ(first_start_ns(0), 0);
  EXPECT_EQ(first_start_ns(1), 10);
  EXPECT_EQ(first_start_ns(2), 1000);
  EXPECT_EQ(first_start_ns(3), 1000);
}

TEST(worker_model, slow_cores_take_longer) {
  machine_model machine = machine_model::free(1);
  machine.speed_permille = {300};
  sim::task_list list;
  list.add(1000);
  EXPECT_EQ(sim::simulate(machine, {}, list).makespan_ns, 3334) << "rounded up";
}

TEST(worker_model, a_task_for_idle_workers_wakes_exactly_one) {
  machine_model machine = machine_model::free(8);
  machine.costs.wake_ns = 40;
  sim::task_list list;
  list.add(500, target::injector(), 100'000);
  trace::recording seen;
  const run_result result = sim::simulate(machine, {}, list, {.record = &seen});
  EXPECT_EQ(result.makespan_ns, 100'540);
  EXPECT_EQ(result.total_counts()[count::parks], 8u);
  std::ptrdiff_t woken = 0;
  for (const auto& events : seen.workers) {
    woken += std::ranges::count(events, trace::event_kind::wake, &trace::event::kind);
  }
  EXPECT_EQ(woken, 1);
}

// Worker 1 steals at 0, has nothing to do from 100 on, and is wanted at 600.
TEST(worker_model, one_that_lingers_is_awake_when_it_is_woken) {
  machine_model machine = machine_model::free(2);
  machine.costs.park_ns = 20, machine.costs.wake_ns = 40, machine.costs.notice_ns = 3;
  const auto run = [&](time_ns linger_ns) {
    sim::task_list list;
    list.add(10'000, target::pinned_to(w0));
    list.add(100, target::at(w0));
    list.add(50, target::injector(), 600);
    trace::recording seen;
    const run_result result = sim::simulate(machine, {.idle = {.linger_ns = linger_ns}}, list, {.record = &seen});
    return std::pair{time_of(seen, trace::event_kind::start, 2), result.use[1]};
  };
  const auto [asleep_at_ns, asleep] = run(0);
  EXPECT_EQ(asleep_at_ns, 640);
  EXPECT_EQ(asleep.wait_ns, 0);
  const auto [awake_at_ns, awake] = run(1000);
  EXPECT_EQ(awake_at_ns, 603);
  EXPECT_EQ(awake.wait_ns, 503);
  const auto [late_at_ns, late] = run(400);
  EXPECT_EQ(late_at_ns, 640);
  EXPECT_EQ(late.wait_ns, 400);
  EXPECT_EQ(run(499).first, 659) << "it has just begun to fall asleep";
}

TEST(worker_model, wake_all_wakes_all) {
  sim::task_list list;
  list.add(500, target::injector(), 100'000);
  const run_result result =
      sim::simulate(machine_model::free(8), {.idle = policy::idle::eco, .wake = policy::wake::all}, list);
  EXPECT_EQ(result.total_counts()[count::parks], 8u + 7u);
}

TEST(worker_model, many_tasks_at_once_get_everybody_out_of_bed) {
  sim::task_list list;
  for (int i = 0; i != 8; ++i) list.add(500, target::injector(), 100'000);
  const run_result result = sim::simulate(machine_model::free(8), {}, list);
  EXPECT_EQ(result.makespan_ns, 100'500);
}

TEST(worker_model, a_pinned_task_runs_where_it_belongs_and_is_never_stolen) {
  sim::task_list list;
  for (int i = 0; i != 5; ++i) list.add(10, target::pinned_to(w1), i * 1'000'000);
  for (int i = 0; i != 5; ++i) list.add(10, target::pinned_to(w1), 4'000'000);
  const run_result result = sim::simulate(machine_model::free(4), {}, list);
  EXPECT_TRUE(result.is_complete);
  EXPECT_EQ(result.counts[1][count::executed], 10u);
  EXPECT_EQ(result.makespan_ns, 4'000'060);
}

TEST(worker_model, thieves_are_not_drawn_to_pinned_work_that_they_cannot_take) {
  sim::task_list list;
  for (int i = 0; i != 2; ++i) list.add(1000, target::at(w0));
  for (int i = 0; i != 5; ++i) list.add(1000, target::pinned_to(w1));
  const run_result result =
      sim::simulate(machine_model::free(3), {.victims = policy::victims::best_of_two, .idle = policy::idle::eco}, list);
  EXPECT_EQ(result.counts[2][count::executed], 1u);
  EXPECT_EQ(result.makespan_ns, 5000);
}

// Independent draws can miss the only full queue in a whole round.
TEST(worker_model, a_thief_whose_draws_miss_does_not_wait_while_there_is_work) {
  for (std::uint64_t seed = 0; seed != 50; ++seed) {
    sim::task_list list;
    for (int i = 0; i != 8; ++i) list.add(1000, target::at(w0));
    const policy::search_options probing{.victims = policy::victims::random_probe, .idle = policy::idle::balanced};
    EXPECT_EQ(sim::simulate(machine_model::free(8), probing, list, {.seed = seed}).makespan_ns, 1000);
  }
}

TEST(worker_model, work_that_is_sent_to_a_worker_may_be_stolen) {
  sim::task_list list;
  for (int i = 0; i != 4; ++i) list.add(1000, target::at(w1), 50);
  const run_result result = sim::simulate(machine_model::free(4), {}, list);
  EXPECT_EQ(result.makespan_ns, 1050);
}

TEST(worker_model, deaf_workers_find_work_when_their_wait_is_over) {
  sim::task_list list;
  list.add(10, target::injector(), 1);
  const policy::search_options polling{.idle = policy::idle::poll(100)};
  EXPECT_EQ(sim::simulate(machine_model::free(2), polling, list, {.deaf_waits = true}).makespan_ns, 110);
  sim::task_list again;
  again.add(10, target::injector(), 1);
  EXPECT_EQ(sim::simulate(machine_model::free(2), polling, again).makespan_ns, 11);
}

TEST(worker_model, higher_bands_come_first) {
  sim::task_list list;
  list.add(10, target::injector(), 0, policy::priority::low);
  list.add(10, target::injector(), 0, policy::priority::normal);
  list.add(10, target::injector(), 0, policy::priority::high);
  trace::recording seen;
  (void)sim::simulate(machine_model::free(1), {}, list, {.record = &seen});
  EXPECT_EQ(time_of(seen, trace::event_kind::start, 2), 0);
  EXPECT_EQ(time_of(seen, trace::event_kind::start, 1), 10);
  EXPECT_EQ(time_of(seen, trace::event_kind::start, 0), 20);
}

TEST(worker_model, thieves_can_take_half) {
  sim::task_list list;
  for (int i = 0; i != 8; ++i) list.add(100, target::at(w0));
  const run_result result = sim::simulate(machine_model::free(2), {.steal = policy::steal::half}, list);
  EXPECT_EQ(result.counts[1][count::stolen_by_me], 4u);
  EXPECT_EQ(result.counts[1][count::steal_attempts] - result.counts[1][count::steal_failures], 1u);
  EXPECT_EQ(result.makespan_ns, 400);
}

TEST(worker_model, of_two_thieves_at_one_victim_one_loses) {
  machine_model machine = machine_model::free(3);
  machine.costs.steal = {{.success_ns = 10, .empty_ns = 10, .lost_ns = 5}};
  machine.costs.steal_exposure_ns = 3;
  sim::task_list list;
  for (int i = 0; i != 3; ++i) list.add(1000, target::at(w0));
  const run_result result = sim::simulate(machine, {.victims = policy::victims::largest}, list);
  EXPECT_EQ(result.total_counts()[count::steal_lost], 1u);
  EXPECT_EQ(result.makespan_ns, 1015);
}

TEST(worker_model, a_join_suspends_the_parent_and_the_last_child_resumes_it) {
  for (const bool work_first : {false, true}) {
    sim::fork_join_tree tree{
        {.depth = 1, .arity = 3, .before_ns = 10, .after_ns = 5, .leaf_ns = 100, .work_first = work_first}};
    trace::recording seen;
    const run_result result = sim::simulate(machine_model::free(3), {}, tree, {.record = &seen});
    EXPECT_TRUE(result.is_complete);
    EXPECT_EQ(result.makespan_ns, tree.span_ns());
    EXPECT_EQ(result.tasks, 4u);
    EXPECT_EQ(result.total_use().work_ns, tree.work_ns());
    EXPECT_EQ(time_of(seen, trace::event_kind::end, 0), 115);
    EXPECT_EQ(result.total_counts()[count::suspends], result.total_counts()[count::resumes]);
  }
}

TEST(worker_model, a_run_can_be_stopped) {
  sim::task_list list;
  for (int i = 0; i != 10; ++i) list.add(100, target::at(w0));
  const run_result result = sim::simulate(machine_model::free(1), {}, list, {.until_ns = 250});
  EXPECT_FALSE(result.is_complete);
  EXPECT_EQ(result.makespan_ns, 250);
  EXPECT_EQ(result.unfinished, 8u);
  EXPECT_EQ(result.use[0], (sim::time_use{.work_ns = 250}));
}

std::string refusal(const machine_model& machine, const policy::search_options& policy) {
  sim::task_list list;
  list.add(1);
  try {
    (void)sim::simulate(machine, policy, list);
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return {};
}

TEST(worker_model, what_cannot_work_is_refused_by_name_and_value) {
  EXPECT_NE(refusal(machine_model::free(0), {}).find("machine.workers = 0"), std::string::npos);
  machine_model negative = machine_model::free(2);
  negative.costs.pop_ns = -1;
  EXPECT_NE(refusal(negative, {}).find("machine.costs.pop_ns = -1"), std::string::npos);
  machine_model speeds = machine_model::free(2);
  speeds.speed_permille = {1000};
  EXPECT_NE(refusal(speeds, {}).find("speed_permille"), std::string::npos);
  machine_model exposed = machine_model::free(2);
  exposed.costs.steal_exposure_ns = 5;
  EXPECT_NE(refusal(exposed, {}).find("steal_exposure_ns"), std::string::npos);
  EXPECT_NE(refusal(machine_model::free(2), {.idle = policy::idle::poll(0)}).find("idle"), std::string::npos);
  EXPECT_NE(refusal(machine_model::free(2), {.fairness_interval = 0}).find("fairness_interval"), std::string::npos);
}

}  // namespace
