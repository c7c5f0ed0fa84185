// Joins, scopes, locks, blocking calls and outside threads at the same time, for long.
//
// Property: every leaf runs exactly once and every result arrives, whatever is taken, taken back, interrupted or
// suspended. Oracle: counts of leaves and sums of results. Method: random trees whose every node chooses by its own
// number how it divides, with spin = 0 as well (a worker that finds nothing sleeps at once).
#include <support/spin_until.hpp>
#include <support/stress.hpp>
#include <support/thread_here.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace {

using filch::join;
using filch_test::scaled;

std::uint64_t stirred(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

struct world {
  explicit world(filch::runtime& of) : rt{of} {}

  filch::runtime& rt;
  filch::mutex lock;
  std::uint64_t under_lock = 0;  // guarded by lock
  std::atomic<std::uint64_t> leaves{0};
};

std::uint64_t leaf(world& in, std::uint64_t key) {
  in.leaves.fetch_add(1, std::memory_order_relaxed);
  switch (key % 64) {
    case 0:
      std::this_thread::yield();
      break;
    case 1:
      filch::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds{10}); });
      break;
    case 2: {
      const std::lock_guard lock{in.lock};
      ++in.under_lock;
      break;
    }
    case 3: {
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds{60};
      while (std::chrono::steady_clock::now() < until) continue;
      break;
    }
    default:
      break;
  }
  return 1;
}

std::uint64_t grow(world& in, std::uint64_t key, std::uint64_t leaves) {
  if (leaves == 1) return leaf(in, key);
  const std::uint64_t left = 1 + stirred(key) % (leaves - 1);
  const std::uint64_t a_key = stirred(2 * key);
  const std::uint64_t b_key = stirred(2 * key + 1);
  switch (key % 32) {
    case 0: {
      std::atomic<std::uint64_t> sum{0};
      filch::scope([&](auto& s) {
        s.spawn([&] { sum += grow(in, a_key, left); });
        s.spawn([&] { sum += grow(in, b_key, leaves - left); });
      });
      return sum;
    }
    case 1: {
      auto later = in.rt.submit([&in, a_key, left] { return grow(in, a_key, left); });
      const std::uint64_t b = grow(in, b_key, leaves - left);
      return later.get() + b;
    }
    case 2: {
      const filch::stay_on_thread here;
      const auto self = filch_test::thread_here();
      const auto [a, b] = join([&] { return grow(in, a_key, left); }, [&] { return grow(in, b_key, leaves - left); });
      EXPECT_EQ(filch_test::thread_here(), self);
      return a + b;
    }
    case 3:
      try {
        join(
            [&] {
              (void)grow(in, a_key, left);
              throw key;
            },
            [&] { (void)grow(in, b_key, leaves - left); });
      } catch (std::uint64_t thrown) {
        EXPECT_EQ(thrown, key);
      }
      return leaves;
    default: {
      const auto [a, b] = join([&] { return grow(in, a_key, left); }, [&] { return grow(in, b_key, leaves - left); });
      return a + b;
    }
  }
}

void grow_trees(filch::runtime& rt, std::uint64_t seed) {
  world in{rt};
  constexpr std::uint64_t k_leaves = 20'000;
  const std::uint64_t trees = scaled(16);
  std::atomic<std::uint64_t> progress{0};
  const filch_test::watchdog join_limit{"fork_stress", progress, [&] { return rt.dump(); }};
  // Half from outside by run(), half by a thread that joins as a external thread of the default runtime.
  std::thread external{[&] {
    for (std::uint64_t i = 0; i != trees / 2; ++i) {
      EXPECT_EQ(grow(in, stirred(seed + i), k_leaves), k_leaves);
      ++progress;
    }
  }};
  for (std::uint64_t i = trees / 2; i != trees; ++i) {
    EXPECT_EQ(rt.run([&] { return grow(in, stirred(seed + i), k_leaves); }), k_leaves);
    ++progress;
  }
  external.join();
  EXPECT_EQ(in.leaves, trees * k_leaves) << "seed " << seed;
}

class fork_stress : public testing::TestWithParam<std::uint32_t> {
 protected:
  fork_stress() {
    if (const char* const text = std::getenv("FILCH_SEED")) seed_ = std::strtoull(text, nullptr, 10);
    RecordProperty("seed", std::to_string(seed_));
    std::printf("FILCH_SEED=%llu\n", static_cast<unsigned long long>(seed_));
  }
  std::uint64_t seed_ = static_cast<std::uint64_t>(filch::monotonic_now_ns());
};

TEST_P(fork_stress, every_leaf_runs_once) {
  filch::runtime rt{{.workers = GetParam()}};
  grow_trees(rt, seed_);
}

TEST_P(fork_stress, every_leaf_runs_once_when_nobody_spins) {
  filch::runtime rt{{.workers = GetParam(), .idle = filch::idle::eco}};
  grow_trees(rt, seed_);
}

TEST_P(fork_stress, every_leaf_runs_once_without_interrupts) {
  filch::runtime rt{{.workers = GetParam(), .interrupts = false}};
  grow_trees(rt, seed_);
}

// Who waits for a future runs others meanwhile, also on a stack that stays on its thread.
TEST_P(fork_stress, every_leaf_runs_once_without_spare_threads) {
  filch::runtime rt{{.workers = GetParam(), .max_spare_threads = 0}};
  grow_trees(rt, seed_);
}

// The nodes of trees in which one node out of eight has eight children, but for a little: most subtrees are tiny, few
// are not.
std::uint64_t bushes(std::uint64_t from, std::uint64_t to) {
  if (to - from == 1) {
    std::uint64_t key = from;
    for (int i = 0; i != 20; ++i) key = stirred(key + 1);
    return key % 1000 >= 124 ? 1 : 1 + bushes(key >> 8, (key >> 8) + 8);
  }
  const std::uint64_t middle = from + (to - from) / 2;
  const auto [a, b] = join([=] { return bushes(from, middle); }, [=] { return bushes(middle, to); });
  return a + b;
}

// Forks so many functions that all wait for each other, and calls `meanwhile` again and again until all have begun.
template <class Function>
void hold_others(std::uint32_t count, std::atomic<std::uint32_t>& begun, const Function& meanwhile,
                 std::uint32_t forked = 0) {
  const auto have_all_begun = [&] { return begun.load() == count; };
  if (forked == count) {
    ASSERT_TRUE(filch_test::spin_until([&] {
      meanwhile();
      return have_all_begun();
    })) << begun
        << " of " << count;
    return;
  }
  join([&] { hold_others(count, begun, meanwhile, forked + 1); },
       [&] {
         ++begun;
         ASSERT_TRUE(filch_test::spin_until(have_all_begun));
       });
}

// Property: however the requests of those who go to sleep meet the joins of who works, none is lost for good. Oracle:
// afterwards every other worker takes a fork.
template <class Function>
void forks_are_taken_behind_tiny_trees(filch::runtime& rt, std::uint32_t workers, const Function& meanwhile) {
  constexpr std::uint64_t k_bushes = 100;
  for (std::uint64_t round = scaled(800); round != 0; --round) {
    const std::uint64_t from = stirred(round) >> 8;
    ASSERT_GE(rt.run([=] { return bushes(from, from + k_bushes); }), k_bushes);
    std::atomic<std::uint32_t> begun{0};
    rt.run([&] { hold_others(workers - 1, begun, meanwhile); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(fork_requests, are_not_lost_behind_tiny_trees) {
  for (const std::uint32_t workers : {2u, 3u}) {
    filch::runtime rt{{.workers = workers, .interrupts = true}};
    forks_are_taken_behind_tiny_trees(rt, workers, [] {});
  }
}

// Only a fork answers there, and one that comes before the request knows nothing of it.
TEST(fork_requests, are_not_lost_without_interrupts) {
  filch::runtime rt{{.workers = 2, .interrupts = false}};
  forks_are_taken_behind_tiny_trees(rt, 2, [] { join([] {}, [] {}); });
}

// As hold_others(), by coroutines.
filch::task<void> wait_for_all(std::uint32_t count, std::atomic<std::uint32_t>& begun, bool counts = true) {
  if (counts) ++begun;
  EXPECT_TRUE(filch_test::spin_until([&] { return begun.load() == count; })) << begun << " of " << count;
  co_return;
}
filch::task<void> hold_others_by_coroutines(std::uint32_t count, std::atomic<std::uint32_t>& begun,
                                            std::uint32_t forked = 0) {
  if (forked == count) co_return co_await wait_for_all(count, begun, false);
  co_await filch::all(hold_others_by_coroutines(count, begun, forked + 1), wait_for_all(count, begun));
}

TEST(coroutine_requests, are_not_lost_behind_the_first_that_was_taken) {
  for (const std::uint32_t workers : {2u, 3u, 4u}) {
    filch::runtime rt{{.workers = workers, .idle = filch::idle::eco}};
    for (std::uint64_t round = scaled(800); round != 0 && !HasFailure(); --round) {
      std::atomic<std::uint32_t> begun{0};
      rt.run(hold_others_by_coroutines(workers - 1, begun));
      if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds{200});  // all go to sleep
    }
  }
}

// In a process of its own: no thread can be started any more, the monitor thread's neither.
void forbid_threads() {
  pthread_attr_t huge;
  if (::pthread_attr_init(&huge) != 0 || ::pthread_attr_setstacksize(&huge, std::size_t{1} << 60) != 0 ||
      ::pthread_setattr_default_np(&huge) != 0) {
    ::_exit(2);
  }
}

[[noreturn]] void share_without_monitor() {
  filch::runtime rt{{.workers = 2, .interrupts = true}};
  forbid_threads();
  forks_are_taken_behind_tiny_trees(rt, 2, [] { join([] {}, [] {}); });
  ::_exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(fork_requests_death, are_not_lost_when_the_monitor_thread_cannot_start) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(share_without_monitor(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void share_outside_without_monitor() {
  if (filch::default_runtime().workers() == 0) ::_exit(2);  // starts it
  forbid_threads();
  for (int i = 0; i != 20 && !testing::Test::HasFailure(); ++i) {
    std::atomic<bool> has_run{false};
    join([&] { EXPECT_TRUE(filch_test::spin_until([&] { return has_run.load(); })) << "in round " << i; },
         [&] { has_run = true; });
  }
  ::_exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(fork_requests_death, of_external_threads_are_made_when_the_monitor_thread_cannot_start) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(share_outside_without_monitor(), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(workers, fork_stress, testing::Values(1, 2, 3, 8));

}  // namespace
