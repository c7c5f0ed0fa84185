#include <filch/policy/idle.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace filch;
using namespace filch::policy;

std::vector<time_ns> first_waits(const idle& options, std::size_t count) {
  backoff waits{options};
  std::vector<time_ns> out;
  for (std::size_t i = 0; i != count; ++i) out.push_back(waits.next());
  return out;
}

TEST(backoff, waits_grow_by_the_factor_up_to_the_cap) {
  const idle options{.initial_ns = 1000, .factor = 2, .cap_ns = 5000, .cycles = 9};
  EXPECT_EQ(first_waits(options, 6), (std::vector<time_ns>{1000, 2000, 4000, 5000, 5000, 5000}));
}

TEST(backoff, a_broken_factor_does_not_add_up_rounding) {
  const idle options{.initial_ns = 1000, .factor = 1.5, .cap_ns = 1'000'000, .cycles = 9};
  const auto waits = first_waits(options, 18);
  for (std::size_t k = 0; k != waits.size(); ++k) {
    EXPECT_EQ(waits[k], static_cast<time_ns>(std::min(1000 * std::pow(1.5, static_cast<double>(k)), 1e6))) << k;
  }
}

TEST(backoff, a_factor_of_one_keeps_the_wait) {
  EXPECT_EQ(first_waits(idle::poll(100), 4), (std::vector<time_ns>{100, 100, 100, 100}));
}

TEST(backoff, starts_again_after_a_reset) {
  backoff waits{idle::balanced};
  EXPECT_EQ(waits.next(), 500);
  EXPECT_EQ(waits.next(), 1000);
  waits.reset();
  EXPECT_EQ(waits.next(), 500);
}

TEST(idle, the_presets_wait_as_long_as_they_say) {
  EXPECT_EQ(total_wait_ns(idle::eco), 0);
  EXPECT_EQ(total_wait_ns(idle::balanced), 500);
  EXPECT_EQ(total_wait_ns(idle::latency), 207'500);
  EXPECT_EQ(total_wait_ns(idle::poll(5)), k_never_ns);
}

TEST(idle, text_and_value_belong_together) {
  const idle custom{
      .attempts_per_cycle = 3, .initial_ns = 1500, .factor = 1.25, .cap_ns = 2 * k_ns_per_s, .cycles = 12};
  EXPECT_EQ(to_string(custom), "attempts=3,initial=1500ns,factor=1.25,cap=2s,cycles=12");
  EXPECT_EQ(to_string(idle::poll(100 * k_ns_per_ms)), "attempts=0,initial=100ms,factor=1,cap=100ms,cycles=forever");
  EXPECT_EQ(to_string(idle{.cycles = 2}), "attempts=0,initial=0ns,factor=1,cap=0ns,cycles=2");
  idle lingering = custom;
  lingering.linger_ns = 50 * k_ns_per_us;
  EXPECT_EQ(to_string(lingering), "attempts=3,initial=1500ns,factor=1.25,cap=2s,cycles=12,linger=50us");
  EXPECT_EQ(to_string(idle::eco), "eco");
  for (const idle& value :
       {custom, lingering, idle::eco, idle::balanced, idle::latency, idle::poll(7000), idle{.cycles = 2}}) {
    const auto back = parse<idle>(to_string(value));
    ASSERT_TRUE(back) << back.error;
    EXPECT_EQ(*back, value);
  }
}

TEST(idle, fields_left_out_are_those_of_balanced_but_it_does_not_linger) {
  const auto result = parse<idle>("cap=64us,cycles=9");
  ASSERT_TRUE(result) << result.error;
  EXPECT_EQ(*result, (idle{.initial_ns = 500, .factor = 2, .cap_ns = 64'000, .cycles = 9}));
}

TEST(idle, a_wrong_text_is_refused_with_what_is_allowed) {
  EXPECT_EQ(
      parse<idle>("balance", "--backoff").error,
      "--backoff = \"balance\": unknown name; did you mean \"balanced\"? Valid are eco, balanced, latency, or fields "
      "such as attempts=0,initial=1us,factor=2,cap=32us,cycles=8");
  EXPECT_EQ(
      parse<idle>("initail=1us").error,
      "idle field = \"initail\": unknown name; did you mean \"initial\"? Valid are attempts, initial, factor, cap, "
      "cycles, linger");
  EXPECT_EQ(parse<idle>("initial=1").error, "idle.initial = \"1\": allowed is a whole number with ns, us, ms or s");
  EXPECT_EQ(parse<idle>("cap=1.5us").error, "idle.cap = \"1.5us\": allowed is a whole number with ns, us, ms or s");
  EXPECT_EQ(parse<idle>("cap=9999999999999s").error,
            "idle.cap = \"9999999999999s\": allowed is a whole number with ns, us, ms or s");
  EXPECT_EQ(parse<idle>("factor=big").error, "idle.factor = \"big\": allowed is a number from 1 on");
  EXPECT_EQ(parse<idle>("cycles=").error, "idle.cycles = \"\": allowed is a whole number from 1 on, or forever");
  EXPECT_EQ(parse<idle>("attempts=-1").error, "idle.attempts = \"-1\": allowed is a whole number from 0 to 4294967295");
}

}  // namespace
