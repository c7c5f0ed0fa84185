// The rules of policy/demand.hpp as threads share them: how often an owner is visited, and how often sleepers are woken
// for what it offers.
#include "share/shared_pace.hpp"

#include <gtest/gtest.h>

namespace {

using filch::k_ns_per_ms;
using filch::k_ns_per_us;
using filch::time_ns;

constexpr filch::policy::demand k_rules;

// The pause after a visit in vain at `now_ns`.
time_ns pause_after(filch::shared_visit_pace& one, time_ns now_ns) {
  one.end(false, now_ns, k_rules);
  time_ns pause_ns = 0;
  while (!one.may_begin(now_ns + pause_ns)) pause_ns += 10 * k_ns_per_us;
  return pause_ns;
}

TEST(shared_visit_pace, visits_in_vain_come_less_and_less_often_up_to_a_bound) {
  filch::shared_visit_pace one;
  EXPECT_TRUE(one.may_begin(1000));
  time_ns now_ns = 1000;
  for (const time_ns expected_us : {20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10000, 10000}) {
    EXPECT_EQ(pause_after(one, now_ns), expected_us * k_ns_per_us);
    now_ns += k_ns_per_ms;
  }
  one.end(true, now_ns, k_rules);
  EXPECT_TRUE(one.may_begin(now_ns));
  EXPECT_EQ(pause_after(one, now_ns), 20 * k_ns_per_us);
}

TEST(shared_visit_pace, visits_in_vain_are_forgotten_when_there_was_nothing_to_be_had) {
  filch::shared_visit_pace one;
  for (int i = 0; i != 5; ++i) (void)pause_after(one, 1000);
  EXPECT_FALSE(one.may_begin(2000));
  one.reset();
  EXPECT_TRUE(one.may_begin(2000));
}

// The pause after a child that lasted so long, over at `now_ns`: the earliest time when a sleeper may be woken.
time_ns pause_after(filch::shared_throttle& one, time_ns lasted_ns, time_ns now_ns) {
  one.note(lasted_ns, now_ns, k_rules);
  time_ns pause_ns = 0;
  while (!one.value().may_wake(now_ns + pause_ns)) pause_ns += k_ns_per_us;
  return pause_ns;
}

TEST(shared_throttle, everything_is_allowed_at_first) { EXPECT_TRUE(filch::shared_throttle{}.value().may_wake(0)); }

TEST(shared_throttle, the_pause_doubles_with_every_tiny_child_up_to_a_bound) {
  filch::shared_throttle one;
  const time_ns now_ns = 1'000'000'000;
  for (const time_ns expected_us : {2, 4, 8, 16, 32, 64, 64, 64}) {
    EXPECT_EQ(pause_after(one, 1 * k_ns_per_us, now_ns), expected_us * k_ns_per_us);
  }
}

TEST(shared_throttle, half_the_tiny_children_are_forgotten_after_one_that_was_worth_it) {
  filch::shared_throttle one;
  for (int i = 0; i != 6; ++i) (void)pause_after(one, 0, 1000);
  EXPECT_EQ(pause_after(one, 5 * k_ns_per_us, 2000), 0);
  EXPECT_EQ(pause_after(one, 5 * k_ns_per_us - 1, 3000), 16 * k_ns_per_us);
  (void)pause_after(one, 50 * k_ns_per_us - 1, 4000);
  EXPECT_EQ(pause_after(one, 0, 5000), 8 * k_ns_per_us);
}

TEST(shared_throttle, all_tiny_children_are_forgotten_after_a_large_one) {
  filch::shared_throttle one;
  for (int i = 0; i != 6; ++i) (void)pause_after(one, 0, 1000);
  EXPECT_EQ(pause_after(one, 50 * k_ns_per_us, 2000), 0);
  EXPECT_EQ(pause_after(one, 0, 3000), 2 * k_ns_per_us);
}

TEST(shared_throttle, an_owner_is_throttled_after_three_tiny_children_and_until_few_enough_are_left) {
  filch::shared_throttle one;
  for (int i = 0; i != 2; ++i) one.note(0, 1000, k_rules);
  EXPECT_FALSE(one.value().is_throttled());
  for (int i = 0; i != 9; ++i) {
    one.note(0, 1000, k_rules);
    EXPECT_TRUE(one.value().is_throttled());
  }
  one.note(5 * k_ns_per_us, 1000, k_rules);  // 3 of 6 are left
  EXPECT_TRUE(one.value().is_throttled());
  one.note(5 * k_ns_per_us, 1000, k_rules);
  EXPECT_FALSE(one.value().is_throttled());
}

}  // namespace
