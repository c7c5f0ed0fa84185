// Work, span and critical path of recordings, against workloads whose values are known.
#include <gtest/gtest.h>

#include <cstdint>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <run_shape.hpp>

#include "sample.hpp"

namespace {

using namespace filch;
using report::run_shape;
using report::stretch;

trace::recording tree(const sim::fork_join_options& options, std::uint32_t workers, std::uint64_t seed) {
  trace::recording seen;
  sim::fork_join_tree load{options};
  (void)sim::simulate(sim::machine_model::free(workers), {}, load, {.seed = seed, .record = &seen});
  return seen;
}

void expect_a_chain(const run_shape& shape) {
  time_ns sum_ns = 0;
  time_ns before_ns = shape.begin_ns;
  for (const stretch& each : shape.critical_path) {
    EXPECT_GE(each.begin_ns, before_ns);
    EXPECT_GT(each.end_ns, each.begin_ns);
    before_ns = each.end_ns;
    sum_ns += each.end_ns - each.begin_ns;
  }
  EXPECT_EQ(sum_ns, shape.span_ns);
  EXPECT_LE(before_ns, shape.end_ns);
}

TEST(run_shape, of_a_tree_has_its_work_and_span_whatever_the_schedule) {
  for (const bool work_first : {false, true}) {
    for (const std::uint32_t workers : {1u, 2u, 7u, 40u}) {
      for (std::uint64_t seed = 1; seed != 4; ++seed) {
        const sim::fork_join_options options{
            .depth = 6, .arity = 2, .before_ns = 11, .after_ns = 7, .leaf_ns = 100, .work_first = work_first};
        const sim::fork_join_tree expected{options};
        const run_shape shape = report::shape_of(tree(options, workers, seed));
        EXPECT_EQ(shape.work_ns, expected.work_ns()) << workers << " workers, work first: " << work_first;
        EXPECT_EQ(shape.span_ns, expected.span_ns()) << workers << " workers, work first: " << work_first;
        EXPECT_EQ(shape.tasks, expected.tasks());
        expect_a_chain(shape);
      }
    }
  }
}

TEST(run_shape, burdens_every_spawn_and_join_on_the_path) {
  const sim::fork_join_options options{.depth = 6, .before_ns = 11, .after_ns = 7, .leaf_ns = 100};
  const run_shape shape = report::shape_of(tree(options, 4, 1), 1'000);
  EXPECT_EQ(shape.burdened_span_ns, shape.span_ns + 2 * 6 * 1'000);
}

TEST(run_shape, of_independent_tasks_has_the_longest_as_its_path) {
  trace::recording seen;
  sim::task_list list;
  for (int i = 1; i != 11; ++i) list.add(10 * i);
  const sim::run_result result = sim::simulate(sim::machine_model::free(3), {}, list, {.record = &seen});
  const run_shape shape = report::shape_of(seen);
  EXPECT_EQ(shape.work_ns, 550);
  EXPECT_EQ(shape.span_ns, 100);
  EXPECT_EQ(shape.makespan_ns(), result.makespan_ns);
  ASSERT_EQ(shape.critical_path.size(), 1u);
  EXPECT_EQ(shape.critical_path[0].task, 9u);
}

TEST(run_shape, of_a_recording_without_joins_takes_a_resume_for_one) {
  trace::recording seen = tree({.depth = 5, .before_ns = 11, .after_ns = 7, .leaf_ns = 100}, 3, 2);
  for (auto& list : seen.workers) {
    std::erase_if(list, [](const trace::event& e) { return e.kind == trace::event_kind::join; });
  }
  EXPECT_EQ(report::shape_of(seen).span_ns, 100 + 5 * 18);
}

TEST(run_shape, of_any_recording_is_a_chain_no_longer_than_the_run) {
  for (const trace::recording& what : {filch_report_test::made_up(4, 500, 3), filch_report_test::made_up(16, 20'000, 1),
                                       filch_report_test::with_gaps(), filch_report_test::recorded(2, 300)}) {
    const run_shape shape = report::shape_of(what);
    EXPECT_GT(shape.span_ns, 0);
    EXPECT_LE(shape.span_ns, shape.makespan_ns());
    EXPECT_LE(shape.work_ns, shape.makespan_ns() * static_cast<time_ns>(what.workers.size()));
    EXPECT_GE(shape.burdened_span_ns, shape.span_ns);
    expect_a_chain(shape);
  }
}

TEST(run_shape, of_nothing_is_nothing) {
  EXPECT_EQ(report::shape_of(trace::recording{}).makespan_ns(), 0);
  EXPECT_TRUE(report::shape_of(trace::recording{}).critical_path.empty());
}

TEST(run_shape, of_a_recording_that_contradicts_itself_ends) {
  trace::recording seen = filch_report_test::made_up(3, 60, 5);
  std::swap(seen.workers[0], seen.workers[1]);
  for (auto& list : seen.workers) {
    for (auto& each : list) each.time_ns = 5;
  }
  EXPECT_EQ(report::shape_of(seen).work_ns, 0);
}

}  // namespace
