// Races of the deque made repeatable: the other side acts between the reads of an operation and its store
// or compare-exchange.
#include <filch/queue/deque.hpp>

#include <gtest/gtest.h>
#include <support/hooked_atomics.hpp>

#include <cstdint>
#include <optional>

namespace {

using filch::queue::steal_status;
using filch_test::hook;
using item = std::uint64_t;
using deque = filch::queue::deque<item, filch_test::hooked_atomics>;

class deque_race : public filch_test::fresh_hooks, public testing::Test {
 protected:
  deque deque_{2};
};

TEST_F(deque_race, a_thief_that_is_overtaken_says_lost_and_not_empty) {
  deque_.owner().push(1);
  deque_.owner().push(2);
  hook().before_compare_exchange = [&] { EXPECT_EQ(deque_.thief().steal().item, 1u); };
  EXPECT_EQ(deque_.thief().steal().status, steal_status::lost);
  EXPECT_EQ(deque_.thief().steal().item, 2u);
}

TEST_F(deque_race, a_thief_that_loses_the_last_item_to_the_owner_says_lost) {
  deque_.owner().push(1);
  hook().before_compare_exchange = [&] { EXPECT_EQ(deque_.owner().pop(), 1u); };
  EXPECT_EQ(deque_.thief().steal().status, steal_status::lost);
  EXPECT_EQ(deque_.thief().steal().status, steal_status::empty);
}

// The thief takes the item after the owner has seen it and before the owner has published its claim.
TEST_F(deque_race, an_owner_that_loses_the_last_item_to_a_thief_finds_the_deque_empty_and_usable) {
  deque_.owner().push(1);
  hook().before_store = [&] { EXPECT_EQ(deque_.thief().steal().item, 1u); };
  EXPECT_EQ(deque_.owner().pop(), std::nullopt);
  EXPECT_EQ(deque_.size_hint(), 0u);
  deque_.owner().push(2);
  EXPECT_EQ(deque_.owner().pop(), 2u);
  EXPECT_EQ(deque_.owner().pop(), std::nullopt);
}

TEST_F(deque_race, a_thief_that_comes_after_the_owner_has_claimed_the_last_item_finds_nothing) {
  deque_.owner().push(1);
  hook().before_compare_exchange = [&] { EXPECT_EQ(deque_.thief().steal().status, steal_status::empty); };
  EXPECT_EQ(deque_.owner().pop(), 1u);
}

TEST_F(deque_race, an_owner_in_fifo_order_that_is_overtaken_takes_the_next_item) {
  deque_.owner().push(1);
  deque_.owner().push(2);
  hook().before_compare_exchange = [&] { EXPECT_EQ(deque_.thief().steal().item, 1u); };
  EXPECT_EQ(deque_.owner().pop_oldest(), 2u);
}

TEST_F(deque_race, an_owner_in_fifo_order_that_loses_the_last_item_finds_the_deque_empty) {
  deque_.owner().push(1);
  hook().before_compare_exchange = [&] { EXPECT_EQ(deque_.thief().steal().item, 1u); };
  EXPECT_EQ(deque_.owner().pop_oldest(), std::nullopt);
}

TEST_F(deque_race, a_thief_keeps_its_item_when_the_owner_grows_meanwhile) {
  deque_.owner().push(1);
  hook().before_compare_exchange = [&] {
    for (item i = 2; i != 20; ++i) deque_.owner().push(i);
  };
  EXPECT_EQ(deque_.thief().steal().item, 1u);
  for (item i = 2; i != 20; ++i) EXPECT_EQ(deque_.thief().steal().item, i);
}

// The thief still holds the large ring when the deque is emptied, trimmed and filled again through the same ring.
TEST_F(deque_race, a_thief_that_holds_a_trimmed_ring_gets_nothing_from_it) {
  for (item i = 0; i != 20; ++i) deque_.owner().push(i);
  while (deque_.size_hint() != 1) (void)deque_.owner().pop();
  hook().before_compare_exchange = [&] {
    EXPECT_EQ(deque_.owner().pop(), 0u);
    EXPECT_TRUE(deque_.owner().trim());
    for (item i = 100; i != 120; ++i) deque_.owner().push(i);
  };
  EXPECT_EQ(deque_.thief().steal().status, steal_status::lost);
  for (item i = 100; i != 120; ++i) EXPECT_EQ(deque_.thief().steal().item, i);
}

TEST_F(deque_race, steal_half_stops_at_the_first_item_it_loses_and_keeps_the_others) {
  deque own{1};
  for (item i = 0; i != 8; ++i) deque_.owner().push(i);
  // The first item is taken undisturbed, the second goes to somebody else.
  hook().before_compare_exchange = [&] {
    hook().before_compare_exchange = [&] { EXPECT_EQ(deque_.thief().steal().item, 1u); };
  };
  const auto batch = deque_.thief().steal_half(own.owner(), 100);
  ASSERT_TRUE(batch.is_taken());
  EXPECT_EQ(batch.item, 0u);
  EXPECT_EQ(batch.moved, 0u);
  EXPECT_EQ(own.size_hint(), 0u);
  EXPECT_EQ(deque_.size_hint(), 6u);
}

TEST_F(deque_race, steal_half_says_lost_when_it_is_overtaken_at_the_first_item) {
  deque own{1};
  for (item i = 0; i != 8; ++i) deque_.owner().push(i);
  hook().before_compare_exchange = [&] { EXPECT_EQ(deque_.thief().steal().item, 0u); };
  const auto batch = deque_.thief().steal_half(own.owner(), 100);
  EXPECT_EQ(batch.status, steal_status::lost);
  EXPECT_EQ(deque_.size_hint(), 7u);
}

}  // namespace
