// The deque's memory: what happens when there is none, and that a burst gives it back.
#include <filch/queue/deque.hpp>

#include <gtest/gtest.h>
#include <support/hooked_atomics.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <optional>
#include <vector>

namespace {

using filch_test::hook;
using item = std::uint64_t;
using deque = filch::queue::deque<item, filch_test::hooked_atomics>;

class deque_memory : public filch_test::fresh_hooks, public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(hook().objects_alive, 0u); }
};

// The first allocation is the ring's description, the second its slots.
TEST_F(deque_memory, a_deque_that_cannot_be_made_leaves_nothing_behind) {
  for (const std::uint64_t successes : {0u, 1u}) {
    hook().allocations_until_failure = successes;
    EXPECT_THROW(deque{4}, std::bad_alloc);
    EXPECT_EQ(hook().objects_alive, 0u);
  }
}

TEST_F(deque_memory, a_push_that_cannot_grow_throws_and_loses_nothing) {
  for (const std::uint64_t successes : {0u, 1u}) {
    hook().allocations_until_failure = UINT64_MAX;
    deque d{4, UINT64_MAX - 2};
    for (item i = 0; i != 4; ++i) d.owner().push(i);
    hook().allocations_until_failure = successes;
    EXPECT_THROW(d.owner().push(4), std::bad_alloc);
    EXPECT_EQ(d.size_hint(), 4u);
    EXPECT_EQ(d.owner().capacity(), 4u);
    hook().allocations_until_failure = UINT64_MAX;
    d.owner().push(4);
    for (item i = 0; i != 5; ++i) EXPECT_EQ(d.owner().pop_oldest(), i);
    EXPECT_EQ(d.owner().pop_oldest(), std::nullopt);
  }
}

TEST_F(deque_memory, a_push_that_could_not_grow_succeeds_once_a_thief_has_made_room) {
  deque d{2};
  d.owner().push(0);
  d.owner().push(1);
  hook().allocations_until_failure = 0;
  EXPECT_THROW(d.owner().push(2), std::bad_alloc);
  EXPECT_EQ(d.thief().steal().item, 0u);
  d.owner().push(2);
  EXPECT_EQ(d.owner().pop(), 2u);
  EXPECT_EQ(d.owner().pop(), 1u);
}

TEST_F(deque_memory, reserved_pushes_allocate_nothing) {
  deque d{1};
  d.owner().push(0);
  d.owner().reserve(100);
  hook().allocations_until_failure = 0;
  for (item i = 1; i != 101; ++i) d.owner().push(i);
  EXPECT_EQ(d.size_hint(), 101u);
}

TEST_F(deque_memory, a_reserve_that_cannot_be_met_throws_and_changes_nothing) {
  for (const std::uint64_t too_many : {std::uint64_t{1} << 47, std::uint64_t{1} << 60, UINT64_MAX - 1, UINT64_MAX}) {
    deque d{4};
    for (item i = 0; i != 3; ++i) d.owner().push(i);
    EXPECT_THROW(d.owner().reserve(too_many), std::bad_alloc) << too_many;
    EXPECT_EQ(d.owner().capacity(), 4u);
    for (item i = 3; i-- != 0;) EXPECT_EQ(d.owner().pop(), i);
  }
}

TEST_F(deque_memory, steal_half_takes_nothing_when_the_thief_has_no_room) {
  deque victim{16};
  deque own{1};
  for (item i = 0; i != 10; ++i) victim.owner().push(i);
  hook().allocations_until_failure = 0;
  EXPECT_THROW((void)victim.thief().steal_half(own.owner(), 100), std::bad_alloc);
  EXPECT_EQ(victim.size_hint(), 10u);
  EXPECT_EQ(own.size_hint(), 0u);
  const auto one = victim.thief().steal_half(own.owner(), 1);
  EXPECT_TRUE(one.is_taken());
  EXPECT_EQ(one.item, 0u);
}

TEST_F(deque_memory, a_deque_that_grows_again_after_a_trim_uses_its_old_rings) {
  deque d{1};
  std::uint64_t made = 0;
  for (int round = 0; round != 5; ++round) {
    for (item i = 0; i != 1000; ++i) d.owner().push(i);
    for (item i = 1000; i-- != 0;) EXPECT_EQ(d.owner().pop(), i);
    EXPECT_TRUE(d.owner().trim());
    if (round == 0) made = hook().arrays_made;
  }
  EXPECT_EQ(hook().arrays_made, made);
}

// How many pages of an array are in memory.
std::size_t resident_pages(void* memory, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> flags((bytes + page - 1) / page);
  EXPECT_EQ(::mincore(memory, bytes, flags.data()), 0);
  std::size_t resident = 0;
  for (const unsigned char flag : flags) resident += flag & 1u;
  return resident;
}

TEST_F(deque_memory, trim_gives_the_pages_of_a_burst_back) {
  constexpr item k_items = 1u << 17;
  deque d{256};
  for (item i = 0; i != k_items; ++i) d.owner().push(i + 1);
  void* const largest = hook().last_array;
  const std::size_t bytes = hook().last_array_bytes;
  ASSERT_EQ(bytes, k_items * sizeof(item));
  EXPECT_EQ(resident_pages(largest, bytes), bytes / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  while (d.owner().pop()) {}
  EXPECT_TRUE(d.owner().trim());
  EXPECT_EQ(resident_pages(largest, bytes), 0u);
  for (item i = 0; i != k_items; ++i) d.owner().push(i);
  EXPECT_EQ(hook().last_array, largest);
  for (item i = 0; i != k_items; ++i) ASSERT_EQ(d.thief().steal().item, i);
}

}  // namespace
