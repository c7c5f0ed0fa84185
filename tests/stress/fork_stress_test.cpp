// Joins, scopes, locks, blocking calls and outside threads at the same time, for long.
//
// Property: every leaf runs exactly once and every result arrives, whatever is taken, taken back, interrupted or
// suspended. Oracle: counts of leaves and sums of results. Method: random trees whose every node chooses by its own number
// how it divides, with spin = 0 as well (a worker that finds nothing sleeps at once).
#include <support/stress.hpp>

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
    case 0: std::this_thread::yield(); break;
    case 1: filch::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds{10}); }); break;
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
    default: break;
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
      const auto self = std::this_thread::get_id();
      const auto [a, b] = join([&] { return grow(in, a_key, left); }, [&] { return grow(in, b_key, leaves - left); });
      EXPECT_EQ(std::this_thread::get_id(), self);
      return a + b;
    }
    case 3:
      try {
        join([&] { (void)grow(in, a_key, left); throw key; }, [&] { (void)grow(in, b_key, leaves - left); });
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
  const filch_test::watchdog watch{"fork_stress", progress, [&] { return rt.dump(); }};
  // Half from outside by run(), half by a thread that joins as a guest of the default runtime.
  std::thread guest{[&] {
    for (std::uint64_t i = 0; i != trees / 2; ++i) {
      EXPECT_EQ(grow(in, stirred(seed + i), k_leaves), k_leaves);
      ++progress;
    }
  }};
  for (std::uint64_t i = trees / 2; i != trees; ++i) {
    EXPECT_EQ(rt.run([&] { return grow(in, stirred(seed + i), k_leaves); }), k_leaves);
    ++progress;
  }
  guest.join();
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

INSTANTIATE_TEST_SUITE_P(workers, fork_stress, testing::Values(1, 2, 3, 8));

}  // namespace
