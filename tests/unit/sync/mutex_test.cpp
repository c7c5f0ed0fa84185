// Locks that are held across joins, and code that stays on its thread.
#include <support/stress.hpp>

#include <filch/filch.hpp>
#include <filch/fork/stay_on_thread.hpp>
#include <filch/sync/mutex.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using filch::join;
using filch_test::scaled;

class locking : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{{.workers = GetParam()}};
};

// Property: mutual exclusion. Oracle: a plain counter, which loses counts otherwise, and ThreadSanitizer.
TEST_P(locking, one_at_a_time_holds_it) {
  filch::mutex m;
  long count = 0;
  const auto turns = static_cast<int>(scaled(4000));
  rt_.run([&] {
    filch::scope([&](auto& s) {
      for (int i = 0; i != 8; ++i) {
        s.spawn([&] {
          for (int k = 0; k != turns; ++k) {
            const std::lock_guard lock{m};
            ++count;
          }
        });
      }
    });
  });
  EXPECT_EQ(count, 8L * turns);
}

long busy_tree(int depth, std::atomic<long>& leaves) {
  if (depth == 0) return ++leaves;
  const auto [a, b] = join([&] { return busy_tree(depth - 1, leaves); }, [&] { return busy_tree(depth - 1, leaves); });
  return a + b;
}

// Property: the lock stays held while its holder waits in a join and goes on elsewhere.
TEST_P(locking, it_is_held_across_joins) {
  filch::mutex m;
  std::atomic<long> leaves{0};
  bool is_held = false;
  int rounds = 0;
  rt_.run([&] {
    filch::scope([&](auto& s) {
      for (int i = 0; i != 6; ++i) {
        s.spawn([&] {
          for (int k = 0; k != 20; ++k) {
            const std::lock_guard lock{m};
            EXPECT_FALSE(is_held);
            is_held = true;
            (void)busy_tree(5, leaves);
            is_held = false;
            ++rounds;
          }
        });
      }
    });
  });
  EXPECT_EQ(rounds, 120);
  EXPECT_EQ(leaves, 120 * 32);
}

TEST_P(locking, threads_that_are_no_workers_take_part) {
  filch::mutex m;
  long count = 0;
  const auto turns = static_cast<int>(scaled(2000));
  std::vector<std::thread> threads;
  for (int i = 0; i != 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k != turns; ++k) {
        const std::lock_guard lock{m};
        ++count;
      }
    });
  }
  auto inside = rt_.submit([&] {
    for (int k = 0; k != turns; ++k) {
      const std::lock_guard lock{m};
      ++count;
    }
  });
  inside.get();
  for (auto& each : threads) each.join();
  EXPECT_EQ(count, 4L * turns);
}

// Property: a worker whose task waits for a lock runs other tasks. The holder ends only when another task has run.
TEST_P(locking, a_worker_does_not_wait_with_its_task) {
  filch::mutex m;
  m.lock();
  std::atomic<int> waiting{0};
  std::vector<filch::future<void>> tasks;
  for (std::uint32_t i = 0; i != 2 * GetParam(); ++i) {
    tasks.push_back(rt_.submit([&] {
      ++waiting;
      const std::lock_guard lock{m};
    }));
  }
  rt_.run([] {});  // more tasks wait than there are workers, and yet this one runs
  while (waiting != static_cast<int>(2 * GetParam())) std::this_thread::yield();
  m.unlock();
  for (auto& each : tasks) each.get();
}

TEST_P(locking, code_that_must_stays_on_its_thread) {
  rt_.run([&] {
    for (int i = 0; i != 50; ++i) {
      const filch::stay_on_thread here;
      const auto self = std::this_thread::get_id();
      join([] {}, [] { std::this_thread::sleep_for(std::chrono::microseconds{50}); });
      std::atomic<bool> has_begun{false};
      join([&] {
             const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{1};
             while (!has_begun && std::chrono::steady_clock::now() < until) std::this_thread::yield();
           },
           [&] {
             has_begun = true;
             std::this_thread::sleep_for(std::chrono::microseconds{200});
           });
      EXPECT_EQ(std::this_thread::get_id(), self);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(workers, locking, testing::Values(1, 2, 4));

TEST(mutex, who_waits_longest_comes_next) {
  filch::mutex m;
  m.lock();
  std::vector<int> order;
  std::vector<std::thread> threads;
  std::atomic<int> begun{0};
  for (int i = 0; i != 5; ++i) {
    threads.emplace_back([&, i] {
      ++begun;
      const std::lock_guard lock{m};
      order.push_back(i);
    });
    while (begun != i + 1) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds{20});  // now it waits; were it later, the order would differ
  }
  m.unlock();
  for (auto& each : threads) each.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(mutex, try_lock_does_not_wait) {
  filch::mutex m;
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock());
  m.unlock();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

TEST(thread_mutex_death, a_lock_that_is_held_across_a_join_is_reported) {
  EXPECT_DEATH(
      {
        filch::thread_mutex m;
        m.lock();
        std::thread{[&] { m.unlock(); }}.join();
      },
      "held across a join or a scope.*Use filch::mutex");
}

}  // namespace
