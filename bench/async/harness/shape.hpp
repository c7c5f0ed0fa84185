// What the shapes in C++ have in common.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <semaphore>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../../workloads/harness/program.hpp"

namespace filch::bench {

// Counts tasks down; the last one tells the main thread.
class countdown {
 public:
  explicit countdown(std::uint64_t tasks) : left_{tasks} {}

  void finish_one() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_.release();
  }
  // So many operations were done by a task that ends.
  void finish(std::uint64_t operations) {
    sum_.fetch_add(operations, std::memory_order_relaxed);
    finish_one();
  }
  // On the main thread: the sum of the operations, when all have ended.
  std::uint64_t wait() {
    done_.acquire();
    return sum_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> left_;
  std::atomic<std::uint64_t> sum_{0};
  std::binary_semaphore done_{0};
};

// `run(size)` is called on the main thread and returns the checksum.
template <class Run>
workload shape(std::string_view name, Run run) {
  return {.name = name,
          .make =
              [run](std::uint64_t size) {
                const auto result = std::make_shared<std::uint64_t>();
                return measured{.run = [=] { *result = run(size); }, .checksum = [=] { return *result; }};
              },
          .is_inside = false};
}

inline std::uint64_t resident_bytes() {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  std::ifstream{"/proc/self/statm"} >> all >> resident;
  return resident * 4096;
}

// How long each of so many tasks sleeps: long enough for all to be asleep before the first wakes.
inline std::chrono::microseconds sleep_of(std::uint64_t tasks) {
  return std::chrono::microseconds{std::max<std::uint64_t>(20'000, 3 * tasks)};
}

// `start(asleep, span, awake)` starts a task that counts itself in `asleep`, sleeps for so long and finishes one of
// `awake`.
template <class Start>
workload sleepers_shape(Start start) {
  struct state {
    std::uint64_t before = resident_bytes();
    std::uint64_t bytes = 0;
    std::uint64_t woken = 0;
  };
  return {.name = "sleepers",
          .make =
              [start](std::uint64_t size) {
                const auto all = std::make_shared<state>();
                return measured{.run =
                                    [=] {
                                      countdown awake{size};
                                      std::atomic<std::uint64_t> asleep{0};
                                      for (std::uint64_t i = 0; i != size; ++i) start(asleep, sleep_of(size), awake);
                                      while (asleep.load(std::memory_order_relaxed) != size) {
                                        std::this_thread::sleep_for(std::chrono::milliseconds{1});
                                      }
                                      all->bytes = resident_bytes() - all->before;
                                      all->woken = awake.wait();
                                    },
                                .checksum = [=] { return all->woken; },
                                .bytes = [=] { return all->bytes; }};
              },
          .is_inside = false};
}

// How late tasks start that come from outside while all workers sleep. `start(f)` has f called on a worker.
template <class Start>
workload wake_shape(std::string_view name, double share, Start start) {
  using clock = std::chrono::steady_clock;
  return {.name = name,
          .make =
              [=](std::uint64_t size) {
                const auto late = std::make_shared<std::vector<std::uint64_t>>(size);
                return measured{.run =
                                    [=] {
                                      for (std::uint64_t& each : *late) {
                                        std::this_thread::sleep_for(std::chrono::microseconds{500});
                                        std::binary_semaphore has_started{0};
                                        const auto before = clock::now();
                                        start([&] {
                                          each = static_cast<std::uint64_t>((clock::now() - before).count());
                                          has_started.release();
                                        });
                                        has_started.acquire();
                                      }
                                      std::ranges::sort(*late);
                                    },
                                .checksum = [=] { return late->size(); },
                                .own_ns =
                                    [=] {
                                      const double place = share * static_cast<double>(late->size() - 1);
                                      return (*late)[static_cast<std::size_t>(place)] * late->size();
                                    }};
              },
          .is_inside = false};
}

inline constexpr std::uint64_t k_yielding_tasks = 200;
inline constexpr std::uint64_t k_tasks = 8;  // of mutex and timer_churn
inline constexpr std::size_t k_capacity = 64;
inline constexpr std::uint64_t k_senders = 4;

}  // namespace filch::bench
