// Small runs of sharing on request whose times were computed by hand, and what each rule does to a run.
#include <filch/sim/sharing_model.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using namespace filch;
using sim::machine_model;
using sim::sharing_options;
using sim::sharing_program;
using sim::sharing_result;

constexpr time_ns us = k_ns_per_us;
constexpr time_ns ms = k_ns_per_ms;
// Asleep at once, so that the first fork finds sleepers that have requested.
const policy::search_options k_eco{.idle = policy::idle::eco};

machine_model costly(std::uint32_t workers) {
  machine_model made = machine_model::free(workers);
  made.costs = {.resume_ns = 1100, .notify_ns = 1400, .wake_ns = 14'600, .fork_ns = 2, .join_ns = 3, .offer_ns = 300};
  made.costs.steal = {{.success_ns = 473}};
  return made;
}

sharing_result one_phase(const machine_model& machine, const sharing_program& program,
                         const sharing_options& options = {}, const policy::demand& rules = {}) {
  return sim::simulate_sharing(machine, k_eco, rules, program, options);
}

TEST(sharing_cases, one_worker_does_everything_one_after_the_other) {
  sharing_program program;
  program.add_phase(program.add_tree(3, 10, 1, 2));
  program.add_phase(program.add_loop(1000, 5000), 70);
  const sharing_result result = one_phase(machine_model::free(1), program);
  EXPECT_EQ(result.phase_ns, (std::vector<time_ns>{8 * 10 + 7 * 3, 5000}));
  EXPECT_EQ(result.run.makespan_ns, 8 * 10 + 7 * 3 + 70 + 5000);
  EXPECT_EQ(result.run.tasks, 1u);
  EXPECT_EQ(result.counts.offers, 0u);
}

TEST(sharing_cases, no_phases_take_no_time) {
  const sharing_result result = one_phase(machine_model::free(3), {});
  EXPECT_TRUE(result.run.is_complete);
  EXPECT_EQ(result.run.makespan_ns, 0);
  EXPECT_EQ(result.run.tasks, 0u);
}

TEST(sharing_cases, two_workers_run_both_functions_of_a_join_at_a_time_where_nothing_costs) {
  sharing_program program;
  const auto half = program.add_work(10 * us);
  program.add_phase(program.add_join(half, half));
  const sharing_result result = one_phase(machine_model::free(2), program);
  EXPECT_EQ(result.run.makespan_ns, 10 * us);
  EXPECT_EQ(result.counts.taken, 1u);
}

TEST(sharing_cases, a_sleeper_that_is_woken_for_a_fork_brings_every_cost_with_it) {
  sharing_program program;
  const auto half = program.add_work(20 * us);
  program.add_phase(program.add_join(half, half), 100 * us);
  const sharing_result result = one_phase(costly(2), program);
  // The fork wakes; the thief is awake after 14.6 µs, carries the child home and runs it; its worker, the last to end,
  // goes on with the parent.
  EXPECT_EQ(result.phase_ns, (std::vector<time_ns>{14'600 + 473 + 20'000 + 1100}));
  EXPECT_EQ(result.counts.wakes_by_owner, 1u);
  // Its owner: the fork, the offer and the wake-up, its own function; then it has no stack.
  EXPECT_EQ(result.run.use[0].overhead_ns, 2 + 300 + 1400);
  EXPECT_EQ(result.run.use[0].work_ns, 20 * us);
  EXPECT_EQ(result.run.use[1].overhead_ns, 1100);
}

TEST(sharing_cases, an_owner_takes_back_what_a_sleeper_comes_too_late_for) {
  sharing_program program;
  const auto half = program.add_work(10 * us);
  program.add_phase(program.add_join(half, half), 100 * us);
  const sharing_result result = one_phase(costly(2), program);
  EXPECT_EQ(result.phase_ns, (std::vector<time_ns>{2 + 300 + 1400 + 10'000 + 3 + 10'000}));
  EXPECT_EQ(result.counts.taken, 0u);
  EXPECT_EQ(result.counts.taken_back, 1u);
}

TEST(sharing_cases, a_loop_takes_its_work_divided_by_the_workers_where_nothing_costs) {
  const policy::demand rules{.notify_ns = 0, .wake_ns = 1, .transfer_ns = 1};
  for (const std::uint32_t workers : {2u, 3u, 8u, 16u, 64u}) {
    sharing_program program;
    program.add_phase(program.add_loop(1'000'000, 64 * ms));
    const sharing_result result = one_phase(machine_model::free(workers), program, {}, rules);
    const time_ns best_ns = 64 * ms / workers;
    EXPECT_GE(result.run.makespan_ns, best_ns) << workers;
    EXPECT_LE(result.run.makespan_ns, best_ns + best_ns / 50) << workers;
  }
}

TEST(sharing_cases, a_loop_too_short_for_a_thief_is_left_to_its_owner) {
  sharing_program program;
  program.add_phase(program.add_loop(10'000, 7 * us));
  EXPECT_EQ(one_phase(machine_model::free(4), program).run.makespan_ns, 7 * us);
}

TEST(sharing_cases, looks_between_blocks_are_overhead_and_not_work) {
  machine_model machine = machine_model::free(1);
  machine.costs.look_ns = 10;
  sharing_program program;
  program.add_phase(program.add_loop(32'768, 32'768));  // blocks of 4 µs: the first is a quarter
  const sharing_result result = one_phase(machine, program);
  EXPECT_EQ(result.run.use[0].work_ns, 32'768);
  // Blocks of 512 elements at first, as 1024 are more than a small part, then of 2048, which end at their multiples.
  EXPECT_EQ(result.run.use[0].overhead_ns, 10 * (1 + 16));
}

// ---- rules ----------------------------------------------------------------------------------------------------------

// An owner forks, is asked for it once, and stays in a function for 5 ms with another fork open.
sharing_program long_functions() {
  sharing_program program;
  const auto half = program.add_work(5 * ms);
  const auto inner = program.add_join(half, half);
  program.add_phase(program.add_join(inner, half), 100 * us);
  return program;
}

TEST(sharing_cases, an_owner_inside_a_long_function_is_visited) {
  const sharing_result visited = one_phase(costly(3), long_functions());
  EXPECT_LT(visited.phase_ns[0], 5 * ms + 100 * us);
  EXPECT_GT(visited.counts.visits_found, 0u);
  const sharing_result alone = one_phase(costly(3), long_functions(), {.can_visit = false});
  EXPECT_GE(alone.phase_ns[0], 10 * ms);
  EXPECT_EQ(alone.counts.visits, 0u);
}

TEST(sharing_cases, a_visit_takes_time_on_both_sides) {
  machine_model machine = costly(3);
  machine.costs.visit_ns = 3000;
  machine.costs.visited_ns = 1000;
  const sharing_result result = one_phase(machine, long_functions());
  const sharing_result quick = one_phase(costly(3), long_functions());
  EXPECT_EQ(result.run.use[0].overhead_ns - quick.run.use[0].overhead_ns,
            static_cast<time_ns>(result.counts.visits) * 1000);
}

TEST(sharing_cases, the_throttle_keeps_sleepers_asleep_where_children_are_tiny) {
  sharing_program program;
  const auto tree = program.add_tree(10, 10);
  for (int i = 0; i != 50; ++i) program.add_phase(tree);
  const auto wakes = [&](const policy::demand& rules) {
    const sim::sharing_counts counts = one_phase(costly(4), program, {}, rules).counts;
    return counts.wakes_by_owner + counts.wakes_by_thief + counts.wakes_by_monitor;
  };
  EXPECT_LT(4 * wakes({}), wakes({.throttle = false}));
}

TEST(sharing_cases, several_sleepers_are_woken_for_an_offer_where_several_may_search) {
  sharing_program program;
  program.add_phase(program.add_loop(1'000'000, 400 * us), 100 * us);
  const sharing_result one = one_phase(costly(8), program);
  const sharing_result four = one_phase(costly(8), program, {}, {.searchers = 4});
  EXPECT_LT(four.phase_ns[0] + 14'600, one.phase_ns[0]) << "a level of wake-ups less, at least";
}

TEST(sharing_cases, an_external_thread_that_computes_takes_the_place_of_one_worker) {
  sharing_program program;
  program.add_phase(program.add_loop(1'000'000, 10 * ms));
  const sharing_result one = one_phase(machine_model::free(1), program, {.is_called_outside = true});
  EXPECT_EQ(one.run.makespan_ns, 10 * ms);
  EXPECT_EQ(one.run.outside.work_ns, 10 * ms);
  const sharing_result two = one_phase(machine_model::free(2), program, {.is_called_outside = true});
  EXPECT_GE(two.run.makespan_ns, 5 * ms);
  const sharing_result crowded =
      one_phase(machine_model::free(2), program, {.is_called_outside = true}, {.one_place = false});
  EXPECT_LT(crowded.run.makespan_ns, 4 * ms);
}

TEST(sharing_cases, the_monitor_thread_requests_what_an_external_thread_forks) {
  sharing_program program;
  program.add_phase(program.add_tree(8, 20 * us));
  const sharing_result result = one_phase(costly(4), program, {.is_called_outside = true});
  EXPECT_GT(result.counts.looks, 0u);
  EXPECT_LT(result.run.makespan_ns, program.work_ns() / 3);
}

TEST(sharing_cases, a_run_is_cut_off_at_its_time_and_at_its_events) {
  sharing_program program;
  program.add_phase(program.add_tree(8, 20 * us));
  const sharing_result late = one_phase(costly(4), program, {.until_ns = 50 * us});
  EXPECT_EQ(late.run.end, sim::run_end::until);
  EXPECT_EQ(late.run.makespan_ns, 50 * us);
  EXPECT_TRUE(late.phase_ns.empty());
  EXPECT_EQ(late.run.total_use().total_ns(), 4 * 50 * us);
  const sharing_result many = one_phase(costly(4), program, {.most_events = 30});
  EXPECT_EQ(many.run.end, sim::run_end::event_limit);
  EXPECT_GT(many.run.unfinished, 0u);
}

TEST(sharing_cases, a_run_in_which_no_time_passes_is_cut_off_too) {
  sharing_program program;
  program.add_phase(program.add_tree(39, 0));
  const sharing_result result = one_phase(machine_model::free(2), program, {.most_events = 100'000});
  EXPECT_EQ(result.run.end, sim::run_end::event_limit);
  EXPECT_EQ(result.run.makespan_ns, 0);
}

TEST(sharing_cases, what_cannot_work_is_refused) {
  const sharing_program program;
  EXPECT_THROW((void)one_phase(machine_model::free(0), program), std::invalid_argument);
  EXPECT_THROW((void)one_phase(machine_model::free(1), program, {.until_ns = -1}), std::invalid_argument);
  EXPECT_THROW((void)one_phase(machine_model::free(1), program, {}, {.wake_ns = 0}), std::invalid_argument);
  sharing_program made;
  EXPECT_THROW(made.add_phase(sim::part_id{0}), std::invalid_argument);
  EXPECT_THROW(made.add_loop(0, 1), std::invalid_argument);
  EXPECT_THROW(made.add_work(-1), std::invalid_argument);
  EXPECT_THROW(made.add_nest(16, 1000, 1), std::invalid_argument);
}

TEST(sharing_program, sums_up_work_chains_and_leaves) {
  sharing_program program;
  const auto tree = program.add_tree(4, 10, 1, 2);
  EXPECT_EQ(program.work_ns(tree), 16 * 10 + 15 * 3);
  EXPECT_EQ(program.span_ns(tree), 10 + 4 * 3);
  EXPECT_EQ(program.leaves(tree), 16u);
  const auto nest = program.add_nest(3, 10, 7);
  EXPECT_EQ(program.work_ns(nest), 7000);
  EXPECT_EQ(program.span_ns(nest), 7);
  EXPECT_EQ(program.leaves(nest), 1000u);
  program.add_phase(tree);
  program.add_phase(nest, 5);
  EXPECT_EQ(program.work_ns(), 7000 + 205);
  EXPECT_EQ(program.span_ns(), 29);
}

}  // namespace
