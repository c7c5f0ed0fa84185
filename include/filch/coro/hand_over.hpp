// The kernel of a wait for one thing by one who waits: the thing ends, the waiter comes, in either order.
// kernel: light headers only
//
// Who may call what: `end` once; `wait` once; `has_ended` any thread. After `end` has returned null its caller touches nothing
// of the waiter's.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::coro {

template <class Waiter, class A = std_atomics>
class hand_over {
 public:
  // It has ended. Not null: this one waits for it, and the caller lets it go on.
  [[nodiscard]] Waiter* end() {
    // [N5] acq_rel exchange: release hands over what was done → [N6] → [N7]; acquire receives the waiter ← [N7].
    return reinterpret_cast<Waiter*>(word_.exchange(k_ended, std::memory_order_acq_rel));
  }
  [[nodiscard]] bool has_ended() const {
    // [N6] acquire load: what was done is visible ← [N5].
    return word_.load(std::memory_order_acquire) == k_ended;
  }
  // `who` waits from now on. True: it has ended before, and the caller goes on. Otherwise the caller touches nothing of the
  // waiter's any more.
  [[nodiscard]] bool wait(Waiter& who) {
    std::uintptr_t expected = k_nothing;
    // [N7] release on success: hands the waiter over → [N5]. Acquire on failure: what was done is visible ← [N5].
    return !word_.compare_exchange(expected, reinterpret_cast<std::uintptr_t>(&who), std::memory_order_release,
                                   std::memory_order_acquire);
  }

 private:
  static constexpr std::uintptr_t k_nothing = 0;
  static constexpr std::uintptr_t k_ended = 1;

  typename A::template atomic<std::uintptr_t> word_{k_nothing};
};

}  // namespace filch::inline v0::coro
