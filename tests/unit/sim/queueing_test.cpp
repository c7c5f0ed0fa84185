// Servers that steal: the iteration against the closed forms, and simulations against both. Seeds are fixed.
#include <filch/sim/queueing.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace filch;
using sim::queueing_options;
using sim::queueing_result;

namespace theory = sim::theory;

double response(const theory::stealing& how) { return theory::stealing_response(how).value_or(-1); }

TEST(queueing, the_iteration_comes_to_the_closed_forms) {
  for (const double load : {0.1, 0.5, 0.7, 0.8, 0.9, 0.95}) {
    EXPECT_NEAR(response({.load = load, .on_empty = false}), 1 / (1 - load), 1e-6);  // M/M/1
    EXPECT_NEAR(response({.load = load}), theory::steal_on_empty(load).response, 1e-6);
    for (const double rate : {0.1, 1.0, 10.0}) {
      EXPECT_NEAR(response({.load = load, .on_empty = false, .probe_rate = rate}), theory::probing_response(load, rate),
                  1e-6);
    }
  }
  EXPECT_NEAR(response({.load = 0.5, .steal = policy::steal::half}), 1.5875, 5e-5);
  EXPECT_NEAR(response({.load = 0.9, .steal = policy::steal::half}), 2.8356, 5e-5);
}

TEST(queueing, taking_one_is_taking_a_fixed_number_of_one) {
  EXPECT_EQ(response({.load = 0.8}), response({.load = 0.8, .steal = policy::steal::fixed(1)}));
  EXPECT_LT(response({.load = 0.8, .steal = policy::steal::fixed(2), .threshold = 4}),
            response({.load = 0.8, .threshold = 4}));
}

// With steals of one from victims with at least T, tails fall by the factor λ below T and by another above
// (Mitzenmacher 1998): there the balance is λ(s_j−1 − s_j) = (1 + a)(s_j − s_j+1) with the rate of looks a = λ − s₂.
TEST(queueing, thresholds_make_it_slower_one_by_one) {
  double last = response({.load = 0.9});
  for (const std::uint32_t threshold : {3u, 4u, 6u, 10u}) {
    const double now = response({.load = 0.9, .threshold = threshold});
    EXPECT_GT(now, last);
    EXPECT_LT(now, 10);  // M/M/1
    last = now;
  }
}

// M/M/1 that begins empty is below its mean by about e^(−t/τ) with τ = 1/(1 − √λ)², and stealing is faster.
TEST(queueing, servers_settle_sooner_when_they_steal_and_later_under_load) {
  double last = 0;
  for (const double load : {0.1, 0.5, 0.8, 0.9, 0.95}) {
    const double stealing = theory::settling_time({.load = load});
    const double alone = theory::settling_time({.load = load, .on_empty = false});
    EXPECT_GT(stealing, last) << load;
    EXPECT_LT(stealing, alone) << load;
    EXPECT_LE(alone, theory::shared_queue_settling_time(load, 1)) << load;
    last = stealing;
  }
  EXPECT_NEAR(theory::shared_queue_settling_time(0.81, 1), 690.8, 0.1);
  EXPECT_NEAR(theory::shared_queue_settling_time(0.81, 10), 69.1, 0.1);
  EXPECT_NEAR(theory::shared_queue_settling_time(0.81, 1000), 6.9, 0.1);
}

// The number of tasks was a million whatever the servers: ten for each of a hundred thousand, and a mean of 2.1.
TEST(queueing, the_number_of_tasks_follows_from_the_servers) {
  const queueing_result got = sim::queueing({.servers = 20'000});
  ASSERT_TRUE(got.theory.has_value());
  EXPECT_NEAR(*got.theory, 3.5414, 1e-4);
  EXPECT_NEAR(got.mean_sojourn, *got.theory, 0.01 * *got.theory);
  EXPECT_TRUE(got.is_settled());
  EXPECT_GT(got.plan.tasks + got.plan.warm_up_tasks, 100 * 20'000u);
}

TEST(queueing, a_run_that_is_too_short_does_not_claim_to_be_settled) {
  const queueing_result cold = sim::queueing({.servers = 20'000, .tasks = 400'000, .warm_up = 2});
  EXPECT_FALSE(cold.plan.is_warm());
  EXPECT_FALSE(cold.plan.is_long_enough());
  EXPECT_FALSE(cold.is_settled());
  EXPECT_EQ(cold.meets_theory(), false);
  EXPECT_LT(cold.mean_sojourn, 0.9 * *cold.theory);
  const sim::queueing_plan brief = sim::plan_queueing({.servers = 20'000, .tasks = 400'000});
  EXPECT_TRUE(brief.is_warm());
  EXPECT_FALSE(brief.is_long_enough());
  const sim::queueing_plan plain = sim::plan_queueing({.servers = 20'000});
  EXPECT_TRUE(plain.is_warm() && plain.is_long_enough());
}

TEST(queueing, more_servers_than_can_settle_within_the_limit_are_told) {
  const sim::queueing_plan plan = sim::plan_queueing({.servers = 1'000'000, .stealing = {.load = 0.99}});
  EXPECT_EQ(plan.tasks, sim::k_most_planned_tasks);
  EXPECT_EQ(plan.warm_up_tasks, sim::k_most_planned_tasks);
  EXPECT_FALSE(plan.is_warm());
}

TEST(queueing, a_run_tells_its_progress) {
  std::vector<std::uint64_t> told;
  (void)sim::queueing(
      {.servers = 16, .tasks = 200'000, .progress = [&](std::uint64_t ended) { told.push_back(ended); }});
  ASSERT_GE(told.size(), 3u);
  for (std::size_t i = 1; i != told.size(); ++i) EXPECT_GT(told[i], told[i - 1]);
  EXPECT_LE(told.back(), 300'000u);
}

TEST(queueing, many_servers_come_to_the_mean_field) {
  const std::vector<theory::stealing> all{
      {.load = 0.5},
      {.load = 0.9},
      {.load = 0.5, .steal = policy::steal::half},
      {.load = 0.9, .steal = policy::steal::half},
      {.load = 0.8, .steal = policy::steal::half, .threshold = 4},
      {.load = 0.8, .threshold = 4},
      {.load = 0.8, .steal = policy::steal::fixed(3), .threshold = 5},
      {.load = 0.8, .on_empty = false, .probe_rate = 2},
      {.load = 0.9, .steal = policy::steal::half, .on_empty = true, .probe_rate = 0.5},
      {.load = 0.5, .on_empty = false},
  };
  for (const theory::stealing& how : all) {
    const queueing_result got = sim::queueing({.servers = 256, .stealing = how, .tasks = 1'000'000, .seed = 5});
    SCOPED_TRACE(std::to_string(how.load) + " " + to_string(how.steal) + " " + std::to_string(how.threshold));
    ASSERT_TRUE(got.theory.has_value());
    EXPECT_NEAR(got.mean_sojourn, *got.theory, 0.02 * *got.theory);
    EXPECT_GE(got.mean_sojourn + got.half_width, theory::shared_queue_response(how.load, 256));
    EXPECT_LT(got.half_width, 0.03 * got.mean_sojourn);
    EXPECT_TRUE(got.is_settled());
    EXPECT_GE(got.events, 2 * 1'200'000u);
  }
}

// Few servers are not many: the known excess at 16 servers and a load of 0.99.
TEST(queueing, sixteen_servers_are_no_mean_field) {
  const queueing_result got = sim::queueing({.servers = 16, .stealing = {.load = 0.99}, .tasks = 8'000'000, .seed = 5});
  ASSERT_TRUE(got.theory.has_value());
  EXPECT_GT(got.mean_sojourn, 1.2 * *got.theory);
  EXPECT_LT(got.mean_sojourn, 1.7 * *got.theory);
}

TEST(queueing, the_same_seed_gives_the_same_figures) {
  const queueing_options options{.servers = 20, .tasks = 10'000, .seed = 9};
  EXPECT_EQ(sim::queueing(options).mean_sojourn, sim::queueing(options).mean_sojourn);
  queueing_options other = options;
  other.seed = 10;
  EXPECT_NE(sim::queueing(options).mean_sojourn, sim::queueing(other).mean_sojourn);
}

TEST(queueing, what_cannot_work_is_refused_by_name_and_value) {
  const auto said = [](const queueing_options& options) -> std::string {
    try {
      (void)sim::queueing(options);
    } catch (const std::invalid_argument& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(said({.servers = 1}), "servers = 1: allowed is a number from 2 to 1000000");
  EXPECT_EQ(said({.stealing = {.load = 1}}), "load = 1.000000: allowed is a number above 0 and below 1");
  EXPECT_EQ(said({.stealing = {.threshold = 1}}), "threshold = 1: allowed is a number from 2 to 1000");
  EXPECT_EQ(said({.stealing = {.probe_rate = -1}}), "probe_rate = -1.000000: allowed is a number from 0 to 1000");
  EXPECT_EQ(said({.tasks = 10}), "tasks = 10: allowed is a number from 1000 to 10000000000");
  EXPECT_EQ(said({.warm_up = -1}), "warm_up = -1.000000: allowed is a number from 0 to 1000000000");
}

}  // namespace
