// How often a thread is interrupted for its latent work.
#include "runtime/interrupt_turn.hpp"

#include <gtest/gtest.h>

namespace {

using filch::interrupt_end;
using filch::k_ns_per_ms;
using filch::k_ns_per_us;
using filch::time_ns;
using turn = filch::interrupt_turn<>;

TEST(interrupt_turn, is_taken_by_one_at_a_time) {
  turn one;
  EXPECT_FALSE(one.is_awaited());
  EXPECT_TRUE(one.begin(1000));
  EXPECT_TRUE(one.is_awaited());
  EXPECT_FALSE(one.begin(filch::k_never_ns - 1));
  one.end(interrupt_end::answered, 2000);
  EXPECT_FALSE(one.is_awaited());
  EXPECT_TRUE(one.begin(2000));
}

// The pause after one in vain at `now_ns`.
time_ns pause_after(turn& one, time_ns now_ns) {
  EXPECT_TRUE(one.begin(now_ns));
  one.end(interrupt_end::in_vain, now_ns);
  time_ns pause_ns = 0;
  while (!one.begin(now_ns + pause_ns)) pause_ns += 10 * k_ns_per_us;
  one.end(interrupt_end::cut_short, now_ns + pause_ns);
  return pause_ns;
}

TEST(interrupt_turn, in_vain_it_comes_less_and_less_often_up_to_a_bound) {
  turn one;
  time_ns now_ns = 1000;
  for (const time_ns expected_us : {20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10000, 10000}) {
    EXPECT_EQ(pause_after(one, now_ns), expected_us * k_ns_per_us);
    now_ns += k_ns_per_ms;
  }
  EXPECT_TRUE(one.begin(now_ns));
  one.end(interrupt_end::answered, now_ns);
  EXPECT_EQ(pause_after(one, now_ns), 20 * k_ns_per_us);
}

TEST(interrupt_turn, those_in_vain_are_forgotten_when_there_was_nothing_to_be_had) {
  turn one;
  for (int i = 0; i != 5; ++i) (void)pause_after(one, 1000);
  EXPECT_TRUE(one.begin(1000));
  one.end(interrupt_end::in_vain, 1000);
  EXPECT_FALSE(one.begin(2000));
  one.forget();
  EXPECT_TRUE(one.begin(2000));
}

TEST(interrupt_turn, one_that_is_under_way_is_not_forgotten) {
  turn one;
  for (int i = 0; i != 5; ++i) (void)pause_after(one, 1000);
  EXPECT_TRUE(one.begin(1000));
  one.forget();
  EXPECT_TRUE(one.is_awaited());
  EXPECT_FALSE(one.begin(2000));
  one.end(interrupt_end::in_vain, 1000);
  EXPECT_TRUE(one.begin(1000 + 20 * k_ns_per_us));
}

}  // namespace
