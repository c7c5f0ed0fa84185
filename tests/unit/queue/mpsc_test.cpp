#include <filch/queue/mpsc.hpp>

#include <gtest/gtest.h>
#include <support/hooked_atomics.hpp>

#include <array>
#include <cstddef>

namespace {

using filch::queue::steal_status;
using filch_test::hook;
using queue = filch::queue::mpsc<filch_test::hooked_atomics>;
using node = queue::node;

class mpsc : public filch_test::fresh_hooks, public testing::Test {
 protected:
  void expect_next(node& expected) {
    const auto popped = queue_.pop();
    ASSERT_TRUE(popped.is_taken());
    EXPECT_EQ(popped.item, &expected);
  }
  void expect(steal_status status) { EXPECT_EQ(queue_.pop().status, status); }

  queue queue_;
  std::array<node, 5> nodes_;
};

TEST_F(mpsc, a_new_queue_is_empty) { expect(steal_status::empty); }

TEST_F(mpsc, nodes_come_out_in_the_order_they_went_in) {
  for (node& n : nodes_) queue_.push(&n);
  for (node& n : nodes_) expect_next(n);
  expect(steal_status::empty);
}

TEST_F(mpsc, a_popped_node_can_be_pushed_again_at_once) {
  for (int round = 0; round != 10; ++round) {
    queue_.push(&nodes_[0]);
    expect_next(nodes_[0]);
    expect(steal_status::empty);
  }
  queue_.push(&nodes_[0]);
  queue_.push(&nodes_[1]);
  for (int round = 0; round != 10; ++round) {
    expect_next(nodes_[0]);
    queue_.push(&nodes_[0]);
    expect_next(nodes_[1]);
    queue_.push(&nodes_[1]);
  }
}

TEST_F(mpsc, a_chain_goes_in_as_one_and_keeps_its_order) {
  queue_.push(&nodes_[0]);
  for (std::size_t i = 1; i != 3; ++i) nodes_[i].next.store(&nodes_[i + 1], std::memory_order_relaxed);  // owner-only
  queue_.push_list(&nodes_[1], &nodes_[3]);
  queue_.push(&nodes_[4]);
  for (node& n : nodes_) expect_next(n);
  expect(steal_status::empty);
}

TEST_F(mpsc, the_end_of_a_chain_need_not_be_marked) {
  nodes_[0].next.store(&nodes_[1], std::memory_order_relaxed);  // owner-only
  nodes_[1].next.store(&nodes_[4], std::memory_order_relaxed);  // owner-only
  queue_.push_list(&nodes_[0], &nodes_[1]);
  expect_next(nodes_[0]);
  expect_next(nodes_[1]);
  expect(steal_status::empty);
}

// Between a producer's two steps the list is cut. The consumer acts in that moment.
TEST_F(mpsc, a_consumer_that_meets_a_push_half_done_says_lost_and_not_empty) {
  hook().after_exchange = [&] { expect(steal_status::lost); };
  queue_.push(&nodes_[0]);
  expect_next(nodes_[0]);

  queue_.push(&nodes_[0]);
  hook().after_exchange = [&] { expect(steal_status::lost); };
  queue_.push(&nodes_[1]);
  expect_next(nodes_[0]);
  expect_next(nodes_[1]);
  expect(steal_status::empty);
}

TEST_F(mpsc, what_was_pushed_before_a_push_half_done_can_be_taken) {
  queue_.push(&nodes_[0]);
  queue_.push(&nodes_[1]);
  hook().after_exchange = [&] {
    expect_next(nodes_[0]);
    expect(steal_status::lost);
  };
  queue_.push(&nodes_[2]);
  expect_next(nodes_[1]);
  expect_next(nodes_[2]);
  expect(steal_status::empty);
}

TEST_F(mpsc, what_is_pushed_behind_a_push_half_done_waits_for_it) {
  hook().after_exchange = [&] {
    queue_.push(&nodes_[1]);
    expect(steal_status::lost);
  };
  queue_.push(&nodes_[0]);
  expect_next(nodes_[0]);
  expect_next(nodes_[1]);
  expect(steal_status::empty);
}

// The consumer has put the stub behind the last node but not linked it, when a producer comes.
TEST_F(mpsc, a_producer_that_comes_while_the_last_node_leaves_is_not_lost) {
  queue_.push(&nodes_[0]);
  hook().after_exchange = [&] { queue_.push(&nodes_[1]); };
  expect_next(nodes_[0]);
  expect_next(nodes_[1]);
  expect(steal_status::empty);
}

}  // namespace
