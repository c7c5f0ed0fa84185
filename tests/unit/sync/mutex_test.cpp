// Locks that are held across joins, and code that stays on its thread.
#include <support/spin_until.hpp>
#include <support/stress.hpp>
#include <support/thread_here.hpp>

#include <filch/filch.hpp>
#include <filch/fork/stay_on_thread.hpp>
#include <filch/sync/mutex.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using filch::join;
using filch_test::scaled;
using filch_test::spin_until;
using filch_test::thread_here;

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

// Property: the lock stays held while its holder waits in a join and resumes elsewhere.
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
      const auto self = thread_here();
      join([] {}, [] { std::this_thread::sleep_for(std::chrono::microseconds{50}); });
      std::atomic<bool> has_begun{false};
      join(
          [&] {
            const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{1};
            while (!has_begun && std::chrono::steady_clock::now() < until) std::this_thread::yield();
          },
          [&] {
            has_begun = true;
            std::this_thread::sleep_for(std::chrono::microseconds{200});
          });
      EXPECT_EQ(thread_here(), self);
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

// How often the lock is got by `try_lock`, after `m` was unlocked, until that fails.
std::uint32_t overtakes_of(filch::mutex& m) {
  m.unlock();
  std::uint32_t count = 0;
  for (; count != 10 * filch::sync::k_most_overtakes && m.try_lock(); ++count) m.unlock();
  return count;
}

// One worker, so that nothing of the waiter runs while another task does.
class waiting_for_a_mutex : public testing::Test {
 protected:
  // Returns when the task has begun, and the worker has left it for another one.
  void let_wait(const std::atomic<bool>& has_begun) {
    EXPECT_TRUE(spin_until([&] { return has_begun.load(); }));
    rt_.run([] {});
  }

  filch::runtime rt_{{.workers = 1}};
  filch::mutex m_;
};

// Property: the bound of the guide. Oracle: the waiter's stack cannot run, so each `try_lock` that succeeds overtakes
// it.
TEST_F(waiting_for_a_mutex, the_first_in_line_is_overtaken_a_bounded_number_of_times) {
  m_.lock();
  std::atomic<bool> has_begun{false};
  bool is_served = false;  // guarded by m_
  auto waiter = rt_.submit([&] {
    has_begun = true;
    const std::lock_guard lock{m_};
    is_served = true;
  });
  let_wait(has_begun);
  rt_.run([&] {
    EXPECT_EQ(overtakes_of(m_), filch::sync::k_most_overtakes);
    EXPECT_FALSE(is_served);
  });
  waiter.get();
  EXPECT_TRUE(is_served);
}

TEST_F(waiting_for_a_mutex, a_waiter_that_has_come_in_vain_is_not_overtaken_again) {
  m_.lock();
  std::atomic<bool> has_begun{false};
  auto waiter = rt_.submit([&] {
    has_begun = true;
    const std::lock_guard lock{m_};
  });
  let_wait(has_begun);
  rt_.run([](filch::mutex& m) -> filch::task<> {
    m.unlock();  // the waiter is called
    EXPECT_TRUE(m.try_lock());
    for (int i = 0; i != 100; ++i) co_await filch::yield();  // and comes
    EXPECT_EQ(overtakes_of(m), 0u);
  }(m_));
  waiter.get();
}

TEST_F(waiting_for_a_mutex, a_coroutine_that_is_first_in_line_is_not_overtaken) {
  m_.lock();
  std::atomic<bool> has_begun{false};
  auto waiter = filch::spawn(rt_, [](filch::mutex& m, std::atomic<bool>& begins) -> filch::task<> {
    begins = true;
    const auto lock = co_await m.async_lock();
  }(m_, has_begun));
  let_wait(has_begun);
  rt_.run([&] { EXPECT_EQ(overtakes_of(m_), 0u); });
  waiter.get();
}

// Property: the waiter was called and has not run when it is told to stop. The next in line gets the lock.
TEST_F(waiting_for_a_mutex, a_stop_reaches_a_waiter_that_was_called) {
  for (const bool is_next_a_coroutine : {false, true}) {
    m_.lock();
    std::stop_source stop;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_next_begun{false};
    auto waiter = rt_.submit([&] {
      has_begun = true;
      EXPECT_THROW(m_.lock(stop.get_token()), filch::task_cancelled);
    });
    let_wait(has_begun);
    const auto plain = [&] {
      has_next_begun = true;
      const std::lock_guard lock{m_};
    };
    const auto coroutine = [&]() -> filch::task<> {
      has_next_begun = true;
      const auto lock = co_await m_.async_lock();
    };
    filch::future<void> next;
    std::optional<filch::join_handle<void>> next_coroutine;
    if (is_next_a_coroutine) next_coroutine = filch::spawn(rt_, coroutine());
    else next = rt_.submit(plain);
    let_wait(has_next_begun);
    rt_.run([&] {
      m_.unlock();
      stop.request_stop();
    });
    waiter.get();
    if (is_next_a_coroutine) next_coroutine->get();
    else next.get();
    EXPECT_TRUE(m_.try_lock());
    m_.unlock();
  }
}

TEST(mutex, try_lock_does_not_wait) {
  filch::mutex m;
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock());
  m.unlock();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

// Calls `join` so that the code after it resumes where the second function has run: on the other one of two workers.
// The first ends only when the other worker has taken the second; that ends only when the caller's worker has run a
// task, for which it has left the stack that waits.
void join_and_go_on_elsewhere(filch::runtime& rt) {
  std::atomic<bool> is_taken{false};
  std::atomic<bool> has_left{false};
  join([&] { EXPECT_TRUE(spin_until([&] { return is_taken.load(); })); },
       [&] {
         is_taken = true;
         rt.spawn([&] { has_left = true; });
         EXPECT_TRUE(spin_until([&] { return has_left.load(); }));
       });
}

TEST(thread_mutex, may_be_held_across_a_join_on_a_stack_that_stays) {
  filch::runtime rt{{.workers = 2}};
  rt.run([&] {
    for (int i = 0; i != 20; ++i) {
      const filch::stay_on_thread here;
      filch::thread_mutex m;
      const std::lock_guard lock{m};
      const auto before = thread_here();
      join_and_go_on_elsewhere(rt);
      EXPECT_EQ(thread_here(), before);
    }
  });
}

TEST(thread_mutex, a_join_goes_on_elsewhere_and_a_lock_that_belongs_to_no_thread_goes_with_it) {
  filch::runtime rt{{.workers = 2}};
  rt.run([&] {
    filch::mutex m;
    for (int i = 0; i != 20; ++i) {
      const std::lock_guard lock{m};
      const auto before = thread_here();
      join_and_go_on_elsewhere(rt);
      EXPECT_NE(thread_here(), before);
    }
  });
}

TEST(thread_mutex_death, a_lock_that_is_held_across_a_join_is_reported) {
  EXPECT_DEATH(
      {
        filch::runtime rt{{.workers = 2}};
        rt.run([&] {
          filch::thread_mutex m;
          const std::lock_guard lock{m};
          join_and_go_on_elsewhere(rt);
        });
      },
      "a thread_mutex that thread .* has locked is being unlocked by thread .*held across a join, a scope or a "
      "co_await.*Use "
      "filch::mutex");
}

TEST(thread_mutex_death, an_unlock_by_another_thread_is_reported) {
  EXPECT_DEATH(
      {
        filch::thread_mutex m;
        m.lock();
        std::thread{[&] { m.unlock(); }}.join();
      },
      "held across a join, a scope or a co_await.*Use filch::mutex");
}

filch::task<> hold_across_a_move(filch::thread_mutex& m) {
  co_await filch::on(filch::worker_id{0});
  const std::lock_guard lock{m};
  co_await filch::on(filch::worker_id{1});
}

TEST(thread_mutex_death, a_lock_that_is_held_across_a_co_await_is_reported_where_the_coroutine_goes_on_elsewhere) {
  EXPECT_DEATH(
      {
        filch::runtime rt{{.workers = 2}};
        filch::thread_mutex m;
        rt.run(hold_across_a_move(m));
      },
      "a thread_mutex that thread .* has locked is being unlocked by thread .*a co_await.*Use filch::mutex");
}

filch::task<> hold_across_a_yield(filch::thread_mutex& m) {
  const std::lock_guard lock{m};
  co_await filch::yield();
}

filch::task<> two_of_them(filch::thread_mutex& m) {
  co_await filch::all(hold_across_a_yield(m), hold_across_a_yield(m));
}

// A std::mutex would never return here: the only worker waits for a coroutine that lies in its own queue.
TEST(thread_mutex_death, a_coroutine_that_locks_what_another_one_of_its_thread_holds_is_reported) {
  EXPECT_DEATH(
      {
        filch::runtime rt{{.workers = 1}};
        filch::thread_mutex m;
        rt.run(two_of_them(m));
      },
      "a thread_mutex is being locked by thread .*, which holds it already.*a co_await.*Use filch::mutex");
}

TEST(thread_mutex, try_lock_of_its_own_holder_gets_nothing) {
  filch::thread_mutex m;
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock());
  m.unlock();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

filch::task<> hold_until(std::mutex& m, filch::manual_event& is_held, filch::manual_event& go_on) {
  co_await filch::on(filch::worker_id{0});
  m.lock();
  is_held.set();
  co_await go_on.async_wait();
  m.unlock();  // on the same thread: the other worker is blocked
}

filch::task<> lock_elsewhere(std::mutex& m, filch::manual_event& is_held) {
  co_await is_held.async_wait();
  co_await filch::on(filch::worker_id{1});
  const std::lock_guard lock{m};
}

// Nothing refuses to compile a std::mutex that is held across a co_await; the watchdog names the worker that waits.
TEST(watchdog, a_worker_that_waits_for_a_mutex_held_across_a_co_await_is_reported) {
  std::atomic<bool> is_told{false};
  filch::options with{.workers = 2, .watchdog_ns = 5 * filch::k_ns_per_ms};
  with.on_report = [&](std::string_view text) {
    if (text.find("has held worker 1") != std::string_view::npos) is_told = true;
  };
  filch::runtime rt{with};
  std::mutex m;
  filch::manual_event is_held;
  filch::manual_event go_on;
  auto holder = filch::spawn(rt, hold_until(m, is_held, go_on));
  auto waiter = filch::spawn(rt, lock_elsewhere(m, is_held));
  EXPECT_TRUE(spin_until([&] { return is_told.load(); }));
  go_on.set();
  holder.get();
  waiter.get();
}

}  // namespace
