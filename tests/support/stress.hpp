// What the stress tests share: how much to do, threads that start together, and a watchdog that turns a hang into a
// message.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FILCH_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FILCH_TEST_SANITIZED 1
#endif
#endif

namespace filch_test {

// `count` operations, or a quarter of them under a sanitizer or an emulator.
constexpr std::uint64_t scaled(std::uint64_t count) {
#if defined(FILCH_TEST_SANITIZED) || defined(FILCH_TEST_EMULATED)
  return count / 4;
#else
  return count;
#endif
}

// How far a stress test goes: so many steps, or fewer where they take longer than `k_limit`. Threads that need each
// other at every step, and give their CPU away meanwhile, took a hundred times as long on a machine that built
// something.
class effort {
 public:
  explicit effort(std::uint64_t steps) : steps_{steps}, end_{std::chrono::steady_clock::now() + k_limit} {}
  [[nodiscard]] bool goes_on(std::uint64_t done) const {
    return done != steps_ && (done % 64 != 0 || std::chrono::steady_clock::now() < end_);
  }

 private:
  static constexpr auto k_limit = std::chrono::seconds{20};

  std::uint64_t steps_;
  std::chrono::steady_clock::time_point end_;
};

// Aborts with a message when `progress` has not changed for a minute: a hang becomes a failure that can be read. It is
// no assertion on time: no machine that runs at all takes a minute for one step.
class watchdog {
 public:
  using describe = std::function<std::string()>;

  watchdog(const char* test, const std::atomic<std::uint64_t>& progress, describe state)
      : test_{test}, progress_{progress}, state_{std::move(state)}, thread_{[this] { watch(); }} {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      std::lock_guard guard{mutex_};
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  static constexpr auto k_patience = std::chrono::seconds{60};

  void watch() {
    std::unique_lock guard{mutex_};
    while (true) {
      const std::uint64_t before = progress_.load(std::memory_order_relaxed);  // statistic
      if (changed_.wait_for(guard, k_patience, [this] { return done_; })) return;
      if (progress_.load(std::memory_order_relaxed) != before) continue;  // statistic
      std::fprintf(
          stderr,
          "watchdog: %s has made no progress for 60 s at step %llu: a lost wake-up, a lost item or a deadlock\n%s\n",
          test_, static_cast<unsigned long long>(before), state_().c_str());
      std::fflush(nullptr);
      std::abort();
    }
  }

  const char* test_;
  const std::atomic<std::uint64_t>& progress_;
  describe state_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

// Runs `body(0)` … `body(count - 1)`, each on a thread of its own, all from the same moment on.
template <class Body>
void run_threads(std::size_t count, const Body& body) {
  std::latch start{static_cast<std::ptrdiff_t>(count)};
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i != count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace filch_test
