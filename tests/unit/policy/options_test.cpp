#include <filch/policy/options.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace {

using namespace filch;
using namespace filch::policy;

// The texts of all problems.
std::vector<std::string> problems(const search_options& options, std::uint32_t workers = 4) {
  std::vector<std::string> out;
  for (const problem& what : validate(options, workers)) out.push_back(to_string(what));
  return out;
}

using texts = std::vector<std::string>;

TEST(validate, the_defaults_and_all_presets_are_fine) {
  EXPECT_EQ(problems({}), texts{});
  EXPECT_EQ(problems({}, 1), texts{});
  EXPECT_EQ(problems({}, 1024), texts{});
  EXPECT_EQ(problems({.idle = idle::eco}), texts{});
  EXPECT_EQ(problems({.idle = idle::latency}), texts{});
  EXPECT_EQ(problems({.idle = idle::poll(1)}), texts{});
  EXPECT_EQ(problems({.placement = placement::given(worker_id{3}), .starvation_interval = 0}), texts{});
}

TEST(validate, each_wrong_field_is_named_with_its_value_and_what_is_allowed) {
  EXPECT_EQ(problems({}, 0), texts{"workers = 0: allowed is a number from 1 to 1048576"});
  EXPECT_EQ(problems({.steal = steal::fixed(0)}),
            texts{"steal = fixed:0: allowed is one, half, or fixed:N with N from 1 on"});
  EXPECT_EQ(problems({.fairness_interval = 0}), texts{"fairness_interval = 0: allowed is a number from 1 on"});
  EXPECT_EQ(
      problems({.starvation_interval = 1}),
      texts{"starvation_interval = 1: allowed is 0 for never, or a number from 2 on, because 1 would leave the high "
            "band nothing"});
  EXPECT_EQ(problems({.victims = static_cast<victims>(99)}),
            texts{"victims = 99: allowed is one of random random_probe round_robin largest best_of_two nearest "
                  "last_victim"});
  EXPECT_EQ(problems({.order = static_cast<order>(2)}), texts{"order = 2: allowed is one of lifo fifo"});
  EXPECT_EQ(problems({.wake = static_cast<wake>(9)}), texts{"wake = 9: allowed is one of random nearest recent all"});
}

TEST(validate, a_placement_on_a_worker_that_does_not_exist_is_a_problem) {
  EXPECT_EQ(problems({.placement = placement::given(worker_id{4})}),
            texts{"placement = given:4: allowed is a worker from 0 to 3"});
}

TEST(validate, waits_that_cannot_be_are_problems) {
  EXPECT_EQ(problems({.idle = {.initial_ns = 10, .factor = 0.5, .cap_ns = 20, .cycles = 2}}),
            texts{"idle.factor = 0.5: allowed is a number from 1 on"});
  EXPECT_EQ(problems({.idle = {.factor = std::numeric_limits<double>::quiet_NaN()}}).size(), 1u);
  EXPECT_EQ(problems({.idle = {.factor = std::numeric_limits<double>::infinity()}}).size(), 1u);
  EXPECT_EQ(problems({.idle = {.initial_ns = 10, .cap_ns = 5}}),
            texts{"idle.cap_ns = 5: allowed is a time from idle.initial_ns = 10 on"});
  EXPECT_EQ(problems({.idle = {.initial_ns = -1}}), texts{"idle.initial_ns = -1: allowed is a time from 0 on"});
  EXPECT_EQ(problems({.idle = {.cap_ns = 5}}),
            texts{"idle.initial_ns = 0: allowed is a time from 1 on, because 0 does not grow to idle.cap_ns = 5"});
  EXPECT_EQ(problems({.idle = {.linger_ns = -1}}), texts{"idle.linger_ns = -1: allowed is a time from 0 on"});
  EXPECT_EQ(problems({.idle = {.cycles = 0}}), texts{"idle.cycles = 0: allowed is a number from 1 on"});
  EXPECT_EQ(problems({.idle = idle::poll(0)}),
            texts{"idle.cycles = forever: allowed is a number from 1 on, because a worker that never parks must wait: "
                  "idle.initial_ns = 0"});
}

TEST(validate, several_problems_come_together) {
  EXPECT_EQ(problems({.steal = steal::fixed(0), .fairness_interval = 0}, 0).size(), 3u);
}

TEST(require_valid, throws_all_problems_in_one_message) {
  EXPECT_NO_THROW(require_valid({}, 2));
  try {
    require_valid({.steal = steal::fixed(0), .fairness_interval = 0}, 2);
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "steal = fixed:0: allowed is one, half, or fixed:N with N from 1 on\n"
                 "fairness_interval = 0: allowed is a number from 1 on");
  }
}

TEST(describe, says_every_option_on_one_line) {
  EXPECT_EQ(
      describe({}),
      "victims=random steal=one order=lifo idle=balanced wake=recent placement=injector fairness=61 starvation=16 "
      "retry_lost=yes");
  EXPECT_EQ(describe({.victims = victims::nearest,
                      .steal = steal::fixed(4),
                      .order = order::fifo,
                      .idle = {.attempts_per_cycle = 2, .cycles = 3},
                      .wake = wake::all,
                      .placement = placement::given(worker_id{1}),
                      .fairness_interval = 31,
                      .starvation_interval = 0,
                      .retry_lost = false}),
            "victims=nearest steal=fixed:4 order=fifo idle=attempts=2,initial=0ns,factor=1,cap=0ns,cycles=3 wake=all "
            "placement=given:1 fairness=31 starvation=0 retry_lost=no");
}

}  // namespace
