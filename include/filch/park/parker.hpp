// One thread's place to sleep: a token that can be given at any time and is consumed by sleeping.
// kernel: light headers only
//
// The word holds one of three states: empty (no token, awake), parked (no token, asleep or about to be), notified (a
// token). A token given before the sleep makes the sleep return at once, so no order of the two calls loses it.
//
// Who may call what: `park` the one thread that sleeps here; `unpark` anybody.
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
    std::uint32_t seen = k_empty;
    // [K1] acquire on failure: the token was there already ← [K4]. Relaxed on success, ordered by [K2]: nothing was received.
    if (!word_.compare_exchange(seen, k_parked, std::memory_order_relaxed, std::memory_order_acquire)) {
      word_.store(k_empty, std::memory_order_relaxed);  // ordered by [K1]: only this thread leaves `notified`
      return park_outcome::notified;
    }
    while (true) {
      const bool in_time = A::futex_wait(word_, k_parked, deadline_ns);
      // [K2] acquire load: what the giver of the token did before is visible ← [K4].
      if (word_.load(std::memory_order_acquire) == k_notified) break;
      if (in_time) continue;  // a spurious wake-up
      seen = k_parked;
      // [K3] acquire on failure: a token came at the last moment ← [K4]. Relaxed on success, owner-only: nothing was received.
      if (word_.compare_exchange(seen, k_empty, std::memory_order_relaxed, std::memory_order_acquire)) {
        return park_outcome::timed_out;
      }
      break;
    }
    word_.store(k_empty, std::memory_order_relaxed);  // ordered by [K2]: only this thread leaves `notified`
    return park_outcome::notified;
  }

  // Gives the token; a second one before it is consumed adds nothing.
  void unpark() {
    // [K4] release exchange: hands over what the caller did before → [K1] → [K2] → [K3].
    if (word_.exchange(k_notified, std::memory_order_release) == k_parked) A::futex_wake(word_, 1);
  }

 private:
  static constexpr std::uint32_t k_empty = 0;
  static constexpr std::uint32_t k_parked = 1;
  static constexpr std::uint32_t k_notified = 2;

  typename A::template atomic<std::uint32_t> word_{k_empty};
};

}  // namespace filch::inline v0::park
