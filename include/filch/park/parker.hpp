// One thread's place to sleep: a token that can be given at any time and is consumed by sleeping.
// kernel: light headers only
//
// The word holds one of three states: empty (no token, awake), parked (no token, asleep or about to be), notified (a
// token). A token given before the sleep makes the sleep return at once, so no order of the two calls loses it. A token
// is consumed by a read-modify-write, never by a plain store: so the consumer reads the newest token and observes what
// the thread that gave it did before, also if two tokens were merged into one.
//
// Who may call what: `park` and `has_token` the one thread that sleeps here; `unpark` any thread.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::park {

enum class park_outcome : std::uint8_t { notified, timed_out };

template <class A = std_atomics>
class parker {
 public:
  // Sleeps until there is a token, and consumes it; or until the deadline on the monotonic clock.
  park_outcome park(time_ns deadline_ns = k_never_ns) {
    // [K1] acquire fetch_sub: notified → empty, observes what the waking thread did before ← [K4]; or empty → parked.
    if (word_.fetch_sub(1, std::memory_order_acquire) == k_notified) return park_outcome::notified;
    while (true) {
      const bool in_time = A::futex_wait(word_, k_parked, deadline_ns);
      std::uint32_t seen = k_notified;
      // [K2] acquire on success: observes what the waking thread did before ← [K4]. Relaxed on failure, revalidated by
      // [K2] after the next sleep or by [K3].
      if (word_.compare_exchange(seen, k_empty, std::memory_order_acquire, std::memory_order_relaxed)) {
        return park_outcome::notified;
      }
      if (in_time) continue;  // a spurious wake-up
      // [K3] acquire exchange: as [K2], for a token that came after the timeout ← [K4].
      return word_.exchange(k_empty, std::memory_order_acquire) == k_notified ? park_outcome::notified
                                                                              : park_outcome::timed_out;
    }
  }

  // True if a token is present. It stays until park() consumes it.
  [[nodiscard]] bool has_token() const {
    return word_.load(std::memory_order_relaxed) == k_notified;  // revalidated by [K1]
  }

  // Gives the token. A second token before the first is consumed has no effect.
  void unpark() {
    // [K4] release exchange: publishes what the caller did before → [K1] → [K2] → [K3].
    if (word_.exchange(k_notified, std::memory_order_release) == k_parked) A::futex_wake(word_, 1);
  }

 private:
  static constexpr std::uint32_t k_empty = 0;
  static constexpr std::uint32_t k_notified = 1;
  static constexpr std::uint32_t k_parked = UINT32_MAX;  // one less than empty

  typename A::template atomic<std::uint32_t> word_{k_empty};
};

}  // namespace filch::inline v0::park
