// interval: periodic ticks.
//
//   filch::interval ticks{10ms};
//   for (;;) {
//     co_await ticks.next();                      filch::wait(ticks.next()) in a plain function
//     …
//   }
//
// The first tick comes one period after the construction. Ticks lie on a grid: a late tick does not delay the later
// ones. `missed_ticks` selects what happens to ticks whose time passes while no caller waits for them.
//
// Who may call what: one task or thread at a time.
#pragma once

#include <filch/base/units.hpp>
#include <filch/time/sleep.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace filch::inline v0 {

// What happens to ticks whose time has passed.
enum class missed_ticks : std::uint8_t {
  skip,   // they are dropped; the next tick is the next of the grid
  burst,  // they are delivered at once, one after the other, until none is left
  delay,  // one tick is delivered at once, and the grid restarts there
};

class interval {
 public:
  // Throws std::invalid_argument for a period that is not positive.
  template <class Rep, class Period>
  explicit interval(std::chrono::duration<Rep, Period> period, missed_ticks missed = missed_ticks::skip)
      : period_ns_{whole(std::chrono::duration<double, std::nano>{period}.count())},
        missed_{missed},
        last_ns_{monotonic_now_ns()} {}

  // Returns the sleep until the next tick, to be awaited or waited for.
  [[nodiscard]] time::sleep next() { return next_from(monotonic_now_ns()); }

  // The same with the current time as an argument.
  [[nodiscard]] time::sleep next_from(time_ns now_ns) {
    time_ns next_ns = 0;
    if (__builtin_add_overflow(last_ns_, period_ns_, &next_ns)) next_ns = k_never_ns;
    if (next_ns < now_ns) {
      switch (missed_) {
        case missed_ticks::skip:
          next_ns = now_ns + (period_ns_ - 1 - (now_ns - next_ns - 1) % period_ns_);
          break;
        case missed_ticks::burst:
          break;
        case missed_ticks::delay:
          next_ns = now_ns;
          break;
      }
    }
    last_ns_ = next_ns;
    return time::sleep{next_ns};
  }

 private:
  static time_ns whole(double period_ns) {
    if (!(period_ns > 0)) {
      throw std::invalid_argument("filch: interval of " + std::to_string(period_ns) +
                                  " ns: allowed is a positive period");
    }
    if (period_ns > static_cast<double>(k_never_ns / 2)) return k_never_ns / 2;
    return std::max<time_ns>(static_cast<time_ns>(period_ns), 1);
  }

  time_ns period_ns_;
  missed_ticks missed_;
  time_ns last_ns_;  // the previous tick
};

}  // namespace filch::inline v0
