// Semaphores, reader-writer locks, conditions and once, between coroutines, stacks and threads.
#include <support/stress.hpp>

#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/sync/condition.hpp>
#include <filch/sync/mutex.hpp>
#include <filch/sync/once.hpp>
#include <filch/sync/semaphore.hpp>
#include <filch/sync/shared_mutex.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using filch::task;
using filch_test::scaled;

// Runs the same turns in coroutines, on stacks and in threads at the same time, and waits for all.
template <class Coroutine, class Function>
void in_all_ways(filch::runtime& rt, int of_each, Coroutine coroutine, Function function) {
  std::vector<filch::join_handle<void>> handles;
  std::vector<filch::future<void>> tasks;
  std::vector<std::thread> threads;
  for (int i = 0; i != of_each; ++i) {
    handles.push_back(filch::spawn(rt, coroutine()));
    tasks.push_back(rt.submit(function));
    threads.emplace_back(function);
  }
  for (auto& each : handles) each.get();
  for (auto& each : tasks) each.get();
  for (auto& each : threads) each.join();
}

class locks : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{{.workers = GetParam()}};
};

TEST_P(locks, a_mutex_excludes_coroutines_stacks_and_threads) {
  filch::mutex m;
  long count = 0;
  const int turns = static_cast<int>(scaled(1000));
  in_all_ways(
      rt_, 3,
      [&]() -> task<> {
        for (int i = 0; i != turns; ++i) {
          const auto lock = co_await m.async_lock();
          ++count;
          if (i % 64 == 0) co_await filch::yield();  // held across a suspension
        }
      },
      [&] {
        for (int i = 0; i != turns; ++i) {
          const std::lock_guard lock{m};
          ++count;
        }
      });
  EXPECT_EQ(count, 9L * turns);
}

TEST_P(locks, a_semaphore_lets_in_as_many_as_it_has_permits) {
  filch::semaphore places{3};
  std::atomic<int> inside{0};
  const int turns = static_cast<int>(scaled(600));
  const auto visit = [&](int weight) {
    EXPECT_LE(inside += weight, 3);
    inside -= weight;
  };
  in_all_ways(
      rt_, 3,
      [&]() -> task<> {
        for (int i = 0; i != turns; ++i) {
          co_await places.async_acquire(2);
          visit(2);
          places.release(2);
        }
      },
      [&] {
        for (int i = 0; i != turns; ++i) {
          places.acquire();
          visit(1);
          places.release();
        }
      });
  EXPECT_EQ(places.available(), 3u);
}

TEST_P(locks, a_writer_is_alone_and_readers_are_not) {
  filch::shared_mutex m;
  long a = 0;
  long b = 0;
  const int turns = static_cast<int>(scaled(600));
  in_all_ways(
      rt_, 3,
      [&]() -> task<> {
        for (int i = 0; i != turns; ++i) {
          if (i % 4 == 0) {
            const auto lock = co_await m.async_lock();
            ++a, ++b;
          } else {
            const auto lock = co_await m.async_lock_shared();
            EXPECT_EQ(a, b);
          }
        }
      },
      [&] {
        for (int i = 0; i != turns; ++i) {
          if (i % 4 == 0) {
            const std::unique_lock lock{m};
            ++a, ++b;
          } else {
            const std::shared_lock lock{m};
            EXPECT_EQ(a, b);
          }
        }
      });
  EXPECT_EQ(a, 9L * ((turns + 3) / 4));
  EXPECT_EQ(a, b);
}

// Property: a bounded buffer made of a mutex and two conditions loses nothing. All ways of waiting take part on both
// sides.
TEST_P(locks, conditions_carry_a_bounded_buffer) {
  filch::mutex m;
  filch::condition not_empty;
  filch::condition not_full;
  std::vector<int> buffer;
  long put = 0;
  long taken = 0;
  const int turns = 2 * static_cast<int>(scaled(150));  // each takes as many as it puts
  in_all_ways(
      rt_, 2,
      [&]() -> task<> {
        for (int i = 0; i != turns; ++i) {
          auto lock = co_await m.async_lock();
          if (i % 2 == 0) {
            while (buffer.size() == 3) co_await not_full.async_wait(lock);
            buffer.push_back(i), ++put;
            not_empty.notify_one();
          } else {
            while (buffer.empty()) co_await not_empty.async_wait(lock);
            buffer.pop_back(), ++taken;
            not_full.notify_one();
          }
        }
      },
      [&] {
        for (int i = 0; i != turns; ++i) {
          std::unique_lock lock{m};
          if (i % 2 == 0) {
            not_full.wait(lock, [&] { return buffer.size() != 3; });
            buffer.push_back(i), ++put;
            not_empty.notify_all();
          } else {
            not_empty.wait(lock, [&] { return !buffer.empty(); });
            buffer.pop_back(), ++taken;
            not_full.notify_all();
          }
        }
      });
  EXPECT_EQ(put, taken);
  EXPECT_TRUE(buffer.empty());
}

TEST_P(locks, once_is_once) {
  for (int round = 0; round != 20; ++round) {
    filch::once o;
    int done = 0;
    int failures = 2;
    std::atomic<int> thrown{0};
    const auto work = [&] {
      if (failures-- > 0) throw std::runtime_error{"on purpose"};
      ++done;
    };
    in_all_ways(
        rt_, 3,
        [&]() -> task<> {
          try {
            co_await o.async_call([&]() -> task<> {
              co_await filch::yield();
              work();
            });
            EXPECT_EQ(done, 1);
          } catch (const std::runtime_error&) {
            ++thrown;
          }
        },
        [&] {
          try {
            o.call(work);
            EXPECT_EQ(done, 1);
          } catch (const std::runtime_error&) {
            ++thrown;
          }
        });
    EXPECT_TRUE(o.is_done());
    EXPECT_EQ(done, 1);
    EXPECT_EQ(thrown, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(workers, locks, testing::Values(1, 2, 4));

TEST(shared_mutex, a_reader_behind_a_waiting_writer_waits_and_goes_on_when_the_writer_gives_up) {
  filch::shared_mutex m;
  m.lock_shared();
  std::stop_source stop;
  std::atomic<bool> begins{false};
  std::thread writer{[&] {
    begins = true;
    EXPECT_THROW(m.lock(stop.get_token()), filch::task_cancelled);
  }};
  while (!begins) std::this_thread::yield();
  while (m.try_lock_shared()) {  // until the writer is in line
    m.unlock_shared();
    std::this_thread::yield();
  }
  std::thread reader{[&] { const std::shared_lock lock{m}; }};
  stop.request_stop();
  reader.join();
  writer.join();
  m.unlock_shared();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

TEST(semaphore, who_wants_much_is_not_overtaken) {
  filch::runtime rt{{.workers = 1}};
  filch::semaphore s{1};
  std::vector<int> order;
  const auto take = [](filch::semaphore& of, std::uint64_t count, std::vector<int>& into, int name,
                       int& begun) -> task<> {
    ++begun;
    co_await of.async_acquire(count);
    into.push_back(name);
    of.release(count);
  };
  const auto both = [&]() -> task<> {
    int begun = 0;
    auto much = filch::spawn(take(s, 2, order, 1, begun));
    while (begun != 1) co_await filch::yield();
    auto little = filch::spawn(take(s, 1, order, 2, begun));
    while (begun != 2) co_await filch::yield();
    EXPECT_FALSE(s.try_acquire());
    s.release();
    co_await std::move(much);
    co_await std::move(little);
  };
  rt.run(both());
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_EQ(s.available(), 2u);
}

TEST(mutex, a_stop_ends_the_wait_for_it) {
  filch::mutex m;
  m.lock();
  std::stop_source stop;
  std::thread other{[&] { EXPECT_THROW(m.lock(stop.get_token()), filch::task_cancelled); }};
  stop.request_stop();
  other.join();
  m.unlock();
  m.lock(stop.get_token());  // does not wait
  m.unlock();
}

TEST(condition, a_stop_ends_the_wait_with_the_lock_held) {
  filch::runtime rt{{.workers = 2}};
  filch::mutex m;
  filch::condition never;
  std::stop_source stop;
  int inside = 0;
  std::vector<filch::future<void>> tasks;
  for (int i = 0; i != 4; ++i) {
    tasks.push_back(rt.submit([&] {
      std::unique_lock lock{m};
      EXPECT_THROW(never.wait(lock, stop.get_token()), filch::task_cancelled);
      ++inside;
    }));
  }
  stop.request_stop();
  for (auto& each : tasks) each.get();
  EXPECT_EQ(inside, 4);
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

}  // namespace
