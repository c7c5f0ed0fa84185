// Capacity, growth and indices of the lock-free deque. What it shares with the baseline is in both_deques_test.cpp.
#include <filch/base/random.hpp>
#include <filch/queue/deque.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <cstdint>
#include <deque>
#include <optional>

namespace {

using filch::queue::steal_status;
using item = std::uint64_t;
using deque = filch::queue::deque<item>;

TEST(deque, the_capacity_is_rounded_up_to_a_power_of_two) {
  EXPECT_EQ(deque{}.owner().capacity(), deque::k_default_capacity);
  EXPECT_EQ(deque{1}.owner().capacity(), 1u);
  EXPECT_EQ(deque{2}.owner().capacity(), 2u);
  EXPECT_EQ(deque{3}.owner().capacity(), 4u);
  EXPECT_EQ(deque{1000}.owner().capacity(), 1024u);
}

TEST(deque_death, an_absurd_capacity_is_refused) {
  EXPECT_DEATH(deque{0}, "capacity = 0");
  EXPECT_DEATH(deque{(1u << 30) + 1}, "capacity = 1073741825");
}

TEST(deque, growth_doubles_and_keeps_every_item_in_its_place) {
  deque d{1};
  for (item i = 0; i != 1000; ++i) {
    d.owner().push(i);
    EXPECT_GE(d.owner().capacity(), d.size_hint());
    EXPECT_LT(d.owner().capacity(), 2 * d.size_hint() + 1);
  }
  for (item i = 0; i != 500; ++i) EXPECT_EQ(d.thief().steal().item, i);
  for (item i = 1000; i-- != 500;) EXPECT_EQ(d.owner().pop(), i);
  EXPECT_EQ(d.owner().pop(), std::nullopt);
}

TEST(deque, room_that_thieves_made_is_used_before_it_grows) {
  deque d{4};
  for (item i = 0; i != 3; ++i) d.owner().push(i);
  for (item i = 3; i != 10'000; ++i) {
    d.owner().push(i);
    EXPECT_EQ(d.thief().steal().item, i - 3);
  }
  EXPECT_EQ(d.owner().capacity(), 4u);
}

TEST(deque, a_full_ring_does_not_grow_before_the_next_push) {
  deque d{4};
  for (item i = 0; i != 4; ++i) d.owner().push(i);
  EXPECT_EQ(d.owner().capacity(), 4u);
  d.owner().push(4);
  EXPECT_EQ(d.owner().capacity(), 8u);
}

TEST(deque, reserve_makes_exactly_the_room_that_is_missing) {
  deque d{4};
  d.owner().push(0);
  d.owner().reserve(0);
  d.owner().reserve(3);
  EXPECT_EQ(d.owner().capacity(), 4u);
  d.owner().reserve(4);
  EXPECT_EQ(d.owner().capacity(), 8u);
  EXPECT_EQ(d.owner().pop(), 0u);
}

TEST(deque, trim_goes_back_to_the_first_capacity_and_only_when_it_has_grown) {
  deque d{8};
  EXPECT_FALSE(d.owner().trim());
  for (item i = 0; i != 100; ++i) d.owner().push(i);
  EXPECT_EQ(d.owner().capacity(), 128u);
  while (d.thief().steal().is_taken()) {}
  EXPECT_TRUE(d.owner().trim());
  EXPECT_EQ(d.owner().capacity(), 8u);
  EXPECT_FALSE(d.owner().trim());
}

TEST(deque, items_may_be_pointers) {
  int x = 1;
  filch::queue::deque<int*> d;
  d.owner().push(&x);
  EXPECT_EQ(d.owner().pop(), &x);
}

// The indices pass a power of two, the largest signed number and zero without anybody noticing: the same operations
// give the same results as from index 0. Each start is a few steps below the wrap-around, in a ring that has to grow
// while the indices pass it.
class deque_indices : public testing::TestWithParam<std::uint64_t> {};

TEST_P(deque_indices, pass_a_wrap_around_unnoticed) {
  filch::random_stream random{filch_test::test_seed()};
  for (const std::uint64_t before : {0u, 1u, 2u, 5u, 17u}) {
    deque d{2, GetParam() - before};
    EXPECT_EQ(d.owner().pop(), std::nullopt);
    EXPECT_EQ(d.thief().steal().status, steal_status::empty);
    std::deque<item> model;
    for (item next = 0; next != 200; ++next) {
      d.owner().push(next);
      model.push_back(next);
      const std::uint64_t choice = random.below(8);
      if (choice == 0) {
        ASSERT_EQ(d.owner().pop(), model.back());
        model.pop_back();
      } else if (choice <= 2) {
        ASSERT_EQ(d.owner().pop_oldest(), model.front());
        model.pop_front();
      } else if (choice <= 4) {
        ASSERT_EQ(d.thief().steal().item, model.front());
        model.pop_front();
      } else if (choice == 5) {
        while (d.owner().pop()) model.pop_back();
        (void)d.owner().trim();
      } else if (choice == 6) {
        d.owner().reserve(random.below(20));
      }
      ASSERT_EQ(d.size_hint(), model.size());
    }
    deque other{1, GetParam() - before};
    const auto batch = d.thief().steal_half(other.owner(), 100);
    ASSERT_EQ(batch.is_taken(), !model.empty());
    EXPECT_EQ(batch.moved, model.empty() ? 0 : (model.size() + 1) / 2 - 1);
    EXPECT_EQ(d.size_hint() + other.size_hint() + (batch.is_taken() ? 1 : 0), model.size());
  }
}

constexpr std::uint64_t pow2(int k) { return std::uint64_t{1} << k; }

INSTANTIATE_TEST_SUITE_P(starts, deque_indices,
                         testing::Values(std::uint64_t{0}, pow2(8) - 2, pow2(15) - 2, pow2(16) - 2, pow2(31) - 2,
                                         pow2(32) - 2, pow2(33) - 2, pow2(48) - 2, pow2(62) - 2, pow2(63) - 2,
                                         static_cast<std::uint64_t>(INT64_MAX), UINT64_MAX - 1, UINT64_MAX));

}  // namespace
