#include <filch/base/atomics.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace {

using A = filch::std_atomics;

TEST(std_atomics, an_array_is_value_initialised_and_survives_a_discard_of_its_pages) {
  for (const std::size_t count : {std::size_t{4}, std::size_t{1} << 16}) {
    auto* words = A::make_array<A::atomic<std::uint64_t>>(count);
    EXPECT_EQ(words[count - 1].load(std::memory_order_relaxed), 0u);
    words[0].store(7, std::memory_order_relaxed);
    A::discard(words, count);
    words[count - 1].store(9, std::memory_order_relaxed);
    EXPECT_EQ(words[count - 1].load(std::memory_order_relaxed), 9u);
    A::destroy_array(words, count);
  }
}

TEST(std_atomics, an_absurd_array_throws_bad_alloc) {
  EXPECT_THROW((void)A::make_array<A::atomic<std::uint64_t>>(SIZE_MAX / 4), std::bad_alloc);
  EXPECT_THROW((void)A::make_array<A::atomic<std::uint64_t>>(std::size_t{1} << 50), std::bad_alloc);
}

TEST(std_atomics, a_futex_wait_returns_at_once_when_the_word_differs) {
  A::atomic<std::uint32_t> word{1};
  EXPECT_TRUE(A::futex_wait(word, 0));
}

TEST(std_atomics, a_futex_wait_says_when_its_deadline_has_passed) {
  A::atomic<std::uint32_t> word{0};
  EXPECT_FALSE(A::futex_wait(word, 0, filch::monotonic_now_ns() + filch::k_ns_per_ms));
}

TEST(std_atomics, a_deadline_before_the_clock_began_has_passed) {
  A::atomic<std::uint32_t> word{0};
  EXPECT_FALSE(A::futex_wait(word, 0, -5));
}

TEST(std_atomics, a_futex_wake_ends_a_wait) {
  A::atomic<std::uint32_t> word{0};
  std::thread sleeper{[&] {
    while (word.load(std::memory_order_acquire) == 0) A::futex_wait(word, 0);
  }};
  word.store(1, std::memory_order_release);
  A::futex_wake(word, 1);
  sleeper.join();
}

}  // namespace
