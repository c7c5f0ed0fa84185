// Verdicts: planted faults are found by name, two of them in the order of their cost, and none where there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <string>
#include <string_view>
#include <vector>
#include <verdicts.hpp>

#include "script.hpp"

namespace {

using namespace filch;
using analysis::findings;
using analysis::verdict;
using filch_analysis_test::none;
using filch_analysis_test::script;

findings findings_of(const trace::recording& what) { return analysis::findings_of(analysis::dag::from(what), what); }

std::string ids_of(const findings& found) {
  std::string out;
  for (const verdict& each : found.verdicts) out += (out.empty() ? "" : " ") + each.id;
  return out;
}

// So many tasks of a name and a length from one moment on, dealt to all workers in turn, each ready when the one before
// it ends. Returns when the last ends.
time_ns deal(script& s, std::uint32_t workers, std::uint64_t first, std::uint64_t count, time_ns from_ns,
             time_ns length_ns, std::string_view name, time_ns pause_ns = 0) {
  std::vector<time_ns> free_ns(workers, from_ns);
  time_ns last_ns = from_ns;
  for (std::uint64_t i = 0; i != count; ++i) {
    const auto w = static_cast<std::uint32_t>(i % workers);
    const time_ns begin_ns = free_ns[w] + pause_ns;
    s.at(free_ns[w]).outside().spawn(first + i, none, name);
    s.run(first + i, w, begin_ns, begin_ns + length_ns);
    free_ns[w] = begin_ns + length_ns;
    last_ns = std::max(last_ns, free_ns[w]);
  }
  return last_ns;
}

TEST(verdicts, of_equal_tasks_on_all_workers_are_ok) {
  script s{4};
  (void)deal(s, 4, 1, 400, 0, 1'000, "tile");
  const findings found = findings_of(s.recording());
  EXPECT_EQ(ids_of(found), "ok");
  EXPECT_EQ(found.verdicts[0].whose, analysis::fault::none);
}

TEST(verdicts, of_a_recording_without_work_are_not_ok) {
  script nothing{2};
  EXPECT_EQ(ids_of(findings_of(nothing.recording())), "no-work");
  script never_ran{2};
  never_ran.at(0).outside().spawn(1, none, "tile");
  EXPECT_EQ(ids_of(findings_of(never_ran.recording())), "no-work");
  script instant{1};
  instant.run(1, 0, 5, 5);
  const findings found = findings_of(instant.recording());
  EXPECT_EQ(ids_of(found), "no-work");
  EXPECT_EQ(found.verdicts[0].whose, analysis::fault::none);
}

TEST(verdicts, name_the_task_of_a_serial_phase) {
  script s{4};
  s.at(0).outside().spawn(1, none, "load");
  s.run(1, 0, 0, 60'000);
  (void)deal(s, 4, 2, 160, 60'000, 1'000, "item");
  const findings found = findings_of(s.recording());
  ASSERT_EQ(ids_of(found), "serial-phase");
  EXPECT_EQ(found.verdicts[0].subject, "load");
  EXPECT_EQ(found.verdicts[0].whose, analysis::fault::program);
  EXPECT_EQ(found.verdicts[0].cost_ns, 3 * 60'000);
  EXPECT_EQ(found.verdicts[0].text.substr(0, 41), "60 % of the run only one task was ready: ");
}

TEST(verdicts, find_a_serial_phase_outside_the_runtime) {
  script s{2};
  const time_ns half_ns = deal(s, 2, 1, 100, 0, 1'000, "item");
  (void)deal(s, 2, 200, 100, half_ns + 30'000, 1'000, "item");
  const findings found = findings_of(s.recording());
  ASSERT_EQ(ids_of(found), "serial-phase");
  EXPECT_EQ(found.verdicts[0].subject, "outside the runtime");
}

TEST(verdicts, name_an_oversized_task_among_its_siblings) {
  script s{4};
  s.at(0).outside().spawn(1, none, "huge");
  s.run(1, 3, 0, 100'000);
  (void)deal(s, 3, 2, 90, 0, 1'000, "tile");
  const findings found = findings_of(s.recording());
  ASSERT_EQ(ids_of(found), "oversized-task");
  EXPECT_EQ(found.verdicts[0].subject, "huge");
}

TEST(verdicts, tell_a_late_large_task_from_a_serial_phase_before_the_others) {
  // The same lengths, but the large one ends before the others are made: it is a phase, not a task among others.
  script s{4};
  s.at(0).outside().spawn(1, none, "huge");
  s.run(1, 3, 0, 100'000);
  (void)deal(s, 4, 2, 90, 100'000, 1'000, "tile");
  EXPECT_EQ(ids_of(findings_of(s.recording())), "serial-phase");
}

TEST(verdicts, find_too_few_tasks) {
  script s{8};
  (void)deal(s, 3, 1, 30, 0, 1'000, "tile");
  EXPECT_EQ(ids_of(findings_of(s.recording())), "too-few-tasks");
}

TEST(verdicts, name_a_hot_lock) {
  script s{4};
  // One holds the lock at a time, and hands it on; the others wait for it.
  for (std::uint64_t i = 0; i != 4; ++i) {
    s.at(0).on(static_cast<std::uint32_t>(i)).spawn(i + 1, none, "update").start(i + 1);
    if (i != 0) s.suspend(i + 1, "mutex");
  }
  for (std::uint64_t i = 0; i != 4; ++i) {
    const auto end_ns = static_cast<time_ns>(10'000 * (i + 1));
    s.at(end_ns).on(static_cast<std::uint32_t>(i));
    if (i != 3) s.woken(i + 2, i + 1, "mutex");
    s.end(i + 1);
    if (i != 3) s.on(static_cast<std::uint32_t>(i + 1)).resume(i + 2);
  }
  const findings found = findings_of(s.recording());
  ASSERT_FALSE(found.verdicts.empty());
  EXPECT_EQ(found.verdicts[0].id, "hot-lock");
  EXPECT_EQ(found.verdicts[0].subject, "mutex");
}

TEST(verdicts, name_the_tasks_of_a_blocking_call) {
  script s{2};
  for (std::uint64_t i = 0; i != 10; ++i) {
    const auto at_ns = static_cast<time_ns>(10'000 * i);
    s.at(at_ns).on(0).spawn(i + 1, none, "fetch").start(i + 1).at(at_ns + 1'000).block(i + 1);
    s.at(at_ns + 9'000).unblock(i + 1).at(at_ns + 10'000).end(i + 1);
  }
  const findings found = findings_of(s.recording());
  ASSERT_FALSE(found.verdicts.empty());
  EXPECT_EQ(found.verdicts[0].id, "blocking-call");
  EXPECT_EQ(found.verdicts[0].subject, "fetch");
}

TEST(verdicts, recommend_a_grain_for_fine_tasks) {
  script s{2};
  (void)deal(s, 2, 1, 1'000, 0, 80, "tick", 84);
  const findings found = findings_of(s.recording());
  ASSERT_EQ(ids_of(found), "fine-tasks");
  EXPECT_EQ(found.verdicts[0].subject, "tick");
  EXPECT_EQ(found.groups[0].merge, 20u);
  EXPECT_EQ(found.verdicts[0].advice, "Merge at least 20 of them into one task.");
}

// Breaks of 200 ms between tasks that are ready are a machine that is busy with something else.
TEST(verdicts, never_call_long_tasks_fine) {
  script s{2};
  (void)deal(s, 2, 1, 16, 0, 595'000'000, "frame", 200'000'000);
  const findings found = findings_of(s.recording());
  EXPECT_EQ(ids_of(found), "ok");
  EXPECT_EQ(found.groups[0].merge, 1u);
}

TEST(verdicts, blame_the_scheduler_for_workers_that_sleep_beside_ready_tasks) {
  script s{4};
  for (std::uint64_t i = 1; i != 41; ++i) s.at(0).outside().spawn(i, none, "tile");
  for (std::uint64_t i = 1; i != 41; ++i) {
    s.run(i, 0, static_cast<time_ns>(i - 1) * 1'000, static_cast<time_ns>(i) * 1'000);
  }
  for (std::uint32_t w = 1; w != 4; ++w) s.at(0).on(w).park();
  const findings found = findings_of(s.recording());
  ASSERT_EQ(ids_of(found), "starving-policy");
  EXPECT_EQ(found.verdicts[0].whose, analysis::fault::scheduler);
  EXPECT_NEAR(found.spent.ready_while_policy, 20, 1);
}

TEST(verdicts, stand_in_the_order_of_their_cost) {
  for (const bool serial_is_dearer : {true, false}) {
    script s{4};
    const time_ns serial_ns = serial_is_dearer ? 300'000 : 60'000;
    const time_ns huge_ns = serial_is_dearer ? 90'000 : 320'000;
    s.at(0).outside().spawn(1, none, "load");
    s.run(1, 0, 0, serial_ns);
    const time_ns tiles_ns = deal(s, 3, 2, 90, serial_ns, 1'000, "tile");
    s.at(serial_ns).outside().spawn(900, none, "huge");
    s.run(900, 3, serial_ns, tiles_ns + huge_ns);
    EXPECT_EQ(ids_of(findings_of(s.recording())),
              serial_is_dearer ? "serial-phase oversized-task" : "oversized-task serial-phase");
  }
}

TEST(verdicts, put_the_program_before_the_scheduler) {
  script s{4};
  for (std::uint64_t i = 1; i != 101; ++i) s.at(0).outside().spawn(i, none, "tile");
  for (std::uint64_t i = 1; i != 101; ++i) {
    s.run(i, 0, static_cast<time_ns>(i - 1) * 1'000, static_cast<time_ns>(i) * 1'000);
  }
  for (std::uint32_t w = 1; w != 4; ++w) s.at(0).on(w).park();
  s.at(100'000).outside().spawn(200, none, "merge");
  s.run(200, 0, 100'000, 130'000);
  EXPECT_EQ(ids_of(findings_of(s.recording())), "serial-phase starving-policy");
}

TEST(verdicts, of_simulated_trees_with_enough_parallelism_are_ok) {
  for (const std::uint32_t workers : {1u, 2u, 4u, 8u}) {
    sim::machine_model machine = sim::machine_model::free(workers);
    machine.costs.steal = {{200, 50, 80}};
    machine.costs.pop_ns = 20;
    machine.costs.wake_ns = 2'000;
    sim::fork_join_tree load{{.depth = 9, .before_ns = 500, .after_ns = 500, .leaf_ns = 5'000}};
    trace::recording seen;
    (void)sim::simulate(machine, {}, load, {.seed = 3, .record = &seen});
    EXPECT_EQ(ids_of(findings_of(seen)), "ok") << workers << " workers";
  }
}

TEST(verdicts, compare_the_work_with_a_baseline) {
  script before{1};
  (void)deal(before, 1, 1, 100, 0, 1'000, "tile");
  script now{4};
  (void)deal(now, 4, 1, 100, 0, 1'700, "tile");
  findings found = findings_of(now.recording());
  const analysis::inflation grown = compare_work(found, findings_of(before.recording()));
  EXPECT_DOUBLE_EQ(grown.factor(), 1.7);
  EXPECT_EQ(ids_of(found), "work-inflation");
  EXPECT_EQ(found.verdicts[0].subject, "tile");
  findings same = findings_of(before.recording());
  EXPECT_DOUBLE_EQ(compare_work(same, findings_of(before.recording())).factor(), 1);
  EXPECT_EQ(ids_of(same), "ok");
}

TEST(findings, of_nothing_say_so) {
  const findings found = findings_of({});
  EXPECT_EQ(ids_of(found), "no-work");
  EXPECT_EQ(found.tasks, 0u);
}

// The bug: 1.6 of 1.64 seconds were no task's, and the analysis found a healthy program.
TEST(findings, tell_how_long_the_program_ran_before_and_after_its_tasks) {
  script s{1};
  s.run(1, 0, 800'000, 840'000).at(1'640'000).on(0).park();
  const auto has = [](const findings& found, std::string_view id) {
    return std::ranges::any_of(found.not_looked_at, [id](const analysis::omission& each) { return each.id == id; });
  };
  const findings found = findings_of(s.recording());
  EXPECT_EQ(found.makespan_ns, 40'000);
  EXPECT_EQ(found.outside.before_ns, 800'000);
  EXPECT_EQ(found.outside.after_ns, 800'000);
  EXPECT_TRUE(has(found, "outside"));
  script busy{1};
  busy.run(1, 0, 1'000, 1'000'000);
  EXPECT_FALSE(has(findings_of(busy.recording()), "outside"));
}

TEST(findings, count_tasks_by_size_and_by_name) {
  script s{1};
  const time_ns end_ns = deal(s, 1, 1, 10, 0, 50, "small");
  (void)deal(s, 1, 100, 2, end_ns, 5'000, "large");
  const findings found = findings_of(s.recording());
  EXPECT_EQ(found.sizes[0], 10u);
  EXPECT_EQ(found.sizes[2], 2u);
  EXPECT_EQ(analysis::size_class_text(0), "< 100 ns");
  EXPECT_EQ(analysis::size_class_text(2), "< 10.0 µs");
  ASSERT_EQ(found.groups.size(), 2u);
  EXPECT_EQ(found.groups[0].name, "large");
  EXPECT_EQ(found.groups[0].mean_ns(), 5'000);
  EXPECT_EQ(found.groups[1].count, 10u);
  EXPECT_EQ(found.groups[0].path_ns, 5'000);
}

}  // namespace
