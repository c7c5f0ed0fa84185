// What only the baseline has: its lock, and a batch that is claimed as a whole. The rest is in both_deques_test.cpp.
#include <filch/queue/locked_deque.hpp>

#include <gtest/gtest.h>
#include <support/hooked_atomics.hpp>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>

// The baseline's memory comes from operator new, so that is what runs out here. The sanitizers' runtime of clang has an
// operator new of its own, which cannot be replaced: there the tests without memory are left out.
#if defined(__clang__) && defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FILCH_TEST_KEEPS_NEW 1
#endif
#endif

#ifndef FILCH_TEST_KEEPS_NEW
namespace {

bool g_memory_is_out = false;

}  // namespace

// Not inlined: a compiler that sees `free` inside takes it for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (g_memory_is_out) throw std::bad_alloc();
  if (void* memory = std::malloc(bytes != 0 ? bytes : 1); memory != nullptr) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace {

using filch::queue::steal_status;
using filch_test::hook;
using item = std::uint64_t;
using deque = filch::queue::locked_deque<item, filch_test::hooked_atomics>;

class locked_deque : public filch_test::fresh_hooks, public testing::Test {
 protected:
  deque victim_;
  deque own_;
};

TEST_F(locked_deque, a_thief_that_finds_it_locked_says_lost_and_takes_nothing) {
  victim_.owner().push(1);
  hook().try_lock_fails = true;
  EXPECT_EQ(victim_.thief().steal().status, steal_status::lost);
  EXPECT_EQ(victim_.thief().steal_half(own_.owner(), 2).status, steal_status::lost);
  EXPECT_EQ(own_.size_hint(), 0u);
  hook().try_lock_fails = false;
  EXPECT_EQ(victim_.thief().steal().item, 1u);
}

// Two thieves that rob each other would otherwise wait for each other's lock.
TEST_F(locked_deque, a_thief_does_not_wait_for_a_lock_while_it_holds_one) {
  for (item i = 0; i != 10; ++i) victim_.owner().push(i);
  EXPECT_EQ(victim_.thief().steal_half(own_.owner(), 100).moved, 4u);
  EXPECT_EQ(hook().waits_while_holding, 0u);
  EXPECT_EQ(hook().locks_held, 0u);
}

#ifndef FILCH_TEST_KEEPS_NEW
// Whatever number of pushes succeeds before memory runs out: each item is in exactly one of the two deques.
TEST_F(locked_deque, a_batch_that_does_not_fit_loses_and_doubles_nothing) {
  constexpr item k_items = 4000;
  for (item i = 0; i != k_items; ++i) victim_.owner().push(i);
  g_memory_is_out = true;
  EXPECT_THROW((void)victim_.thief().steal_half(own_.owner(), UINT32_MAX), std::bad_alloc);
  g_memory_is_out = false;
  EXPECT_EQ(own_.size_hint(), 0u);
  EXPECT_EQ(victim_.size_hint(), k_items);
  EXPECT_EQ(own_.owner().pop(), std::nullopt);
  for (item i = 0; i != k_items; ++i) ASSERT_EQ(victim_.owner().pop_oldest(), i);
}

TEST_F(locked_deque, a_push_without_memory_throws_and_loses_nothing) {
  item pushed = 0;
  g_memory_is_out = true;
  try {
    while (true) {
      own_.owner().push(pushed);
      ++pushed;
    }
  } catch (const std::bad_alloc&) {}
  g_memory_is_out = false;
  EXPECT_EQ(own_.size_hint(), pushed);
  for (item i = pushed; i-- != 0;) EXPECT_EQ(own_.owner().pop(), i);
}
#endif

}  // namespace
