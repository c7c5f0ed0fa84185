#include <filch/trace/clock.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdio>
#include <fstream>

namespace filch::inline v0::trace {
namespace {

#if defined(__x86_64__)
// The counter runs at one rate in all power states (CPUID 8000_0007h, EDX bit 8).
bool has_invariant_tsc() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}
#endif

// The kernel gives the counter up when it finds it unsteady or different between processors.
bool kernel_keeps_time_with_tsc() {
  std::ifstream file{"/sys/devices/system/clocksource/clocksource0/current_clocksource"};
  std::string name;
  return static_cast<bool>(file >> name) && name == "tsc";
}

}  // namespace

bool is_supported(clock_source source) noexcept {
#if defined(__x86_64__)
  return source == clock_source::monotonic || has_invariant_tsc();
#else
  return source == clock_source::monotonic;
#endif
}

clock_source best_clock_source() noexcept {
  static const bool use_tsc = is_supported(clock_source::tsc) && kernel_keeps_time_with_tsc();
  return use_tsc ? clock_source::tsc : clock_source::monotonic;
}

clock_anchor take_anchor(clock_source source) noexcept {
  if (source == clock_source::monotonic) {
    const time_ns now_ns = monotonic_now_ns();
    return {now_ns, now_ns};
  }
  clock_anchor best;
  std::int64_t best_width_ticks = INT64_MAX;
  for (int i = 0; i != 8; ++i) {
    const std::int64_t before = now_ticks(source);
    const time_ns now_ns = monotonic_now_ns();
    const std::int64_t width_ticks = now_ticks(source) - before;
    if (width_ticks < best_width_ticks) {
      best_width_ticks = width_ticks;
      best = {before + width_ticks / 2, now_ns};
    }
  }
  return best;
}

tick_line::tick_line(clock_anchor first, clock_anchor last) noexcept
    : first_ticks_{first.ticks},
      span_ticks_{last.ticks - first.ticks},
      span_ns_{last.monotonic_ns - first.monotonic_ns} {
  if (span_ticks_ <= 0 || span_ns_ <= 0) span_ticks_ = span_ns_ = 1;  // one moment: any slope will do
}

time_ns tick_line::since_first_ns(std::int64_t ticks) const noexcept {
  __extension__ using wide = __int128;
  return static_cast<time_ns>(static_cast<wide>(ticks - first_ticks_) * span_ns_ / span_ticks_);
}

std::string tick_line::describe(clock_source source) const {
  if (source == clock_source::monotonic) return "monotonic";
  char text[64];
  std::snprintf(text, sizeof text, "tsc at %.3f GHz", static_cast<double>(span_ticks_) / static_cast<double>(span_ns_));
  return text;
}

}  // namespace filch::inline v0::trace
