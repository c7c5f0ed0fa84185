// The kernel of a task that one may wait for: it ends, and its owner waits, looks or leaves, in any order.
// kernel: light headers only
//
//   nothing → ended                  nobody waits: it is the owner's
//   nothing → waiter → ended         whoever ends it lets the waiter go on
//   nothing → left → ended           the owner is gone: it belongs to whoever ends it
//
// Who may call what: `end` once; `wait` and `leave` the owner, once each, not `leave` while it waits; `has_ended` any
// thread. After `end` has returned nobody its caller touches nothing of the task's or the waiter's.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::coro {

template <class Waiter, class A = std_atomics>
class hand_over {
 public:
  struct successor {
    Waiter* waiter = nullptr;  // resumes
    bool is_left = false;      // the caller destroys the task
  };
  // It has ended. Who is to be seen to: perhaps nobody.
  [[nodiscard]] successor end() {
    // [N5] acq_rel exchange: release hands over what was done → [N6] → [N7] → [N9]; acquire receives the waiter, or
    // what the owner did before it left ← [N7] ← [N10].
    const std::uintptr_t before = word_.exchange(k_ended, std::memory_order_acq_rel);
    if (before == k_left) return {nullptr, true};
    return {reinterpret_cast<Waiter*>(before), false};
  }
  [[nodiscard]] bool has_ended() const {
    // [N6] acquire load: what was done is visible ← [N5].
    return word_.load(std::memory_order_acquire) == k_ended;
  }
  // `who` waits from now on. True: it has ended before, and the caller resumes. Otherwise the caller touches nothing of
  // the waiter's any more.
  [[nodiscard]] bool wait(Waiter& who) {
    std::uintptr_t expected = k_nothing;
    // [N7] release on success: hands the waiter over → [N5]. Acquire on failure: what was done is visible ← [N5].
    return !word_.compare_exchange(expected, reinterpret_cast<std::uintptr_t>(&who), std::memory_order_release,
                                   std::memory_order_acquire);
  }
  // The owner is not interested any more. True: it has ended, and the caller destroys it.
  [[nodiscard]] bool leave() {
    // [N9] acquire load: what was done comes before the destruction ← [N5].
    if (word_.load(std::memory_order_acquire) == k_ended) return true;
    // [N10] acq_rel exchange: release hands over what the owner did with the task → [N5]; acquire as [N9] ← [N5].
    return word_.exchange(k_left, std::memory_order_acq_rel) == k_ended;
  }

 private:
  static constexpr std::uintptr_t k_nothing = 0;
  static constexpr std::uintptr_t k_ended = 1;
  static constexpr std::uintptr_t k_left = 2;

  typename A::template atomic<std::uintptr_t> word_{k_nothing};
};

}  // namespace filch::inline v0::coro
