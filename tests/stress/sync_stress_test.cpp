// Everything of sync at once: coroutines, stacks and threads wait for the same channels, semaphores and locks, and are
// told to stop at random moments.
//
// Properties: an item is received once or still there; a permit comes back; a lock is free in the end; nobody waits for
// ever. Oracles: sums, a plain counter under the lock, and that it ends. Method: the more often somebody waits the
// better, so channels are small and permits few; whoever is stopped starts again.
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sync/channel.hpp>
#include <filch/sync/mutex.hpp>
#include <filch/sync/semaphore.hpp>
#include <filch/sync/shared_mutex.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using filch::task;
using filch_test::scaled;

struct everything {
  explicit everything(std::size_t capacity) : ch{capacity} {}

  filch::channel<std::uint64_t> ch;
  filch::semaphore places{2};
  filch::mutex m;
  filch::shared_mutex table;
  std::uint64_t under_lock = 0;  // guarded by m
  std::uint64_t written = 0;     // guarded by table
  std::atomic<std::uint64_t> expected_under_lock{0};
  std::atomic<std::uint64_t> expected_written{0};
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> received{0};
  std::atomic<std::uint64_t> stopped{0};
  std::atomic<std::uint64_t> steps{0};

  void count_locked() { ++under_lock, ++expected_under_lock; }
  void count_written() { ++written, ++expected_written; }
  void count_received(const std::optional<std::uint64_t>& item) { received += item.value_or(0); }
};

// Gives a permit back, whatever happens.
struct held_permit {
  filch::semaphore& of;
  ~held_permit() { of.release(); }
};

task<> one_step(everything& all, std::uint64_t kind) {
  switch (kind % 6) {
    case 0: {
      const std::uint64_t item = kind;
      if (co_await all.ch.async_send(item)) all.sent += item;
      break;
    }
    case 1:
      all.count_received(co_await all.ch.async_receive());
      break;
    case 2: {
      co_await all.places.async_acquire();
      const held_permit permit{all.places};
      co_await filch::yield();
      break;
    }
    case 3: {
      const auto lock = co_await all.m.async_lock();
      all.count_locked();
      break;
    }
    case 4: {
      const auto lock = co_await all.table.async_lock();
      all.count_written();
      break;
    }
    default: {
      const auto lock = co_await all.table.async_lock_shared();
      EXPECT_EQ(all.written, all.expected_written);
      break;
    }
  }
}

void one_plain_step(everything& all, std::uint64_t kind, const std::stop_token& stop) {
  switch (kind % 6) {
    case 0:
      if (all.ch.send(kind, stop)) all.sent += kind;
      break;
    case 1:
      all.count_received(all.ch.receive(stop));
      break;
    case 2: {
      all.places.acquire(1, stop);
      const held_permit permit{all.places};
      break;
    }
    case 3: {
      all.m.lock(stop);
      const std::lock_guard lock{all.m, std::adopt_lock};
      all.count_locked();
      break;
    }
    case 4: {
      all.table.lock(stop);
      const std::unique_lock lock{all.table, std::adopt_lock};
      all.count_written();
      break;
    }
    default: {
      all.table.lock_shared(stop);
      const std::shared_lock lock{all.table, std::adopt_lock};
      EXPECT_EQ(all.written, all.expected_written);
      break;
    }
  }
}

// So many steps in turn, each a task of its own that somebody tells to stop now and then.
task<> coroutine_actor(everything& all, filch::random_stream random, std::uint64_t steps) {
  for (std::uint64_t i = 0; i != steps; ++i) {
    auto step = filch::spawn(one_step(all, random.below(1'000'000)));
    if (random.below(3) == 0) co_await filch::yield();
    if (random.below(2) == 0) step.cancel();
    ++all.steps;
    try {
      co_await std::move(step);
    } catch (const filch::task_cancelled&) {
      ++all.stopped;
    }
  }
}

// The one whose turn it is to be stopped; shared with the thread that stops.
struct stoppable {
  std::mutex mutex;
  std::stop_source source;  // guarded by mutex

  std::stop_token renew() {
    const std::lock_guard lock{mutex};
    source = std::stop_source{};
    return source.get_token();
  }
  void stop() {
    std::stop_source chosen;
    {
      const std::lock_guard lock{mutex};
      chosen = source;
    }
    chosen.request_stop();
  }
};

void plain_actor(everything& all, stoppable& self, filch::random_stream random, std::uint64_t steps) {
  for (std::uint64_t i = 0; i != steps; ++i) {
    ++all.steps;
    try {
      one_plain_step(all, random.below(1'000'000), self.renew());
    } catch (const filch::task_cancelled&) {
      ++all.stopped;
    }
  }
}

void mix(std::uint32_t workers, std::size_t capacity, std::uint64_t steps, const filch::idle& idle) {
  const filch::random_stream random = filch::random_stream{filch_test::test_seed()}.split(workers).split(capacity);
  everything all{capacity};
  const filch_test::watchdog dog{"sync", all.steps, [] { return std::string{}; }};
  {
    filch::runtime rt{{.workers = workers, .idle = idle}};
    stoppable plain[4];
    std::vector<filch::join_handle<void>> handles;
    std::vector<filch::future<void>> tasks;
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i != 4; ++i) {
      handles.push_back(filch::spawn(rt, coroutine_actor(all, random.split(i), steps)));
      const auto body = [&, i] { plain_actor(all, plain[i], random.split(100 + i), steps); };
      if (i % 2 == 0) tasks.push_back(rt.submit(body));
      else threads.emplace_back(body);
    }
    std::atomic<bool> is_over{false};
    // It stops plain waits, and sends and receives: so that a coroutine that nobody stops is not left alone at one end.
    std::thread stops{[&] {
      filch::random_stream which = random.split(1000);
      while (!is_over) {
        plain[which.below(4)].stop();
        std::this_thread::yield();
        if (which.below(2) == 0) (void)all.ch.try_send(0);  // changes no sum
        else all.count_received(all.ch.try_receive());
      }
    }};
    for (auto& each : handles) each.get();
    for (auto& each : tasks) each.get();
    for (auto& each : threads) each.join();
    is_over = true;
    stops.join();
  }
  all.ch.close();
  while (const auto left = all.ch.receive()) all.count_received(left);
  EXPECT_EQ(all.sent, all.received);
  EXPECT_EQ(all.places.available(), 2u);
  EXPECT_EQ(all.under_lock, all.expected_under_lock);
  EXPECT_TRUE(all.m.try_lock());
  all.m.unlock();
  EXPECT_TRUE(all.table.try_lock());
  all.table.unlock();
}

TEST(sync_mixture, counts_are_conserved_although_waits_are_stopped) {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, std::size_t{5}})
      mix(workers, capacity, scaled(400), filch::idle::balanced);
  }
}

// So a worker suspends its stack as soon as it finds a mutex held.
TEST(sync_mixture, counts_are_conserved_where_no_worker_waits_awake) {
  for (const std::uint32_t workers : {1u, 2u, 4u}) mix(workers, 1, scaled(400), filch::idle::eco);
}

}  // namespace
