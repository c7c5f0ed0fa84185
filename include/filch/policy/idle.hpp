// How long a worker that finds nothing keeps looking before it parks, and how long it waits between looks.
//
// One cycle is: own queues, then `attempts_per_cycle` victims. After a cycle that found nothing the worker waits, and
// after `cycles` such cycles it parks. So there are cycles − 1 waits: initial, initial·factor, initial·factor², …,
// none longer than the cap. In a cycle after the first the worker looks at its inbox, the injector and the victims.
//
// Stolen work comes in waves: one parallel loop follows the other. So a worker that has stolen since it parked the last
// time lingers when it parks: everybody takes it for asleep, but for `linger_ns` it does not sleep and hears at once
// when it is chosen.
#pragma once

#include <filch/base/units.hpp>
#include <filch/policy/names.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace filch::inline v0::policy {

struct idle {
  // As `cycles`: never park.
  static constexpr std::uint32_t k_forever = UINT32_MAX;

  std::uint32_t attempts_per_cycle = 0;  // 0: one sweep over all others
  time_ns initial_ns = 0;
  double factor = 1.0;
  time_ns cap_ns = 0;
  std::uint32_t cycles = 1;
  time_ns linger_ns = 0;

  static const idle eco;       // one sweep, no waiting, park
  static const idle balanced;  // two sweeps with 0.5 µs between them; lingers for 50 µs
  static const idle latency;   // thirty sweeps with 207.5 µs of waits between them, none longer than 8 µs

  // Looks again every `every_ns` and never parks.
  [[nodiscard]] static constexpr idle poll(time_ns every_ns) {
    return {.initial_ns = every_ns, .factor = 1.0, .cap_ns = every_ns, .cycles = k_forever};
  }

  friend constexpr bool operator==(const idle&, const idle&) = default;
};

// balanced looks only as long as it costs little: a worker that looks counts as searching, so nobody is woken beside
// it, and on a shared machine it may lose its CPU meanwhile (docs/decisions/0008-how-long-to-look.md has the
// measurements). latency is for CPUs that are the program's own; its lengths are guesses.
inline constexpr idle idle::eco{};
inline constexpr idle idle::balanced{.initial_ns = k_ns_per_us / 2,
                                     .factor = 2.0,
                                     .cap_ns = 1 * k_ns_per_us,
                                     .cycles = 2,
                                     .linger_ns = 50 * k_ns_per_us};
inline constexpr idle idle::latency{
    .initial_ns = k_ns_per_us / 2, .factor = 2.0, .cap_ns = 8 * k_ns_per_us, .cycles = 30};

// The growing waits of one search.
class backoff {
 public:
  constexpr explicit backoff(const idle& options)
      : initial_{static_cast<double>(options.initial_ns)},
        factor_{options.factor},
        cap_{static_cast<double>(options.cap_ns)},
        next_{initial_} {}

  constexpr void reset() { next_ = initial_; }

  // The k-th call after a reset (from 0) gives min(initial·factor^k, cap), rounded down to whole nanoseconds.
  constexpr time_ns next() {
    const double now = (std::min)(next_, cap_);
    next_ = now * factor_;
    return static_cast<time_ns>(now);
  }

 private:
  double initial_;
  double factor_;
  double cap_;
  double next_;  // kept unrounded: a factor of 1.5 stays exact
};

// All waits of one search that ends in parking; k_never_ns for one that never parks.
[[nodiscard]] time_ns total_wait_ns(const idle& options);

template <>
struct names<idle> {
  static constexpr std::string_view option = "idle";
  static constexpr std::array<std::string_view, 3> all{"eco", "balanced", "latency"};
};

// The preset's name, or its fields as "attempts=0,initial=1us,factor=2,cap=16us,cycles=7,linger=50us", which parse()
// reads. Fields left out are those of balanced, but for linger, which is 0 then; cycles may be "forever"; times end in
// ns, us, ms or s.
[[nodiscard]] std::string to_string(const idle& value);
template <>
[[nodiscard]] parsed<idle> parse<idle>(std::string_view text, std::string_view option);

}  // namespace filch::inline v0::policy
