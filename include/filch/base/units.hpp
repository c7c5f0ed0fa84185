// Time as whole nanoseconds. Real and simulated time share the representation, so that a policy cannot tell them apart.
#pragma once

#include <cstdint>

namespace filch::inline v0 {

// A point in time or a span, in nanoseconds. Signed, so that differences need no cast; 292 years long.
using time_ns = std::int64_t;

inline constexpr time_ns k_ns_per_us = 1'000;
inline constexpr time_ns k_ns_per_ms = 1'000'000;
inline constexpr time_ns k_ns_per_s = 1'000'000'000;

// Later than every event: "no deadline".
inline constexpr time_ns k_never_ns = INT64_MAX;

// The monotonic clock. Never the wall clock: a clock that jumps must not delay a wake-up.
[[nodiscard]] time_ns monotonic_now_ns() noexcept;

}  // namespace filch::inline v0
