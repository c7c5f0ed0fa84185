// The kernel of joining a spawned task: the task ends, while the owner of its handle waits, polls or leaves, in any
// order.
// kernel: light headers only
//
//   nothing → ended                  no waiter: the owner destroys the task
//   nothing → waiter → ended         the ending thread resumes the waiter
//   nothing → left → ended           the owner has left: the ending thread destroys the task
//
// Who may call what: `end` once; `wait` and `leave` the owner, once each, and not `leave` while it waits; `has_ended`
// any thread. If `end` returns no obligation, its caller does not touch the task or a waiter afterwards.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::coro {

template <class Waiter, class A = std_atomics>
class join_state {
 public:
  struct obligation {
    Waiter* waiter = nullptr;  // the caller resumes it
    bool is_left = false;      // the caller destroys the task
  };
  // The task has ended. Returns what the caller must do, which may be nothing.
  [[nodiscard]] obligation end() {
    // [N5] acq_rel exchange: release publishes the task's effects → [N6] → [N7] → [N9]; acquire observes the waiter, or
    // what the owner did before it left ← [N7] ← [N10].
    const std::uintptr_t before = word_.exchange(k_ended, std::memory_order_acq_rel);
    if (before == k_left) return {nullptr, true};
    return {reinterpret_cast<Waiter*>(before), false};
  }
  [[nodiscard]] bool has_ended() const {
    // [N6] acquire load: observes the task's effects ← [N5].
    return word_.load(std::memory_order_acquire) == k_ended;
  }
  // Registers `who`, which waits for the end. True: the task has already ended, and the caller resumes. False: the
  // caller does not touch the waiter afterwards.
  [[nodiscard]] bool wait(Waiter& who) {
    std::uintptr_t expected = k_nothing;
    // [N7] release on success: publishes the waiter → [N5]. Acquire on failure: observes the task's effects ← [N5].
    return !word_.compare_exchange(expected, reinterpret_cast<std::uintptr_t>(&who), std::memory_order_release,
                                   std::memory_order_acquire);
  }
  // The owner gives up its interest in the task. True: the task has ended, and the caller destroys it.
  [[nodiscard]] bool leave() {
    // [N9] acquire load: the task's effects happen before the destruction ← [N5].
    if (word_.load(std::memory_order_acquire) == k_ended) return true;
    // [N10] acq_rel exchange: release publishes what the owner did with the task → [N5]; acquire as [N9] ← [N5].
    return word_.exchange(k_left, std::memory_order_acq_rel) == k_ended;
  }

 private:
  static constexpr std::uintptr_t k_nothing = 0;
  static constexpr std::uintptr_t k_ended = 1;
  static constexpr std::uintptr_t k_left = 2;

  typename A::template atomic<std::uintptr_t> word_{k_nothing};
};

}  // namespace filch::inline v0::coro
