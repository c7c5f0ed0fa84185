// The parker with real threads. A lost token is a hang, which the watchdog reports.
#include <filch/base/random.hpp>
#include <filch/park/parker.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace {

using filch::park::park_outcome;
using filch_test::scaled;

void wait_for_token(filch::park::parker<>& place) { ASSERT_EQ(place.park(), park_outcome::notified); }

// Spins, and lets others run when that takes long: the other thread may have lost its core.
template <class Condition>
void wait_until(const Condition& condition) {
  for (std::uint32_t turns = 0; !condition(); ++turns) {
    if (turns % 1024 == 1023) std::this_thread::yield();
    filch::std_atomics::pause();
  }
}

// Property: a token ends exactly one sleep, whether it comes before, during or after its beginning, and hands over what
// its giver wrote. Oracle: plain data passed back and forth; the watchdog. Method: two threads wake each other in turn.
TEST(parker_stress, two_threads_that_wake_each_other_in_turn_never_stop) {
  const std::uint64_t rounds = scaled(100'000);
  std::array<filch::park::parker<>, 2> places;
  std::uint64_t ball = 0;  // plain: handed over by the tokens
  std::atomic<std::uint64_t> progress{0};
  filch_test::watchdog join_limit{"parker_stress", progress, [] { return std::string{}; }};
  filch_test::run_threads(2, [&](std::size_t self) {
    for (std::uint64_t round = 0; round != rounds; ++round) {
      if (self != 0) wait_for_token(places[self]);
      ASSERT_EQ(ball, 2 * round + self);
      ++ball;
      progress.fetch_add(1, std::memory_order_relaxed);
      places[1 - self].unpark();
      if (self == 0) wait_for_token(places[self]);
    }
  });
  EXPECT_EQ(ball, 2 * rounds);
}

// Property: two tokens may merge into one, but then the sleep that consumes them hands over what was written before
// either. Oracle: the sleeper waits for two numbers, each followed by its token; if it consumed the second token
// without seeing the second number, it would sleep for ever: the watchdog. Method: the sleeper consumes the first
// token just when the second is given.
TEST(parker_stress, merged_tokens_hand_over_what_was_written_before_either) {
  const std::uint64_t rounds = scaled(100'000);
  filch::park::parker<> place;
  std::atomic<std::uint64_t> first{0};
  std::atomic<std::uint64_t> second{0};
  std::atomic<std::uint64_t> seen{0};
  filch_test::watchdog join_limit{"parker_stress", seen,
                                  [&] { return "written: " + std::to_string(first) + ", " + std::to_string(second); }};
  filch_test::run_threads(2, [&](std::size_t self) {
    filch::random_stream random = filch::random_stream{filch_test::test_seed()}.split(self);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      if (self == 0) {
        place.unpark();
        first.store(round, std::memory_order_relaxed);
        for (std::uint64_t n = random.below(100); n != 0; --n) first.load(std::memory_order_relaxed);
        second.store(round, std::memory_order_relaxed);
        place.unpark();
        wait_until([&] { return seen.load(std::memory_order_acquire) == round; });
      } else {
        wait_until([&] { return first.load(std::memory_order_relaxed) == round; });
        do {
          wait_for_token(place);
        } while (second.load(std::memory_order_relaxed) != round);
        // A second token that was not merged makes the next round's first sleep short, no more.
        seen.store(round, std::memory_order_release);
      }
    }
  });
}

// Property: a deadline that meets a token neither loses nor doubles it. Oracle: as many tokens consumed as given, one
// at a time. Method: the giver waits until its token has been consumed; the sleeper's deadlines are random and short.
TEST(parker_stress, a_deadline_that_meets_a_token_does_not_lose_it) {
  const std::uint64_t rounds = scaled(20'000);
  filch::park::parker<> place;
  std::atomic<std::uint64_t> consumed{0};
  std::atomic<std::uint64_t> timed_out{0};
  filch_test::watchdog join_limit{"parker_stress", consumed, [&] { return "timed out: " + std::to_string(timed_out); }};
  filch_test::run_threads(2, [&](std::size_t self) {
    filch::random_stream random = filch::random_stream{filch_test::test_seed()}.split(self);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      if (self == 0) {
        for (std::uint64_t n = random.below(500); n != 0; --n) filch::std_atomics::pause();
        place.unpark();
        wait_until([&] { return consumed.load(std::memory_order_acquire) == round; });
      } else {
        const auto wait_ns = static_cast<filch::time_ns>(random.below(10'000));
        while (place.park(filch::monotonic_now_ns() + wait_ns) != park_outcome::notified) {
          timed_out.fetch_add(1, std::memory_order_relaxed);
        }
        consumed.store(round, std::memory_order_release);
      }
    }
  });
  EXPECT_EQ(place.park(0), park_outcome::timed_out);
}

}  // namespace
