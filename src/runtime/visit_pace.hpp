// How often a share point is visited: after a visit in vain nobody comes for a while, longer and longer.
//
// Who may call what: any thread. Two who visit at a time lose nothing: one of them finds the share point locked.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>

#include <algorithm>

namespace filch::inline v0 {

class visit_pace {
 public:
  [[nodiscard]] bool may_begin(time_ns now_ns) const {
    return now_ns >= not_before_ns_.load(std::memory_order_relaxed);  // hint
  }
  void end(bool has_found, time_ns now_ns) {
    constexpr time_ns k_shortest_ns = 20 * k_ns_per_us;  // guess: what a wake-up costs
    constexpr time_ns k_longest_ns = 10 * k_ns_per_ms;
    if (has_found) return forget();
    const time_ns before_ns = pause_ns_.load(std::memory_order_relaxed);  // hint
    const time_ns pause_ns = std::clamp(2 * before_ns, k_shortest_ns, k_longest_ns);
    pause_ns_.store(pause_ns, std::memory_order_relaxed);                // hint
    not_before_ns_.store(now_ns + pause_ns, std::memory_order_relaxed);  // hint
  }
  // Something was offered, or there is nothing to be had: the next one may come at once.
  void forget() {
    if (pause_ns_.load(std::memory_order_relaxed) == 0) return;  // hint
    pause_ns_.store(0, std::memory_order_relaxed);               // hint
    not_before_ns_.store(0, std::memory_order_relaxed);          // hint
  }

 private:
  std_atomics::atomic<time_ns> not_before_ns_{0};
  std_atomics::atomic<time_ns> pause_ns_{0};
};

}  // namespace filch::inline v0
