// Forecasts of recorded tasks: bounds, limits, rankings, and how words are read.
#include "predict/forecast.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <dag.hpp>
#include <filch/sim/what_if.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
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
  return {.workers = std::move(workers), .machine = std::move(machine), .seeds = 3};
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
