#include <filch/park/parker.hpp>

#include <gtest/gtest.h>
#include <support/hooked_atomics.hpp>

namespace {

using filch::park::park_outcome;
using filch_test::hook;

class parker : public filch_test::fresh_hooks, public testing::Test {
 protected:
  // A sleep that nothing can end.
  void expect_no_token() { EXPECT_EQ(parker_.park(filch::monotonic_now_ns()), park_outcome::timed_out); }

  filch::park::parker<filch_test::hooked_atomics> parker_;
};

TEST_F(parker, a_token_given_before_the_sleep_ends_it_at_once) {
  parker_.unpark();
  EXPECT_EQ(parker_.park(), park_outcome::notified);
}

TEST_F(parker, a_token_is_consumed_by_one_sleep) {
  parker_.unpark();
  EXPECT_EQ(parker_.park(), park_outcome::notified);
  expect_no_token();
}

TEST_F(parker, a_second_token_before_the_sleep_adds_nothing) {
  parker_.unpark();
  parker_.unpark();
  EXPECT_EQ(parker_.park(), park_outcome::notified);
  expect_no_token();
}

TEST_F(parker, a_sleep_ends_at_its_deadline) {
  EXPECT_EQ(parker_.park(filch::monotonic_now_ns() + filch::k_ns_per_ms), park_outcome::timed_out);
  EXPECT_EQ(parker_.park(0), park_outcome::timed_out);
}

TEST_F(parker, a_token_is_preferred_to_a_deadline_that_has_passed) {
  parker_.unpark();
  EXPECT_EQ(parker_.park(0), park_outcome::notified);
}

TEST_F(parker, a_sleep_that_timed_out_leaves_no_trace) {
  expect_no_token();
  parker_.unpark();
  EXPECT_EQ(hook().futex_wakes, 0u);  // nobody sleeps any more
  EXPECT_EQ(parker_.park(), park_outcome::notified);
  expect_no_token();
}

TEST_F(parker, nobody_is_woken_by_a_system_call_who_does_not_sleep) {
  parker_.unpark();
  parker_.unpark();
  EXPECT_EQ(hook().futex_wakes, 0u);
}

TEST_F(parker, a_sleeper_is_woken_by_one_system_call) {
  hook().futex_wait = [&] {
    parker_.unpark();
    parker_.unpark();
    return true;
  };
  EXPECT_EQ(parker_.park(), park_outcome::notified);
  EXPECT_EQ(hook().futex_wakes, 1u);
  hook().futex_wait = nullptr;
  expect_no_token();
}

TEST_F(parker, a_spurious_wake_up_does_not_end_the_sleep) {
  int waits = 0;
  hook().futex_wait = [&] {
    if (++waits == 5) parker_.unpark();
    return true;
  };
  EXPECT_EQ(parker_.park(), park_outcome::notified);
  EXPECT_EQ(waits, 5);
}

TEST_F(parker, a_token_that_comes_with_the_deadline_is_consumed_and_not_left_over) {
  hook().futex_wait = [&] {
    parker_.unpark();
    return false;
  };
  EXPECT_EQ(parker_.park(1), park_outcome::notified);
  hook().futex_wait = nullptr;
  expect_no_token();
}

// The deadline has passed and the token comes between the last look and the sleeper's withdrawal.
TEST_F(parker, a_token_that_comes_after_the_deadline_and_before_the_sleeper_has_left_counts) {
  hook().futex_wait = [&] {
    hook().before_exchange = [&] { parker_.unpark(); };
    return false;
  };
  EXPECT_EQ(parker_.park(1), park_outcome::notified);
  hook().futex_wait = nullptr;
  expect_no_token();
}

}  // namespace
