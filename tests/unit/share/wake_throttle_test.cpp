// How often somebody is woken for latent work.
#include "share/share_point.hpp"

#include <gtest/gtest.h>

namespace {

using filch::k_ns_per_us;
using filch::time_ns;

// The pause after a child that lasted so long, over at `now_ns`: the earliest time when somebody may be woken.
time_ns pause_after(filch::wake_throttle& pace, time_ns lasted_ns, time_ns now_ns) {
  pace.note(lasted_ns, now_ns);
  time_ns pause_ns = 0;
  while (!pace.may_wake(now_ns + pause_ns)) pause_ns += k_ns_per_us;
  return pause_ns;
}

TEST(wake_throttle, allows_everything_at_first) { EXPECT_TRUE(filch::wake_throttle{}.may_wake(0)); }

TEST(wake_throttle, doubles_its_pause_with_every_tiny_child_up_to_a_bound) {
  filch::wake_throttle pace;
  const time_ns now_ns = 1'000'000'000;
  for (const time_ns expected_us : {2, 4, 8, 16, 32, 64, 64, 64}) {
    EXPECT_EQ(pause_after(pace, 1 * k_ns_per_us, now_ns), expected_us * k_ns_per_us);
  }
}

TEST(wake_throttle, forgets_half_the_tiny_children_after_one_that_was_worth_it) {
  filch::wake_throttle pace;
  for (int i = 0; i != 6; ++i) (void)pause_after(pace, 0, 1000);
  EXPECT_EQ(pause_after(pace, 5 * k_ns_per_us, 2000), 0);
  EXPECT_EQ(pause_after(pace, 5 * k_ns_per_us - 1, 3000), 16 * k_ns_per_us);
  (void)pause_after(pace, 50 * k_ns_per_us - 1, 4000);
  EXPECT_EQ(pause_after(pace, 0, 5000), 8 * k_ns_per_us);
}

TEST(wake_throttle, forgets_all_tiny_children_after_a_large_one) {
  filch::wake_throttle pace;
  for (int i = 0; i != 6; ++i) (void)pause_after(pace, 0, 1000);
  EXPECT_EQ(pause_after(pace, 50 * k_ns_per_us, 2000), 0);
  EXPECT_EQ(pause_after(pace, 0, 3000), 2 * k_ns_per_us);
}

TEST(wake_throttle, is_throttled_after_three_tiny_children_and_until_few_enough_are_left) {
  filch::wake_throttle pace;
  for (int i = 0; i != 2; ++i) pace.note(0, 1000);
  EXPECT_FALSE(pace.is_throttled());
  for (int i = 0; i != 9; ++i) {
    pace.note(0, 1000);
    EXPECT_TRUE(pace.is_throttled());
  }
  pace.note(5 * k_ns_per_us, 1000);  // 3 of 6 are left
  EXPECT_TRUE(pace.is_throttled());
  pace.note(5 * k_ns_per_us, 1000);
  EXPECT_FALSE(pace.is_throttled());
}

}  // namespace
