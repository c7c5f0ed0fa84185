// Serial code several times at once, each on a thread of its own and with data of its own: what the machine gives at
// best.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "program.hpp"

namespace filch::bench {

class copies {
 public:
  copies(const workload& what, std::uint64_t size, unsigned count) : gate_{static_cast<std::ptrdiff_t>(count)} {
    for (unsigned i = 0; i != count; ++i) all_.push_back({.job = what.make(size)});
    for (unsigned i = 1; i != count; ++i) {
      threads_.emplace_back([this, i] {
        while (true) {
          gate_.arrive_and_wait();
          if (is_over_.load(std::memory_order_relaxed)) return;  // ordered by the barrier
          run(all_[i]);
          gate_.arrive_and_wait();
        }
      });
    }
  }
  copies(const copies&) = delete;
  copies& operator=(const copies&) = delete;
  ~copies() {
    is_over_.store(true, std::memory_order_relaxed);  // ordered by the barrier
    gate_.arrive_and_wait();
    for (std::thread& each : threads_) each.join();
  }

  void prepare() {
    for (const copy& each : all_) {
      if (each.job.prepare) each.job.prepare();
    }
  }
  void run_all() {
    gate_.arrive_and_wait();
    run(all_[0]);
    gate_.arrive_and_wait();
  }
  // The time of one at the speed that all had together, as if they had shared its work without loss.
  [[nodiscard]] std::uint64_t shared_ns() const {
    double speed = 0;
    for (const copy& each : all_) speed += 1 / each.took_ns;
    return static_cast<std::uint64_t>(1 / speed);
  }
  // 0: they do not agree.
  [[nodiscard]] std::uint64_t checksum() const {
    const std::uint64_t first = all_[0].job.checksum();
    for (const copy& each : all_) {
      if (each.job.checksum() != first) return 0;
    }
    return first;
  }

 private:
  struct alignas(128) copy {
    measured job;
    double took_ns = 1;
  };

  // An exception ends the program: the others would wait for this one.
  static void run(copy& of) noexcept {
    const auto began = std::chrono::steady_clock::now();
    of.job.run();
    of.took_ns =
        std::max(1.0, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count());
  }

  std::vector<copy> all_;
  std::barrier<> gate_;
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

}  // namespace filch::bench
