#include <filch/queue/inbox.hpp>

#include <gtest/gtest.h>
#include <support/hooked_atomics.hpp>

#include <array>

namespace {

using filch::queue::steal_status;
using filch_test::hook;
using inbox = filch::queue::inbox<filch_test::hooked_atomics>;
using node = inbox::node;

class inbox_test : public filch_test::fresh_hooks, public testing::Test {
 protected:
  inbox inbox_;
  std::array<node, 4> nodes_;
};

TEST_F(inbox_test, a_new_one_is_empty) {
  EXPECT_TRUE(inbox_.is_empty());
  EXPECT_EQ(inbox_.size_hint(), 0u);
  EXPECT_EQ(inbox_.pop().status, steal_status::empty);
}

TEST_F(inbox_test, tasks_come_out_in_the_order_they_went_in) {
  for (int round = 0; round != 3; ++round) {
    for (node& n : nodes_) inbox_.push(&n);
    EXPECT_EQ(inbox_.size_hint(), nodes_.size());
    EXPECT_FALSE(inbox_.is_empty());
    for (node& n : nodes_) {
      const auto popped = inbox_.pop();
      ASSERT_TRUE(popped.is_taken());
      EXPECT_EQ(popped.item, &n);
    }
    EXPECT_EQ(inbox_.pop().status, steal_status::empty);
  }
}

TEST_F(inbox_test, a_task_on_its_way_is_counted_and_reported_as_lost) {
  hook().after_exchange = [&] {
    EXPECT_FALSE(inbox_.is_empty());
    EXPECT_EQ(inbox_.pop().status, steal_status::lost);
  };
  inbox_.push(&nodes_[0]);
  EXPECT_EQ(inbox_.pop().item, &nodes_[0]);
  EXPECT_TRUE(inbox_.is_empty());
}

}  // namespace
