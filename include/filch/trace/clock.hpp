// Where a recorder's timestamps come from: the monotonic clock, or the processor's time-stamp counter, which is cheaper
// to read (the measurement is in docs/architecture/trace.md).
//
// A recorder stores raw ticks. Ticks become nanoseconds when a session collects them: a straight line through two
// moments at which both clocks were read, so that the error is that of these two readings, however long the run was.
#pragma once

#include <filch/base/units.hpp>

#include <cstdint>
#include <string>

namespace filch::inline v0::trace {

enum class clock_source : std::uint8_t { monotonic, tsc };

// The counter where the processor promises a constant rate and the kernel itself keeps time with it; the monotonic
// clock elsewhere. Asks the system once.
[[nodiscard]] clock_source best_clock_source() noexcept;

// Whether this build and processor have a counter at all.
[[nodiscard]] bool is_supported(clock_source source) noexcept;

// Now, in ticks of `source`. One tick of the monotonic clock is one nanosecond.
[[nodiscard]] inline std::int64_t now_ticks(clock_source source) noexcept {
#if defined(__x86_64__)
  if (source == clock_source::tsc) return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#endif
  static_cast<void>(source);
  return monotonic_now_ns();
}

// One moment read from both clocks.
struct clock_anchor {
  std::int64_t ticks = 0;
  time_ns monotonic_ns = 0;
};

// Reads both clocks several times and keeps the closest pair.
[[nodiscard]] clock_anchor take_anchor(clock_source source) noexcept;

// Turns ticks into nanoseconds since `first`.
class tick_line {
 public:
  tick_line(clock_anchor first, clock_anchor last) noexcept;

  [[nodiscard]] time_ns since_first_ns(std::int64_t ticks) const noexcept;

  // "tsc at 2.450 GHz", "monotonic".
  [[nodiscard]] std::string describe(clock_source source) const;

 private:
  std::int64_t first_ticks_;
  std::int64_t span_ticks_;
  std::int64_t span_ns_;
};

}  // namespace filch::inline v0::trace
