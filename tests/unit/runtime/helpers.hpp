// What the tests of the runtime share.
#pragma once

#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace filch_runtime_test {

using trace_count = filch::trace::count;

// Opens once. Waiting blocks the thread, as a user's careless code would.
class gate {
 public:
  void open() {
    const std::lock_guard lock{mutex_};
    is_open_ = true;
    opened_.notify_all();
  }
  void wait() {
    std::unique_lock lock{mutex_};
    opened_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

// Waits until `condition` holds. A minute is no assertion on time: no machine that runs at all takes that long.
inline bool eventually(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{200});
  }
  return true;
}

// Keeps one worker busy until it is let go: everything submitted meanwhile lies in queues.
class occupied_worker {
 public:
  explicit occupied_worker(filch::runtime& of, filch::worker_id worker = filch::worker_id{0})
      : task_{of.submit_to(worker, [this] {
          started_.open();
          let_go_.wait();
        })} {
    started_.wait();
  }
  ~occupied_worker() {
    let_go();
    task_.wait();
  }
  void let_go() { let_go_.open(); }

 private:
  gate started_;
  gate let_go_;
  filch::future<void> task_;
};

// Counts its objects: what is made must be destroyed exactly once.
struct counted {
  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> made{0};

  counted() { count(); }
  counted(const counted&) { count(); }
  counted(counted&&) noexcept { count(); }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) = default;
  ~counted() { alive.fetch_sub(1, std::memory_order_relaxed); }  // statistic

 private:
  static void count() {
    alive.fetch_add(1, std::memory_order_relaxed);  // statistic
    made.fetch_add(1, std::memory_order_relaxed);   // statistic
  }
};

// The text of the exception of type E that `body` throws; a text that fails every test if it does not.
template <class E, class Body>
std::string thrown(Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string{"another exception: "} + error.what();
  }
  return "no exception";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Everything the runtime has done so far, when nothing is left to do.
inline filch::statistics books_of(filch::runtime& rt) {
  rt.wait_idle();
  return rt.statistics();
}

inline int fib(filch::runtime& rt, int n) {
  if (n < 2) return n;
  auto left = rt.submit([&rt, n] { return fib(rt, n - 1); });
  auto right = rt.submit([&rt, n] { return fib(rt, n - 2); });
  const int a = left.get();
  return a + right.get();
}

}  // namespace filch_runtime_test
