// What a thread keeps at hand.
#include <stack/kept_stacks.hpp>
#include <support/stress.hpp>

#include <filch/base/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace {

constexpr std::size_t k_bytes = 64 << 10;

// How many hold a stack now: in its header.
constexpr filch::stack_header k_holders{sizeof(int), [](void* memory) noexcept { ::new (memory) int{0}; }};
int& holders_of(filch::pooled_stack& stack) { return *std::launder(static_cast<int*>(stack.header)); }

TEST(kept_stacks, the_last_one_put_comes_first_and_what_is_too_much_goes_to_the_pool) {
  filch::stack_pool pool{k_bytes, 4};
  filch::kept_stacks mine{pool};
  filch::kept_stacks others{pool};
  filch::pooled_stack& a = mine.get();
  filch::pooled_stack& b = mine.get();
  filch::pooled_stack& c = mine.get();
  EXPECT_EQ(pool.made(), 3u);
  mine.put(a);
  mine.put(b);
  mine.put(c);
  EXPECT_EQ(&others.get(), &c);  // the pool's
  EXPECT_EQ(&mine.get(), &b);
  EXPECT_EQ(&mine.get(), &a);
  EXPECT_EQ(pool.made(), 3u);
  EXPECT_NE(&mine.get(), nullptr);
  EXPECT_EQ(pool.made(), 4u);
}

TEST(kept_stacks, are_given_back_when_the_thread_ends_or_holds_no_worker) {
  filch::stack_pool pool{k_bytes, 4};
  for (int i = 0; i != 10; ++i) {
    filch::kept_stacks mine{pool};
    filch::pooled_stack& a = mine.get();
    filch::pooled_stack& b = mine.get();
    mine.put(a);
    mine.put(b);
    if (i % 2 == 0) mine.give_back();
  }
  EXPECT_EQ(pool.made(), 2u);
}

// Property: a stack is held by one thread at a time, wherever it lay. Oracle: a plain word of each, and
// ThreadSanitizer; at the end all that were made are in the pool.
TEST(kept_stacks, of_many_threads_are_never_the_same) {
  constexpr std::size_t k_threads = 4;
  constexpr std::size_t k_most_held = 4;
  filch::stack_pool pool{k_bytes, 2, k_holders};
  filch_test::run_threads(k_threads, [&](std::size_t number) {
    filch::kept_stacks mine{pool};
    filch::random_stream random{number};
    std::vector<filch::pooled_stack*> held;
    for (std::uint64_t i = filch_test::scaled(40'000); i != 0; --i) {
      if (held.size() < k_most_held && random.below(2) == 0) {
        held.push_back(&mine.get());
        EXPECT_EQ(holders_of(*held.back())++, 0);
      } else if (!held.empty()) {
        EXPECT_EQ(--holders_of(*held.back()), 0);
        mine.put(*held.back());
        held.pop_back();
      }
      if (random.below(100) == 0) mine.give_back();
    }
    for (filch::pooled_stack* const each : held) {
      holders_of(*each) = 0;
      mine.put(*each);
    }
  });
  const std::size_t made = pool.made();
  EXPECT_LE(made, k_threads * (k_most_held + filch::kept_stacks::k_most));
  for (std::size_t i = 0; i != made; ++i) EXPECT_EQ(holders_of(pool.get())++, 0);
  EXPECT_EQ(pool.made(), made);
}

}  // namespace
