// A line on the terminal that says how far a long run is. Nothing is shown when standard error is no terminal, nor
// during the first half second.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <filch/base/units.hpp>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>

#include "text.hpp"

namespace filch::tool {

class progress {
 public:
  // `done` goes up to `total` while this object lives; `noun` is what is counted, and lives as long.
  progress(std::uint64_t total, const std::atomic<std::uint64_t>& done, std::string_view noun = "task") {
    if (::isatty(STDERR_FILENO) == 0) return;
    thread_ = std::jthread{[total, &done, noun](const std::stop_token& stop) { show(stop, total, done, noun); }};
  }

 private:
  static void show(const std::stop_token& stop, std::uint64_t total, const std::atomic<std::uint64_t>& done,
                   std::string_view noun) {
    using namespace std::chrono_literals;
    std::mutex mutex;
    std::condition_variable_any stopped;
    const time_ns began_ns = monotonic_now_ns();
    std::unique_lock lock{mutex};
    bool is_shown = false;
    for (auto span = 500ms; !stopped.wait_for(lock, stop, span, [&] { return stop.stop_requested(); }); span = 100ms) {
      const double seconds = static_cast<double>(monotonic_now_ns() - began_ns) / static_cast<double>(k_ns_per_s);
      const std::uint64_t now = done.load(std::memory_order_relaxed);  // statistic
      std::fprintf(stderr, "\r\033[K  %s of %s done after %s s", std::to_string(now).c_str(),
                   count_text(total, noun).c_str(), fixed(seconds, 1).c_str());
      is_shown = true;
    }
    if (is_shown) std::fputs("\r\033[K", stderr);
  }

  std::jthread thread_;
};

}  // namespace filch::tool
