// What the lock-free deque and the baseline have in common, asked of both.
#include <filch/base/random.hpp>
#include <filch/queue/deque.hpp>
#include <filch/queue/locked_deque.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <cstdint>
#include <deque>
#include <optional>

namespace {

using filch::queue::steal_status;
using item = std::uint64_t;

template <class Deque>
class both_deques : public testing::Test {
 protected:
  Deque deque_{4};
};

using kinds = testing::Types<filch::queue::deque<item>, filch::queue::locked_deque<item>>;
TYPED_TEST_SUITE(both_deques, kinds);

template <class Deque>
void push_range(Deque& deque, item first, item last) {
  for (item i = first; i != last; ++i) deque.owner().push(i);
}

TYPED_TEST(both_deques, a_new_one_is_empty_for_owner_and_thief) {
  TypeParam fallback;
  for (TypeParam* deque : {&this->deque_, &fallback}) {
    EXPECT_EQ(deque->owner().pop(), std::nullopt);
    EXPECT_EQ(deque->owner().pop_oldest(), std::nullopt);
    EXPECT_EQ(deque->thief().steal().status, steal_status::empty);
    EXPECT_EQ(deque->size_hint(), 0u);
  }
}

TYPED_TEST(both_deques, a_failed_take_from_an_empty_one_leaves_it_usable) {
  EXPECT_EQ(this->deque_.owner().pop(), std::nullopt);
  EXPECT_EQ(this->deque_.thief().steal().status, steal_status::empty);
  this->deque_.owner().push(7);
  EXPECT_EQ(this->deque_.owner().pop(), 7u);
  EXPECT_EQ(this->deque_.owner().pop(), std::nullopt);
}

TYPED_TEST(both_deques, pop_gives_the_newest_first) {
  push_range(this->deque_, 0, 100);
  for (item i = 100; i-- != 0;) EXPECT_EQ(this->deque_.owner().pop(), i);
  EXPECT_EQ(this->deque_.owner().pop(), std::nullopt);
}

TYPED_TEST(both_deques, pop_oldest_gives_the_oldest_first) {
  push_range(this->deque_, 0, 100);
  for (item i = 0; i != 100; ++i) EXPECT_EQ(this->deque_.owner().pop_oldest(), i);
  EXPECT_EQ(this->deque_.owner().pop_oldest(), std::nullopt);
}

TYPED_TEST(both_deques, a_thief_takes_the_oldest_first) {
  push_range(this->deque_, 0, 100);
  for (item i = 0; i != 100; ++i) {
    const auto stolen = this->deque_.thief().steal();
    ASSERT_TRUE(stolen.is_taken());
    EXPECT_EQ(stolen.item, i);
  }
  EXPECT_EQ(this->deque_.thief().steal().status, steal_status::empty);
}

TYPED_TEST(both_deques, the_size_hint_is_exact_when_nobody_else_is_at_work) {
  push_range(this->deque_, 0, 10);
  EXPECT_EQ(this->deque_.size_hint(), 10u);
  EXPECT_EQ(this->deque_.owner().size_hint(), 10u);
  EXPECT_EQ(this->deque_.thief().size_hint(), 10u);
  (void)this->deque_.owner().pop();
  (void)this->deque_.thief().steal();
  (void)this->deque_.owner().pop_oldest();
  EXPECT_EQ(this->deque_.size_hint(), 7u);
}

TYPED_TEST(both_deques, copies_of_a_handle_are_the_same_side) {
  auto owner = this->deque_.owner();
  auto same_owner = owner;
  owner.push(1);
  same_owner.push(2);
  EXPECT_EQ(owner.pop(), 2u);
  auto thief = this->deque_.thief();
  auto same_thief = thief;
  EXPECT_EQ(same_thief.steal().item, 1u);
  EXPECT_EQ(thief.steal().status, steal_status::empty);
}

// For every number of items and every limit: how many move, which, in which order, and what stays.
TYPED_TEST(both_deques, steal_half_takes_the_older_half_in_its_order) {
  for (item count = 0; count != 12; ++count) {
    for (const std::uint32_t limit : {0u, 1u, 2u, 3u, 5u, 100u, UINT32_MAX}) {
      SCOPED_TRACE(testing::Message() << count << " items, limit " << limit);
      TypeParam victim{1};
      TypeParam own{1};
      push_range(victim, 0, count);
      own.owner().push(1000);
      const auto result = victim.thief().steal_half(own.owner(), limit);
      if (count == 0) {
        EXPECT_EQ(result.status, steal_status::empty);
        EXPECT_EQ(result.moved, 0u);
        EXPECT_EQ(own.size_hint(), 1u);
        continue;
      }
      item expected = (count + 1) / 2;
      if (expected > limit) expected = limit;
      if (expected == 0) expected = 1;
      ASSERT_TRUE(result.is_taken());
      EXPECT_EQ(result.item, 0u);
      EXPECT_EQ(result.moved, expected - 1);
      EXPECT_EQ(own.owner().pop_oldest(), 1000u);
      for (item i = 1; i != expected; ++i) EXPECT_EQ(own.owner().pop_oldest(), i);
      EXPECT_EQ(own.owner().pop_oldest(), std::nullopt);
      for (item i = expected; i != count; ++i) EXPECT_EQ(victim.owner().pop_oldest(), i);
      EXPECT_EQ(victim.owner().pop_oldest(), std::nullopt);
    }
  }
}

TYPED_TEST(both_deques, trim_leaves_a_deque_with_items_alone) {
  push_range(this->deque_, 0, 100);
  EXPECT_FALSE(this->deque_.owner().trim());
  for (item i = 0; i != 100; ++i) EXPECT_EQ(this->deque_.owner().pop_oldest(), i);
}

TYPED_TEST(both_deques, a_trimmed_deque_is_empty_and_usable) {
  for (int round = 0; round != 3; ++round) {
    push_range(this->deque_, 0, 100);
    while (this->deque_.owner().pop()) {}
    EXPECT_TRUE(this->deque_.owner().trim());
    EXPECT_EQ(this->deque_.size_hint(), 0u);
    EXPECT_EQ(this->deque_.owner().pop(), std::nullopt);
    EXPECT_EQ(this->deque_.owner().pop_oldest(), std::nullopt);
    EXPECT_EQ(this->deque_.thief().steal().status, steal_status::empty);
  }
}

// Any sequence of operations gives what the same sequence gives on a std::deque.
TYPED_TEST(both_deques, every_sequence_of_operations_agrees_with_a_plain_deque) {
  filch::random_stream random{filch_test::test_seed()};
  TypeParam own{1};
  std::deque<item> model;
  item next = 0;
  for (int step = 0; step != 50'000; ++step) {
    switch (random.below(8)) {
      case 0: {
        for (std::uint64_t n = random.below(40); n != 0; --n) {
          own.owner().push(next);
          model.push_back(next++);
        }
        break;
      }
      case 1:
      case 2: {
        const auto popped = own.owner().pop();
        ASSERT_EQ(popped.has_value(), !model.empty());
        if (!popped) break;
        ASSERT_EQ(*popped, model.back());
        model.pop_back();
        break;
      }
      case 3: {
        (void)own.owner().trim();
        break;
      }
      case 4: {
        TypeParam other{1};
        const auto limit = static_cast<std::uint32_t>(random.below(20));
        const auto batch = own.thief().steal_half(other.owner(), limit);
        ASSERT_EQ(batch.is_taken(), !model.empty());
        if (!batch.is_taken()) break;
        ASSERT_EQ(batch.item, model.front());
        model.pop_front();
        for (std::uint32_t i = 0; i != batch.moved; ++i) {
          ASSERT_EQ(other.owner().pop_oldest(), model.front());
          model.pop_front();
        }
        break;
      }
      default: {
        const bool as_thief = random.below(2) == 0;
        std::optional<item> taken;
        if (as_thief) {
          if (const auto stolen = own.thief().steal(); stolen.is_taken()) taken = stolen.item;
        } else {
          taken = own.owner().pop_oldest();
        }
        ASSERT_EQ(taken.has_value(), !model.empty());
        if (!taken) break;
        ASSERT_EQ(*taken, model.front());
        model.pop_front();
        break;
      }
    }
    ASSERT_EQ(own.size_hint(), model.size());
  }
}

template <class Deque>
class both_deques_death : public testing::Test {};
TYPED_TEST_SUITE(both_deques_death, kinds);

TYPED_TEST(both_deques_death, an_owner_that_robs_itself_is_stopped) {
  TypeParam deque{4};
  deque.owner().push(1);
  EXPECT_DEATH((void)deque.thief().steal_half(deque.owner(), 2), "cannot be robbed by its own owner");
}

}  // namespace
