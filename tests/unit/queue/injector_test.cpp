#include <filch/queue/injector.hpp>

#include <gtest/gtest.h>
#include <support/hooked_atomics.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using filch::queue::push_status;
using filch::queue::steal_status;
using filch_test::hook;
using injector = filch::queue::injector<filch_test::hooked_atomics>;
using node = injector::node;

class injector_test : public filch_test::fresh_hooks, public testing::Test {
 protected:
  // Up to `limit` nodes as numbers.
  static std::vector<std::size_t> pop_batch(injector& from, std::uint32_t limit, const node* first) {
    std::vector<std::size_t> taken;
    const steal_status status =
        from.pop_batch(limit, [&](const node* n) { taken.push_back(static_cast<std::size_t>(n - first)); });
    EXPECT_EQ(status == steal_status::taken, !taken.empty());
    return taken;
  }

  std::array<node, 6> nodes_;
};

TEST_F(injector_test, a_new_one_is_empty_and_unbounded) {
  injector in;
  EXPECT_TRUE(in.is_empty());
  EXPECT_EQ(in.size_hint(), 0u);
  EXPECT_EQ(in.bound(), injector::k_unbounded);
  EXPECT_EQ(in.pop().status, steal_status::empty);
}

TEST_F(injector_test, items_come_out_in_the_order_they_went_in) {
  injector in;
  for (node& n : nodes_) in.push(&n);
  EXPECT_EQ(in.size_hint(), nodes_.size());
  EXPECT_FALSE(in.is_empty());
  for (node& n : nodes_) EXPECT_EQ(in.pop().item, &n);
  EXPECT_TRUE(in.is_empty());
  EXPECT_EQ(in.pop().status, steal_status::empty);
}

TEST_F(injector_test, a_chain_counts_each_of_its_items) {
  injector in;
  for (std::size_t i = 0; i != 3; ++i) nodes_[i].next.store(&nodes_[i + 1], std::memory_order_relaxed);  // owner-only
  in.push_list(&nodes_[0], &nodes_[3], 4);
  EXPECT_EQ(in.size_hint(), 4u);
  EXPECT_EQ(pop_batch(in, 100, nodes_.data()), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(in.is_empty());
}

TEST_F(injector_test, a_batch_is_limited_and_oldest_first) {
  injector in;
  for (node& n : nodes_) in.push(&n);
  EXPECT_EQ(pop_batch(in, 2, nodes_.data()), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(in.size_hint(), 4u);
  EXPECT_EQ(pop_batch(in, 4, nodes_.data()), (std::vector<std::size_t>{2, 3, 4, 5}));
  EXPECT_EQ(in.pop_batch(4, [](node*) { FAIL(); }), steal_status::empty);
}

TEST_F(injector_test, a_bound_refuses_the_item_too_many_and_leaves_it_with_the_caller) {
  injector in{2};
  EXPECT_EQ(in.bound(), 2u);
  EXPECT_EQ(in.try_push(&nodes_[0]), push_status::pushed);
  EXPECT_EQ(in.try_push(&nodes_[1]), push_status::pushed);
  EXPECT_EQ(in.try_push(&nodes_[2]), push_status::full);
  EXPECT_EQ(in.size_hint(), 2u);
  EXPECT_EQ(in.pop().item, &nodes_[0]);
  EXPECT_EQ(in.try_push(&nodes_[2]), push_status::pushed);
  EXPECT_EQ(in.try_push(&nodes_[3]), push_status::full);
  EXPECT_EQ(in.pop().item, &nodes_[1]);
  EXPECT_EQ(in.pop().item, &nodes_[2]);
  EXPECT_EQ(in.pop().status, steal_status::empty);
}

TEST_F(injector_test, a_bound_of_zero_refuses_everything) {
  injector in{0};
  EXPECT_EQ(in.try_push(&nodes_[0]), push_status::full);
  EXPECT_TRUE(in.is_empty());
}

TEST_F(injector_test, push_goes_above_the_bound_and_try_push_then_waits_for_room) {
  injector in{1};
  in.push(&nodes_[0]);
  in.push(&nodes_[1]);
  EXPECT_EQ(in.try_push(&nodes_[2]), push_status::full);
  EXPECT_EQ(in.pop().item, &nodes_[0]);
  EXPECT_EQ(in.try_push(&nodes_[2]), push_status::full);
  EXPECT_EQ(in.pop().item, &nodes_[1]);
  EXPECT_EQ(in.try_push(&nodes_[2]), push_status::pushed);
}

TEST_F(injector_test, without_a_bound_try_push_always_succeeds) {
  injector in;
  for (node& n : nodes_) EXPECT_EQ(in.try_push(&n), push_status::pushed);
  EXPECT_EQ(in.size_hint(), nodes_.size());
}

TEST_F(injector_test, a_worker_that_finds_another_one_taking_says_lost) {
  injector in;
  in.push(&nodes_[0]);
  in.push(&nodes_[1]);
  EXPECT_EQ(in.pop_batch(1, [&](node*) { EXPECT_EQ(in.pop().status, steal_status::lost); }), steal_status::taken);
  EXPECT_EQ(in.pop().item, &nodes_[1]);
}

TEST_F(injector_test, an_item_is_counted_while_it_is_being_put_there) {
  injector in;
  hook().after_exchange = [&] {
    EXPECT_FALSE(in.is_empty());
    EXPECT_EQ(in.pop().status, steal_status::lost);
  };
  in.push(&nodes_[0]);
  EXPECT_EQ(in.pop().item, &nodes_[0]);
}

TEST_F(injector_test, an_item_is_counted_until_it_has_been_taken) {
  injector in;
  in.push(&nodes_[0]);
  EXPECT_EQ(in.pop_batch(1, [&](node*) { EXPECT_FALSE(in.is_empty()); }), steal_status::taken);
  EXPECT_TRUE(in.is_empty());
}

}  // namespace
