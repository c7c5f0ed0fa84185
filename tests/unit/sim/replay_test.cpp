// Recordings as workloads: simulated runs are recorded and replayed, so what must come out is known exactly.
#include <filch/sim/replay.hpp>

#include <filch/base/random.hpp>
#include <filch/sim/task_group.hpp>
#include <filch/sim/what_if.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

using namespace filch;
using sim::machine_model;
using sim::recorded_tasks;
using sim::run_result;
using trace::event;
using trace::event_kind;

using act = recorded_tasks::act;

std::vector<act> acts_of(const recorded_tasks& tasks, std::size_t which) {
  const auto found = tasks.acts_of(which);
  return {found.begin(), found.end()};
}

trace::recording record(sim::workload& load, std::uint32_t workers, std::uint64_t seed = 1) {
  trace::recording seen;
  EXPECT_TRUE(sim::simulate(machine_model::free(workers), {}, load, {.seed = seed, .record = &seen}).is_complete);
  return seen;
}

run_result run_again(const recorded_tasks& tasks, std::uint32_t workers) {
  sim::replay load{tasks};
  return sim::simulate(machine_model::free(workers), {}, load);
}

// A tree recorded on any number of workers has the tree's work and span, and on other numbers it keeps to Graham's
// bound.
TEST(replay, a_tree_is_found_again_whatever_it_was_recorded_on) {
  for (const bool work_first : {false, true}) {
    for (const sim::join_mode how : {sim::join_mode::continuation, sim::join_mode::helping}) {
      const sim::fork_join_options options{.depth = 7,
                                           .arity = 3,
                                           .before_ns = 50,
                                           .after_ns = 70,
                                           .leaf_ns = 1000,
                                           .work_first = work_first,
                                           .join = how};
      for (const std::uint32_t recorded_on : {1u, 2u, 9u}) {
        SCOPED_TRACE(recorded_on);
        sim::fork_join_tree tree{options};
        const recorded_tasks tasks = recorded_tasks::from(record(tree, recorded_on));
        EXPECT_EQ(tasks.size(), tree.tasks());
        EXPECT_EQ(tasks.work_ns(), tree.work_ns());
        EXPECT_EQ(tasks.span_ns(), tree.span_ns());
        EXPECT_EQ(tasks.roots.size(), 1u);
        EXPECT_EQ(tasks.waits_left_out, 0u);
        for (const std::uint32_t workers : {1u, 4u, 64u}) {
          const run_result again = run_again(tasks, workers);
          EXPECT_TRUE(again.is_complete);
          EXPECT_EQ(again.tasks, tree.tasks());
          EXPECT_EQ(again.total_use().work_ns, tree.work_ns());
          EXPECT_GE(again.makespan_ns, tree.span_ns());
          EXPECT_LE((again.makespan_ns - tree.span_ns()) * workers, tree.work_ns() - tree.span_ns());
        }
      }
    }
  }
}

// Without its join events a recording is read by guesses; for help-first trees they are right.
TEST(replay, without_join_events_a_tree_is_still_found) {
  for (const std::uint32_t recorded_on : {1u, 3u}) {
    sim::fork_join_tree tree{{.depth = 5, .before_ns = 50, .after_ns = 70, .leaf_ns = 1000}};
    trace::recording seen = record(tree, recorded_on);
    for (auto& list : seen.workers) std::erase_if(list, [](const event& one) { return one.kind == event_kind::join; });
    const recorded_tasks tasks = recorded_tasks::from(seen);
    EXPECT_EQ(tasks.work_ns(), tree.work_ns());
    EXPECT_EQ(tasks.span_ns(), tree.span_ns());
  }
}

TEST(replay, branching_tasks_keep_their_work_their_times_and_their_families) {
  const random_stream random{filch_test::test_seed()};
  for (std::uint64_t i = 0; i != 50; ++i) {
    SCOPED_TRACE(i);
    random_stream seeds = random.split(i);
    const std::uint64_t seed = seeds.bits();
    sim::branching_tasks load{{.roots = 10}, seed};
    const trace::recording seen = record(load, 1 + static_cast<std::uint32_t>(seeds.below(6)), seed);
    const recorded_tasks tasks = recorded_tasks::from(seen);
    ASSERT_EQ(tasks.roots.size(), 10u);
    ASSERT_EQ(tasks.roots[9].at_ns, 9 * k_ns_per_s / 2);
    sim::branching_tasks same{{.roots = 10}, seed};
    const run_result many = sim::simulate(machine_model::free(500), {}, same);
    const run_result again = run_again(tasks, 500);
    ASSERT_EQ(again.tasks, many.tasks);
    ASSERT_EQ(again.total_use().work_ns, many.total_use().work_ns);
    ASSERT_EQ(again.makespan_ns, many.makespan_ns);  // with a worker for each, nothing depends on the schedule
  }
}

// ---- by hand --------------------------------------------------------------------------------------------------------

event on(std::uint16_t worker, time_ns at_ns, event_kind kind, std::uint64_t task, std::uint64_t argument = 0) {
  return {.time_ns = at_ns, .task = task, .argument = argument, .worker = worker, .kind = kind};
}

trace::recording made_of(std::vector<std::vector<event>> workers) {
  trace::recording out;
  out.about.workers = static_cast<std::uint32_t>(workers.size());
  out.workers = std::move(workers);
  return out;
}

// Task 7 runs task 8 inside itself, as a worker that helps does; task 8 was made by it.
TEST(replay, the_time_of_a_task_inside_another_is_not_the_others) {
  const recorded_tasks tasks = recorded_tasks::from(
      made_of({{on(0, 0, event_kind::spawn, 7, trace::k_no_task), on(0, 0, event_kind::start, 7),
                on(0, 10, event_kind::spawn, 8, 7), on(0, 15, event_kind::start, 8), on(0, 40, event_kind::end, 8),
                on(0, 40, event_kind::join, 7), on(0, 47, event_kind::end, 7)}}));
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(acts_of(tasks, 0), (std::vector<act>{{act::kind::work, 10},
                                                 {act::kind::spawn, 1},
                                                 {act::kind::work, 5},
                                                 {act::kind::join, 0},
                                                 {act::kind::work, 7}}));
  EXPECT_EQ(acts_of(tasks, 1), (std::vector<act>{{act::kind::work, 25}}));
  EXPECT_EQ(tasks.span_ns(), 10 + 25 + 7);
}

// Task 1 forks 2 and, inside that, 3; it joins 3 while 2 has not begun. The inner join must not wait for 2.
TEST(replay, a_join_inside_a_join_waits_for_its_own_child_only) {
  const recorded_tasks tasks = recorded_tasks::from(
      made_of({{on(0, 0, event_kind::start, 1), on(0, 10, event_kind::spawn, 2, 1), on(0, 20, event_kind::spawn, 3, 1),
                on(0, 30, event_kind::start, 3), on(0, 50, event_kind::end, 3), on(0, 50, event_kind::join, 1),
                on(0, 60, event_kind::start, 2), on(0, 160, event_kind::end, 2), on(0, 160, event_kind::join, 1),
                on(0, 165, event_kind::end, 1)}}));
  EXPECT_EQ(acts_of(tasks, 0), (std::vector<act>{{act::kind::work, 10},
                                                 {act::kind::spawn, 1},
                                                 {act::kind::work, 10},
                                                 {act::kind::fork, 2},
                                                 {act::kind::work, 10},
                                                 {act::kind::await, 2},
                                                 {act::kind::work, 10},
                                                 {act::kind::join, 0},
                                                 {act::kind::work, 5}}));
  EXPECT_EQ(tasks.span_ns(), 10 + 100 + 5);
  EXPECT_EQ(run_again(tasks, 1).makespan_ns, 165);
  EXPECT_EQ(run_again(tasks, 3).makespan_ns, 115);
}

// One worker's recording predicts what many workers do: the replay of a tree recorded on one worker, with the costs
// that the recording holds in its work left out, takes as long as the tree itself does there with the same seed.
TEST(replay, a_recording_of_one_worker_predicts_many_as_the_tree_itself_runs_there) {
  machine_model costly = machine_model::free(1);
  costly.costs.spawn_ns = 60;
  costly.costs.push_ns = 2;
  costly.costs.pop_ns = 4;
  costly.costs.resume_ns = 30;
  costly.costs.wake_ns = 4000;
  costly.costs.steal = {{.success_ns = 120, .empty_ns = 40, .lost_ns = 80}};
  const sim::fork_join_options options{.depth = 11, .before_ns = 300, .after_ns = 200, .leaf_ns = 5000};
  sim::fork_join_tree tree{options};
  trace::recording seen;
  ASSERT_TRUE(sim::simulate(costly, {}, tree, {.record = &seen}).is_complete);
  const recorded_tasks tasks = recorded_tasks::from(seen);
  machine_model left = costly;
  left.costs.spawn_ns = left.costs.push_ns = left.costs.pop_ns = left.costs.resume_ns = 0;
  for (const std::uint32_t workers : {1u, 2u, 4u, 16u}) {
    SCOPED_TRACE(workers);
    left.workers = costly.workers = workers;
    double predicted_ns = 0;
    double direct_ns = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      sim::replay load{tasks};
      predicted_ns += static_cast<double>(sim::simulate(left, {}, load, {.seed = seed}).makespan_ns);
      sim::fork_join_tree same{options};
      direct_ns += static_cast<double>(sim::simulate(costly, {}, same, {.seed = seed}).makespan_ns);
    }
    EXPECT_NEAR(predicted_ns / direct_ns, 1, 0.01);
  }
}

// The resume on worker 1 has the time of the suspend on worker 0: the order between lists is unknown.
TEST(replay, a_task_that_moves_at_once_keeps_all_its_work) {
  for (const bool first : {true, false}) {
    std::vector<event> from{on(0, 0, event_kind::start, 1), on(0, 20, event_kind::suspend, 1)};
    std::vector<event> to{on(1, 20, event_kind::resume, 1), on(1, 50, event_kind::end, 1)};
    if (!first) {
      for (event& one : from) one.worker = 1;
      for (event& one : to) one.worker = 0;
      std::swap(from, to);
    }
    const recorded_tasks tasks = recorded_tasks::from(made_of({from, to}));
    EXPECT_EQ(tasks.work_ns(), 50);
  }
}

TEST(replay, a_wait_for_nothing_known_is_left_out_and_counted) {
  const recorded_tasks tasks =
      recorded_tasks::from(made_of({{on(0, 0, event_kind::start, 1), on(0, 5, event_kind::block, 1),
                                     on(0, 500, event_kind::unblock, 1), on(0, 510, event_kind::end, 1)}}));
  EXPECT_EQ(tasks.work_ns(), 15);
  EXPECT_EQ(tasks.waits_left_out, 1u);
}

// Task 2 holds what task 1 waits for, and gives it away at 40.
TEST(replay, a_task_that_was_woken_goes_on_behind_its_waker) {
  const recorded_tasks tasks = recorded_tasks::from(
      made_of({{on(0, 0, event_kind::start, 1), on(0, 10, event_kind::suspend, 1), on(0, 45, event_kind::resume, 1),
                on(0, 50, event_kind::end, 1)},
               {on(1, 0, event_kind::start, 2), on(1, 40, event_kind::woken, 1, 2), on(1, 100, event_kind::end, 2)}}));
  EXPECT_EQ(tasks.signals, 1u);
  EXPECT_EQ(tasks.waits_left_out, 0u);
  EXPECT_EQ(tasks.work_ns(), 115);
  EXPECT_EQ(tasks.span_ns(), 100);
  EXPECT_EQ(sim::scaled(tasks, 0, 10).span_ns(), 1000);
  EXPECT_EQ(run_again(tasks, 2).makespan_ns, 100);
  EXPECT_EQ(run_again(tasks, 1).makespan_ns, 115);
}

TEST(replay, a_join_that_names_its_child_waits_for_that_one) {
  const recorded_tasks tasks = recorded_tasks::from(
      made_of({{on(0, 0, event_kind::start, 1), on(0, 0, event_kind::spawn, 2, 1), on(0, 0, event_kind::spawn, 3, 1),
                on(0, 0, event_kind::start, 3), on(0, 10, event_kind::end, 3), on(0, 10, event_kind::start, 2),
                on(0, 30, event_kind::end, 2), on(0, 30, event_kind::join, 1, 3), on(0, 35, event_kind::end, 1)}}));
  EXPECT_EQ(
      acts_of(tasks, 0),
      (std::vector<act>{{act::kind::release, 1}, {act::kind::fork, 2}, {act::kind::await, 2}, {act::kind::work, 5}}));
  EXPECT_EQ(run_again(tasks, 3).makespan_ns, 20);
}

// ---- from outside ---------------------------------------------------------------------------------------------------

// One worker; a thread outside makes a loop of 64 leaves of 1 µs, waits for it, and 2 µs later makes the next.
// `late_ns`: so long after the thread went on the end of a loop is recorded.
trace::recording two_loops(time_ns late_ns) {
  trace::recording out = made_of({{}});
  std::vector<event>& events = out.workers[0];
  time_ns now_ns = 0;
  std::uint64_t next = 1;
  for (int i = 0; i != 2; ++i) {
    const std::uint64_t loop = next++;
    out.outside.push_back(on(trace::k_outside, now_ns, event_kind::spawn, loop, trace::k_no_task));
    now_ns += late_ns;
    events.push_back(on(0, now_ns, event_kind::start, loop));
    for (std::uint64_t k = 0; k != 64; ++k) events.push_back(on(0, now_ns, event_kind::spawn, next + k, loop));
    for (std::uint64_t k = 0; k != 64; ++k) {
      events.push_back(on(0, now_ns, event_kind::start, next + k));
      now_ns += 1'000;
      events.push_back(on(0, now_ns, event_kind::end, next + k));
    }
    events.push_back(on(0, now_ns, event_kind::join, loop));
    events.push_back(on(0, now_ns + 2'000 + late_ns, event_kind::end, loop));
    now_ns += 2'000;
    next += 64;
  }
  return out;
}

// The bug: loops that a thread calls one after the other were predicted to begin when they did on one worker, so no
// number of workers was faster.
TEST(replay, a_root_that_came_when_all_before_had_ended_comes_after_them) {
  for (const time_ns late_ns : {0, 100, 500}) {
    SCOPED_TRACE(late_ns);
    trace::recording made = two_loops(late_ns);
    const recorded_tasks tasks = recorded_tasks::from(made);
    ASSERT_EQ(tasks.roots.size(), 2u);
    EXPECT_FALSE(tasks.roots[0].comes_after_all());
    ASSERT_TRUE(tasks.roots[1].comes_after_all());
    EXPECT_EQ(tasks.roots[1].gap_ns, 0);
    EXPECT_EQ(tasks.arrivals_ns(), 0);
    const time_ns own_ns = 2 * (2'000 + late_ns);  // of the loops themselves
    EXPECT_EQ(tasks.work_ns(), 2 * 64'000 + own_ns);
    EXPECT_EQ(tasks.span_ns(), 2 * 1'000 + own_ns);
    EXPECT_EQ(run_again(tasks, 1).makespan_ns, tasks.work_ns());
    EXPECT_EQ(run_again(tasks, 64).makespan_ns, tasks.span_ns());
    EXPECT_EQ(run_again(tasks, 16).makespan_ns, 2 * 4'000 + own_ns);
    EXPECT_EQ(sim::scaled(tasks, 0, 0.5).span_ns(), tasks.span_ns() / 2);
    made.about.source = "simulation";  // its arrivals belong to the load
    EXPECT_FALSE(recorded_tasks::from(made).roots[1].comes_after_all());
  }
}

// 1 and 2 overlap, 3 comes 30 after both, 4 while 3 runs, 5 70 after 3 and 4.
TEST(replay, roots_that_overlap_keep_their_times_behind_the_last_one_that_waited) {
  trace::recording made =
      made_of({{on(0, 100, event_kind::start, 1), on(0, 200, event_kind::end, 1), on(0, 200, event_kind::start, 2),
                on(0, 220, event_kind::end, 2), on(0, 250, event_kind::start, 3), on(0, 350, event_kind::end, 3),
                on(0, 350, event_kind::start, 4), on(0, 360, event_kind::end, 4), on(0, 430, event_kind::start, 5),
                on(0, 440, event_kind::end, 5)}});
  const std::vector<time_ns> at_ns{100, 110, 250, 300, 430};
  for (std::size_t i = 0; i != at_ns.size(); ++i) {
    made.outside.push_back(on(trace::k_outside, at_ns[i], event_kind::spawn, i + 1, trace::k_no_task));
  }
  const recorded_tasks tasks = recorded_tasks::from(made);
  constexpr time_ns k_at_its_time = recorded_tasks::root::k_at_its_time;
  EXPECT_EQ(
      tasks.roots,
      (std::vector<recorded_tasks::root>{
          {100, 0, k_at_its_time}, {110, 1, k_at_its_time}, {250, 2, 30}, {300, 3, k_at_its_time}, {430, 4, 70}}));
  EXPECT_EQ(tasks.outside_ns(), 30 + 70);
  EXPECT_EQ(tasks.arrivals_ns(), 10 + 50);
  EXPECT_EQ(tasks.span_ns(), 100 + 30 + 100 + 70 + 10);
  EXPECT_EQ(run_again(tasks, 1).makespan_ns, 120 + 30 + 110 + 70 + 10);
  EXPECT_EQ(run_again(tasks, 2).makespan_ns, tasks.span_ns());
  EXPECT_EQ(sim::scaled(tasks, 0, 0).span_ns(), 10 + 30 + 50 + 70);
  EXPECT_EQ(sim::cut_off(tasks, 0, 1'000, 0).roots, tasks.roots);
}

// The bug: such a wait was left out.
TEST(replay, a_task_that_the_end_of_another_made_ready_goes_on_behind_that) {
  const recorded_tasks tasks = recorded_tasks::from(
      made_of({{on(0, 0, event_kind::start, 1), on(0, 10, event_kind::suspend, 1), on(0, 45, event_kind::resume, 1),
                on(0, 50, event_kind::end, 1)},
               {on(1, 0, event_kind::start, 2), on(1, 40, event_kind::end, 2), on(1, 41, event_kind::woken, 1, 2)}}));
  EXPECT_EQ(tasks.waits_left_out, 0u);
  EXPECT_EQ(tasks.span_ns(), 45);
  EXPECT_EQ(run_again(tasks, 2).makespan_ns, 45);
}

// ---- many children --------------------------------------------------------------------------------------------------

// The bug: each join looked at all children that were in no join yet, so these took hours.
TEST(replay, a_task_with_many_children_is_read_in_time) {
  constexpr std::uint64_t k_children = 500'000;
  const auto run_all = [](std::vector<event>& events, time_ns& now_ns) {
    for (std::uint64_t i = 0; i != k_children; ++i) {
      events.push_back(on(0, now_ns++, event_kind::start, 2 + i));
      events.push_back(on(0, now_ns++, event_kind::end, 2 + i));
    }
  };
  for (const bool names_them : {false, true}) {
    std::vector<event> events{on(0, 0, event_kind::start, 1)};
    time_ns now_ns = 1;
    for (std::uint64_t i = 0; i != k_children; ++i) {
      events.push_back(on(0, now_ns++, event_kind::spawn, 2 + i, 1));
      if (!names_them) events.push_back(on(0, now_ns, event_kind::join, 1));  // nothing has ended
    }
    run_all(events, now_ns);
    for (std::uint64_t i = 0; names_them && i != k_children; ++i) {
      events.push_back(on(0, now_ns, event_kind::join, 1, 2 + i));
    }
    events.push_back(on(0, now_ns, event_kind::join, 1));
    events.push_back(on(0, now_ns, event_kind::end, 1));
    const recorded_tasks tasks = recorded_tasks::from(made_of({events}));
    EXPECT_EQ(tasks.size(), 1 + k_children);
    const std::vector<act> root = acts_of(tasks, 0);
    const act::kind how = names_them ? act::kind::await : act::kind::join;
    EXPECT_EQ(std::ranges::count(root, how, &act::what), names_them ? k_children : 1);
  }
}

// Children 2, 3 and 4 end as 4, 2, 3; 3 is named before, and 5 runs on.
TEST(replay, a_join_of_some_children_awaits_the_eldest_first) {
  const recorded_tasks tasks = recorded_tasks::from(
      made_of({{on(0, 0, event_kind::start, 1), on(0, 0, event_kind::spawn, 2, 1), on(0, 0, event_kind::spawn, 3, 1),
                on(0, 0, event_kind::spawn, 4, 1), on(0, 0, event_kind::spawn, 5, 1), on(0, 0, event_kind::start, 4),
                on(0, 10, event_kind::end, 4), on(0, 10, event_kind::join, 1, 3), on(0, 10, event_kind::start, 2),
                on(0, 20, event_kind::end, 2), on(0, 20, event_kind::start, 3), on(0, 30, event_kind::end, 3),
                on(0, 30, event_kind::join, 1), on(0, 30, event_kind::start, 5), on(0, 40, event_kind::end, 5),
                on(0, 40, event_kind::join, 1), on(0, 40, event_kind::end, 1)}}));
  EXPECT_EQ(acts_of(tasks, 0), (std::vector<act>{{act::kind::fork, 1},
                                                 {act::kind::fork, 2},
                                                 {act::kind::fork, 3},
                                                 {act::kind::spawn, 4},
                                                 {act::kind::await, 2},
                                                 {act::kind::await, 1},
                                                 {act::kind::await, 3},
                                                 {act::kind::join, 0}}));
}

// They keep a recording's rules, but no worker's list has a place for them. Found by a fuzzer.
TEST(replay, a_task_that_runs_outside_the_workers_is_refused) {
  for (const event_kind kind : {event_kind::start, event_kind::resume, event_kind::unblock, event_kind::suspend,
                                event_kind::block, event_kind::end}) {
    trace::recording made = made_of({{on(0, 0, event_kind::start, 1), on(0, 30, event_kind::end, 1)}});
    made.outside = {on(trace::k_outside, 10, kind, 1)};
    ASSERT_EQ(made.check(), "");
    EXPECT_THROW((void)recorded_tasks::from(made), std::invalid_argument) << name_of(kind);
  }
}

// Each of two tasks says that the other made it. Found by a fuzzer.
TEST(replay, tasks_that_made_each_other_are_no_run) {
  const recorded_tasks tasks = recorded_tasks::from(
      made_of({{on(0, 0, event_kind::start, 1), on(0, 1, event_kind::start, 2), on(0, 2, event_kind::spawn, 1, 2),
                on(0, 3, event_kind::spawn, 2, 1), on(0, 4, event_kind::start, 3), on(0, 9, event_kind::end, 3)}}));
  EXPECT_EQ(tasks.roots.size(), 1u);
  EXPECT_THROW((void)recorded_tasks::from(made_of(
                   {{on(0, 0, event_kind::start, 1), on(0, 1, event_kind::start, 2), on(0, 2, event_kind::spawn, 1, 2),
                     on(0, 3, event_kind::spawn, 2, 1), on(0, 9, event_kind::end, 2)}})),
               std::invalid_argument);
}

TEST(replay, what_shows_no_task_is_refused) {
  EXPECT_THROW((void)recorded_tasks::from(made_of({{}})), std::invalid_argument);
  trace::recording broken = made_of({{on(0, 5, event_kind::start, 1), on(0, 3, event_kind::end, 1)}});
  EXPECT_THROW((void)recorded_tasks::from(broken), std::invalid_argument);
}

}  // namespace
