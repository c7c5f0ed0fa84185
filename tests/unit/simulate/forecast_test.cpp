// Forecasts of recorded tasks: bounds, limits, rankings, and how words are read.
#include "predict/forecast.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <dag.hpp>
#include <filch/sim/what_if.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <optional>
#include <string>
#include <vector>

#include "errors.hpp"
#include "predict/words.hpp"

namespace {

using namespace filch;
using namespace filch::tool;
using act = sim::recorded_tasks::act;
using kind = sim::recorded_tasks::act::kind;

scenario::machine_description costly() {
  scenario::machine_description out = scenario::find_machine("two-core-vm");
  out.topology.reset();
  return out;
}

trace::recording recorded_tree(std::uint32_t workers, time_ns leaf_ns) {
  sim::fork_join_tree tree{{.depth = 8, .before_ns = 300, .after_ns = 200, .leaf_ns = leaf_ns}};
  trace::recording out;
  (void)sim::simulate(scenario::make_machine(costly(), workers), {}, tree, {.record = &out});
  return out;
}

// One task that computes, and a wide loop behind it.
sim::recorded_tasks serial_then_parallel(time_ns serial_ns, std::uint32_t leaves, time_ns leaf_ns) {
  sim::recorded_tasks out;
  const std::uint32_t root = out.number_of_name("root");
  const std::uint32_t leaf = out.number_of_name("leaf");
  std::vector<act> does{{kind::work, serial_ns}};
  for (std::uint32_t i = 1; i <= leaves; ++i) does.push_back({kind::spawn, i});
  does.push_back({kind::join, 0});
  out.add(does, root);
  for (std::uint32_t i = 0; i != leaves; ++i) out.add(std::vector<act>{{kind::work, leaf_ns}}, leaf);
  out.roots.push_back({0, 0});
  return out;
}

forecast_options with(std::vector<std::uint32_t> workers, scenario::machine_description machine = {}) {
  return {.workers = std::move(workers), .machine = std::move(machine), .seeds = 3, .between_tasks_ns = 0};
}

TEST(forecast, work_and_span_are_those_of_the_analysis) {
  for (const std::uint32_t workers : {1u, 3u}) {
    const trace::recording seen = recorded_tree(workers, 1000);
    const sim::recorded_tasks tasks = sim::recorded_tasks::from(seen);
    const analysis::dag graph = analysis::dag::from(seen);
    EXPECT_EQ(tasks.work_ns(), graph.work_ns());
    EXPECT_EQ(tasks.span_ns(), graph.span_ns());
    EXPECT_EQ(look_at(seen).makespan_ns, graph.makespan_ns());
  }
}

TEST(forecast, every_point_lies_between_its_bounds) {
  const sim::recorded_tasks tasks = sim::recorded_tasks::from(recorded_tree(1, 5000));
  const forecast found = forecast_of(tasks, with({1, 2, 4, 16}, costly()));
  ASSERT_EQ(found.points.size(), 4u);
  for (const forecast_point& each : found.points) {
    EXPECT_GE(each.low_ns, static_cast<double>(each.least_ns));
    EXPECT_LE(each.free_ns, static_cast<double>(each.greedy_ns));
    EXPECT_GE(each.mean_ns, each.free_ns);
    EXPECT_LE(each.low_ns, each.mean_ns);
    EXPECT_LE(each.mean_ns, each.high_ns);
  }
  EXPECT_DOUBLE_EQ(found.points.front().mean_ns, static_cast<double>(tasks.work_ns()));
}

TEST(forecast, what_limits_is_named) {
  const auto limit_with = [](const sim::recorded_tasks& tasks, const forecast_options& how) {
    return forecast_of(tasks, how).points.front().limited_by;
  };
  EXPECT_EQ(limit_with(serial_then_parallel(0, 64, 10'000), with({4})), limit::nothing);
  EXPECT_EQ(limit_with(serial_then_parallel(500'000, 64, 10'000), with({64})), limit::span);
  EXPECT_EQ(limit_with(serial_then_parallel(0, 65, 10'000), with({64})), limit::shape);
  forecast_options inflated = with({4});
  inflated.inflation = {{2, 1.5}, {8, 3}};
  EXPECT_EQ(limit_with(serial_then_parallel(0, 64, 10'000), inflated), limit::memory);
  EXPECT_DOUBLE_EQ(inflation_at(inflated.inflation, 4), 2.0);
  scenario::machine_description slow = costly();
  slow.costs.steal = {{.success_ns = 10'000, .empty_ns = 10'000, .lost_ns = 10'000}};
  EXPECT_EQ(limit_with(serial_then_parallel(0, 64, 1000), with({16}, slow)), limit::steals);
  sim::recorded_tasks late;
  late.add(std::vector<act>{{kind::work, 10}}, late.number_of_name(""));
  late.add(std::vector<act>{{kind::work, 10}}, 0);
  late.roots = {{0, 0}, {1'000'000, 1}};
  EXPECT_EQ(limit_with(late, with({4})), limit::arrivals);
  sim::recorded_tasks locked = serial_then_parallel(0, 4, 1000);
  locked.signals = 3;
  sim::recorded_tasks chained = locked;
  chained.acts.clear();
  chained.begins = {0};
  chained.name_of.clear();
  chained.add(locked.acts_of(0), 0);
  for (std::int64_t i = 0; i != 4; ++i) {
    std::vector<act> does;
    if (i != 0) does.push_back({kind::wait, i - 1});
    does.push_back({kind::work, 1000});
    if (i != 3) does.push_back({kind::signal, i});
    chained.add(does, 1);
  }
  EXPECT_EQ(limit_with(chained, with({4})), limit::signals);
}

TEST(forecast, the_name_on_the_longest_chain_is_ranked_first) {
  const auto ranked = rank_names(serial_then_parallel(500'000, 64, 10'000), with({64}), 64, 10);
  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_EQ(ranked[0].name, "root");
  EXPECT_DOUBLE_EQ(ranked[0].none_ns, 10'000);
  EXPECT_DOUBLE_EQ(ranked[0].half_ns, 260'000);
  EXPECT_DOUBLE_EQ(ranked[1].none_ns, 500'000);
}

// ---- beside the tasks -----------------------------------------------------------------------------------------------

trace::event at(time_ns now_ns, trace::event_kind what, std::uint64_t task, std::uint64_t argument = 0) {
  return {.time_ns = now_ns, .task = task, .argument = argument, .worker = 0, .kind = what};
}

// One worker that runs `tasks` tasks of 10 µs; `break_ns(i)` lie before task i.
template <class Break>
trace::recording row_of_tasks(std::uint64_t tasks, const Break& break_ns) {
  using enum trace::event_kind;
  trace::recording out;
  out.about = {.workers = 1, .source = "threads"};
  out.workers.resize(1);
  time_ns now_ns = 0;
  for (std::uint64_t i = 0; i != tasks; ++i) {
    now_ns += break_ns(i);
    out.workers[0].push_back(at(now_ns, start, i));
    now_ns += 10'000;
    out.workers[0].push_back(at(now_ns, end, i));
  }
  return out;
}

// The bug: a mean. One break of a scheduler's turn made each of a thousand ten times as dear.
TEST(recorded_run, what_passes_between_two_tasks_is_the_median) {
  const auto rarely_long = [](std::uint64_t i) { return i % 100 == 50 ? 1'000'000 : time_ns{90} + time_ns(i % 3); };
  EXPECT_EQ(look_at(row_of_tasks(1'000, rarely_long)).between_tasks_ns, 91);
}

TEST(recorded_run, few_breaks_between_tasks_tell_nothing) {
  const auto always = [](std::uint64_t) { return time_ns{700}; };
  EXPECT_EQ(look_at(row_of_tasks(100, always)).between_tasks_ns, std::nullopt);
  EXPECT_EQ(look_at(row_of_tasks(101, always)).between_tasks_ns, 700);
  const sim::recorded_tasks tasks = serial_then_parallel(0, 1000, 1000);
  forecast_options how = with({1}, costly());
  const double nothing_ns = forecast_of(tasks, how).points[0].mean_ns;
  how.between_tasks_ns = 700;
  const double measured_ns = forecast_of(tasks, how).points[0].mean_ns;
  how.between_tasks_ns.reset();
  const double described_ns = forecast_of(tasks, how).points[0].mean_ns;
  EXPECT_LT(nothing_ns, described_ns);
  EXPECT_LT(described_ns, measured_ns);
}

// A worker that looks for work while a thread outside makes the next task handles nothing.
TEST(recorded_run, a_break_before_a_task_that_was_not_there_yet_does_not_count) {
  using enum trace::event_kind;
  trace::recording made = row_of_tasks(400, [](std::uint64_t i) { return i % 2 == 0 ? time_ns{50} : 30'000; });
  for (std::uint64_t i = 1; i < 400; i += 2) {
    const time_ns started_ns = made.workers[0][2 * i].time_ns;
    trace::event spawned = at(started_ns - 20, spawn, i, trace::k_no_task);
    spawned.worker = trace::k_outside;
    made.outside.push_back(spawned);
  }
  EXPECT_EQ(look_at(made).between_tasks_ns, 50);
}

// The bug: nobody said that most of the program is no task.
TEST(recorded_run, the_time_before_and_after_all_tasks_is_told) {
  trace::recording made = row_of_tasks(1, [](std::uint64_t) { return 800'000; });
  made.workers[0].push_back(at(1'310'000, trace::event_kind::park, trace::k_no_task));
  const recorded_run run = look_at(made);
  EXPECT_EQ(run.makespan_ns, 10'000);
  EXPECT_EQ(run.outside.before_ns, 800'000);
  EXPECT_EQ(run.outside.after_ns, 500'000);
  made.about.extra = {{std::string{trace::k_length_key}, "2000000"}};
  EXPECT_EQ(look_at(made).outside.after_ns, 1'190'000);
  made.about.source = "simulation";
  EXPECT_EQ(look_at(made).outside.total_ns(), 0);
}

// Ten loops with a second of something else before each: no worker shortens that.
TEST(forecast, the_time_between_operations_bounds_them) {
  sim::recorded_tasks tasks = serial_then_parallel(0, 100, 1'000'000);
  const time_ns work_ns = 10 * tasks.work_ns();
  const sim::recorded_tasks one = tasks;
  for (std::uint32_t k = 1; k != 10; ++k) {
    const auto first = static_cast<std::uint32_t>(tasks.size());
    for (std::uint32_t i = 0; i != one.size(); ++i) {
      std::vector<act> does;
      for (const act each : one.acts_of(i))
        does.push_back(each.makes_task() ? act{kind::spawn, each.task() + first} : each);
      tasks.add(does, one.name_of[i]);
    }
    tasks.roots.push_back({k * k_ns_per_s, first, k_ns_per_s});
  }
  ASSERT_EQ(tasks.work_ns(), work_ns);
  const forecast found = forecast_of(tasks, with({1, 16}, costly()));
  EXPECT_EQ(found.outside_ns, 9 * k_ns_per_s);
  EXPECT_EQ(found.points[0].least_ns, work_ns + 9 * k_ns_per_s);
  for (const forecast_point& each : found.points) {
    EXPECT_GE(each.low_ns, static_cast<double>(each.least_ns));
    EXPECT_LE(each.free_ns, static_cast<double>(each.greedy_ns));
    EXPECT_EQ(each.limited_by, limit::outside);
  }
}

TEST(forecast, ranges_lists_and_nonsense_are_read_as_such) {
  EXPECT_EQ(read_workers("8,1..3", "--workers", 64), (std::vector<std::uint32_t>{1, 2, 3, 8}));
  EXPECT_EQ(read_workers("5..40", "--workers", 64), (std::vector<std::uint32_t>{5, 6, 8, 12, 16, 24, 32, 40}));
  for (const char* const text : {"", "0", "65", "3..2", "1..", "..2", "1,,2", "-1", "2x"}) {
    EXPECT_THROW((void)read_workers(text, "--workers", 64), bad_usage) << text;
  }
  EXPECT_THROW((void)read_inflation("1=2"), bad_usage);
  EXPECT_THROW((void)read_inflation("2=0"), bad_usage);
  EXPECT_THROW((void)read_machine_name("mars", "--machine"), bad_usage);
}

}  // namespace
