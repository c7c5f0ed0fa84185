// Heartbeat scheduling: a timer raises a flag of each worker every 100 µs; the next fork that sees it shows the oldest
// job. So there is at most one public job per beat, whatever a fork is worth.
#pragma once

#include "private_jobs.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace filch_bench::forks {

struct heartbeat {
  // One timer for both.
  class company {
   public:
    company(heartbeat& first, heartbeat& second) : workers_{&first, &second} {
      timer_ = std::thread{[this] {
        auto at = std::chrono::steady_clock::now();
        while (!is_over_.load(std::memory_order_relaxed)) {  // statistic
          std::this_thread::sleep_until(at += k_beat);
          for (heartbeat* each : workers_) each->beats.store(true, std::memory_order_relaxed);  // statistic
        }
      }};
    }
    company(const company&) = delete;
    company& operator=(const company&) = delete;
    ~company() {
      is_over_.store(true, std::memory_order_relaxed);  // statistic
      timer_.join();
    }

   private:
    static constexpr std::chrono::microseconds k_beat{100};

    std::array<heartbeat*, 2> workers_;
    std::atomic<bool> is_over_{false};
    std::thread timer_;
  };

  void push(job& child) {
    (void)jobs.add(child);
    // Statistic: a beat that is seen late is answered late.
    if (jobs.is_full() || beats.load(std::memory_order_relaxed)) [[unlikely]]
      answer();
  }
  [[nodiscard]] bool pop() { return jobs.remove(); }
  [[nodiscard]] job* steal() { return jobs.shows_some() ? jobs.steal() : nullptr; }

  [[gnu::noinline, gnu::cold]] void answer() {
    jobs.show(jobs.shows_some() ? 0 : 1);
    beats.store(false, std::memory_order_relaxed);  // statistic
  }

  std::atomic<bool> beats{false};
  private_jobs jobs;
  heartbeat* other = nullptr;
};

}  // namespace filch_bench::forks
