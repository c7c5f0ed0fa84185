// The stacks of a pool: which one comes next, what lies above it, and what an unused one keeps.
#include <stack/stack_pool.hpp>
#include <support/emulated.hpp>
#include <support/stress.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace {

using filch::fiber;
using filch::pooled_stack;
using filch::stack_pool;

constexpr std::size_t k_bytes = std::size_t{256} << 10;

struct note {
  static inline int made = 0;

  note() { ++made; }
  std::uint64_t number = 42;
  std::uint64_t rest[40] = {};
};
constexpr filch::stack_header k_note{sizeof(note), [](void* memory) noexcept { ::new (memory) note; }};
note& note_of(const pooled_stack& stack) { return *std::launder(static_cast<note*>(stack.header)); }

struct both_sides {
  fiber home;
  pooled_stack& away;
};
// Runs a function on the stack, which writes some pages of it.
void use(pooled_stack& stack) {
  both_sides here{{}, stack};
  stack.body.prepare(
      [](void* given, fiber& left) {
        auto& at = *static_cast<both_sides*>(given);
        std::byte much[16 << 10];
        std::memset(much, 1, sizeof much);
        asm volatile("" : : "r"(much) : "memory");
        (void)fiber::switch_to(at.away.body, left, true);
      },
      &here);
  (void)fiber::switch_to(here.home, stack.body);
}

TEST(stack_pool, makes_a_stack_when_none_is_unused_and_gives_the_last_that_was_put) {
  stack_pool pool{k_bytes, 8};
  EXPECT_EQ(pool.made(), 0u);
  pooled_stack& a = pool.get();
  pooled_stack& b = pool.get();
  EXPECT_NE(&a, &b);
  EXPECT_EQ(pool.made(), 2u);
  pool.put(a);
  pool.put(b);
  EXPECT_EQ(&pool.get(), &b);
  EXPECT_EQ(&pool.get(), &a);
  EXPECT_EQ(pool.made(), 2u);
}

// Property: what lies above a stack is put there once, and stays however the stack is used, given back and got again.
TEST(stack_pool, a_header_lives_as_long_as_its_stack) {
  const int before = note::made;
  stack_pool pool{k_bytes, 0, k_note};
  for (int i = 0; i != 3; ++i) {
    pooled_stack& stack = pool.get();
    note& above = note_of(stack);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&above) % filch::stack_header::k_alignment, 0u);
    EXPECT_GT(reinterpret_cast<std::byte*>(&above), stack.body.top());
    EXPECT_EQ(above.number++, 42u + static_cast<unsigned>(i));
    above.rest[39] = 1;
    use(stack);
    EXPECT_EQ(stack.entered, &stack.body);
    pool.put(stack);
  }
  EXPECT_EQ(note::made, before + 1);
  EXPECT_EQ(note_of(pool.get()).number, 45u);
  (void)pool.get();
  EXPECT_EQ(note::made, before + 2);
}

// Property: unused stacks keep their pages up to a number, those beyond give them back. Oracle: a page that was given
// back reads as nothing.
TEST(stack_pool, unused_stacks_beyond_the_warm_ones_give_their_pages_back) {
  stack_pool pool{k_bytes, 2};
  std::vector<pooled_stack*> all;
  for (int i = 0; i != 4; ++i) {
    all.push_back(&pool.get());
    *reinterpret_cast<volatile char*>(all.back()->body.lowest()) = 1;
  }
  for (pooled_stack* const each : all) pool.put(*each);
  std::vector<int> kept;
  for (pooled_stack* const each : all) kept.push_back(*reinterpret_cast<volatile char*>(each->body.lowest()));
  EXPECT_EQ(kept, (std::vector<int>{1, 1, 0, 0}));
}

// Sanitizers have maps of the address space of their own, and end the program where a mapping meets these.
#ifndef FILCH_TEST_SANITIZED
TEST(stack_pool, stacks_are_smaller_where_the_address_space_is_limited) {
  if (filch_test::is_emulated)
    GTEST_SKIP() << "the emulator takes memory for each page of the largest mapping there is";
  constexpr std::size_t k_too_much = std::size_t{1} << 62;
  stack_pool pool{k_too_much, 8};
  for (int i = 0; i != 2; ++i) {
    pooled_stack& stack = pool.get();
    const std::size_t bytes = reinterpret_cast<std::uintptr_t>(stack.body.top()) - stack.body.lowest();
    EXPECT_LT(bytes, k_too_much);
    EXPECT_GE(bytes, std::size_t{32} << 10);
    use(stack);
  }
}
#endif

TEST(stack_pool, counts_what_stands_still_and_remembers_the_most_at_once) {
  stack_pool pool{k_bytes, 8};
  {
    const stack_pool::suspension first{pool};
    {
      const stack_pool::suspension second{pool};
      EXPECT_EQ(pool.suspended(), 2u);
    }
    EXPECT_EQ(pool.suspended(), 1u);
    const stack_pool::suspension third{pool};
    EXPECT_EQ(pool.suspended(), 2u);
  }
  EXPECT_EQ(pool.suspended(), 0u);
  EXPECT_EQ(pool.suspended_max(), 2u);
}

}  // namespace
