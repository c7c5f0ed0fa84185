// What the benchmarks with several threads share: threads on chosen CPUs that begin together and end at a signal, and
// the measured stretch of real time.
//
// With fewer CPUs than threads, threads share CPUs by the rule of `team::start`; every implementation is treated alike.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace filch_bench {

using clock = std::chrono::steady_clock;

inline double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

// How long a benchmark with a fixed real time runs: FILCH_BENCH_RUN_MS, or 100 ms.
[[nodiscard]] double run_time_s();

// The CPUs this process may use, counted from 0.
[[nodiscard]] std::uint32_t usable_cpu_count();

// Binds the calling thread to the n-th usable CPU while it lives.
class pinned_to {
 public:
  explicit pinned_to(std::uint32_t cpu);
  pinned_to(const pinned_to&) = delete;
  pinned_to& operator=(const pinned_to&) = delete;
  ~pinned_to();

 private:
  std::vector<unsigned char> before_;
};

// The caller and its helpers. The caller is on CPU 0.
class team {
 public:
  team() : pin_{0} {}
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  ~team() { stop(); }

  // A helper on CPU `cpu`, modulo their number. `work` begins when `go` is called and should end soon after
  // `is_stopped`.
  void start(std::uint32_t cpu, std::function<void()> work);

  // Waits until all helpers stand ready and lets them begin.
  void go();

  // Tells all helpers to end and waits for them.
  void stop();
  void tell_stop();

  // Waits for helpers that end by themselves.
  void join();

  [[nodiscard]] bool is_stopped() const {
    return stopped_.load(std::memory_order_relaxed);  // statistic
  }

 private:
  pinned_to pin_;
  std::vector<std::thread> helpers_;
  std::atomic<std::uint32_t> ready_{0};
  std::atomic<bool> started_{false};
  // Helpers read it all the time, and a team lives on its caller's stack: alone on its lines, so that helpers do not
  // slow down the caller's local variables. The alignment also fills the type up behind it.
  alignas(128) std::atomic<bool> stopped_{false};
};

}  // namespace filch_bench
