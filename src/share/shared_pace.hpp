// Values of policy/demand.hpp that several threads read and write. What they return is a hint, and a note that gets
// lost beside another costs nothing but that note: so all here is a statistic.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>
#include <filch/policy/demand.hpp>

#include <cstdint>

namespace filch::inline v0 {

class shared_throttle {
 public:
  [[nodiscard]] policy::wake_throttle value() const {
    return {streak_.load(std::memory_order_relaxed), not_before_ns_.load(std::memory_order_relaxed)};  // statistic
  }
  // A child that was offered is over, or was taken back, after so long.
  void note(time_ns lasted_ns, time_ns now_ns, const policy::demand& rules) {
    const policy::wake_throttle before = value();
    if (before.streak() == 0 && !rules.is_tiny(lasted_ns)) return;  // nothing to be written
    const policy::wake_throttle after = before.after(lasted_ns, now_ns, rules);
    streak_.store(after.streak(), std::memory_order_relaxed);                // statistic
    not_before_ns_.store(after.not_before_ns(), std::memory_order_relaxed);  // statistic
  }

 private:
  std_atomics::atomic<std::uint32_t> streak_{0};
  std_atomics::atomic<time_ns> not_before_ns_{0};
};

class shared_visit_pace {
 public:
  [[nodiscard]] bool may_begin(time_ns now_ns) const { return value().may_begin(now_ns); }
  void end(bool has_found, time_ns now_ns, const policy::demand& rules) {
    set(value().after(has_found, now_ns, rules));
  }
  // Something was offered, or there is nothing to be had: the next visit may come at once.
  void reset() {
    if (pause_ns_.load(std::memory_order_relaxed) != 0) set({});  // statistic
  }

 private:
  [[nodiscard]] policy::visit_pace value() const {
    return {pause_ns_.load(std::memory_order_relaxed), not_before_ns_.load(std::memory_order_relaxed)};  // statistic
  }
  void set(const policy::visit_pace& now) {
    pause_ns_.store(now.pause_ns(), std::memory_order_relaxed);            // statistic
    not_before_ns_.store(now.not_before_ns(), std::memory_order_relaxed);  // statistic
  }

  std_atomics::atomic<time_ns> pause_ns_{0};
  std_atomics::atomic<time_ns> not_before_ns_{0};
};

}  // namespace filch::inline v0
