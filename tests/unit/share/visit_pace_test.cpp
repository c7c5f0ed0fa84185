// How often a thread is visited for its latent work.
#include "runtime/visit_pace.hpp"

#include <gtest/gtest.h>

namespace {

using filch::k_ns_per_ms;
using filch::k_ns_per_us;
using filch::time_ns;
using filch::visit_pace;

// The pause after one in vain at `now_ns`.
time_ns pause_after(visit_pace& one, time_ns now_ns) {
  one.end(false, now_ns);
  time_ns pause_ns = 0;
  while (!one.may_begin(now_ns + pause_ns)) pause_ns += 10 * k_ns_per_us;
  return pause_ns;
}

TEST(visit_pace, in_vain_they_come_less_and_less_often_up_to_a_bound) {
  visit_pace one;
  EXPECT_TRUE(one.may_begin(1000));
  time_ns now_ns = 1000;
  for (const time_ns expected_us : {20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10000, 10000}) {
    EXPECT_EQ(pause_after(one, now_ns), expected_us * k_ns_per_us);
    now_ns += k_ns_per_ms;
  }
  one.end(true, now_ns);
  EXPECT_TRUE(one.may_begin(now_ns));
  EXPECT_EQ(pause_after(one, now_ns), 20 * k_ns_per_us);
}

TEST(visit_pace, those_in_vain_are_forgotten_when_there_was_nothing_to_be_had) {
  visit_pace one;
  for (int i = 0; i != 5; ++i) (void)pause_after(one, 1000);
  EXPECT_FALSE(one.may_begin(2000));
  one.forget();
  EXPECT_TRUE(one.may_begin(2000));
}

}  // namespace
