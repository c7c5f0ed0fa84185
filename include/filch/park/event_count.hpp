// An event count: threads wait for a condition that other threads make true without a lock.
// kernel: light headers only
//
// The condition is a function that reads shared memory, in any memory order. A thread that may have made it true calls
// `notify` after its write. The epoch ensures that a waiter notices a change between its look and its sleep.
//
// Who may call what: any thread may call any function.
//
//   a waiter                                     a notifier
//   1. waiters + 1                               1. change something the condition reads
//   2. seq_cst fence                             2. seq_cst fence
//   3. read the epoch                            3. if there are no waiters, done
//   4. look at the condition: if true, done      4. look at the condition: if false, done
//   5. sleep while the epoch is what 3 read      5. epoch + 1, wake all
//
// What must not happen: the condition is true and a waiter sleeps. If the last notifier saw no waiter, the waiter's
// fence comes after the notifier's, and 4 on the left sees the change. If two notifiers each make a part of the
// condition true, the one with the later fence sees both parts. If the epoch changed after 3, the sleep returns at
// once; if it changed before, the read of the new epoch makes the condition visible.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::park {

template <class A = std_atomics>
class event_count {
 public:
  // Sleeps until `ready()`, or until the deadline on the monotonic clock. Returns the last result of `ready`.
  template <class Ready>
  bool wait(Ready&& ready, time_ns deadline_ns = k_never_ns) {
    waiters_.fetch_add(1, std::memory_order_relaxed);  // ordered by [V1]
    // [V1] seq_cst fence: "announce the wait, then look" against "change, then look for waiters" ↔ [V3].
    A::fence(std::memory_order_seq_cst);
    bool is_ready = false;
    for (bool in_time = true; in_time;) {
      // [V2] acquire load: the notifier that raised the epoch had seen the condition true, so this thread does ← [V3].
      const std::uint32_t seen = epoch_.load(std::memory_order_acquire);
      is_ready = ready();
      if (is_ready) break;
      in_time = A::futex_wait(epoch_, seen, deadline_ns);
      if (!in_time) is_ready = ready();
    }
    waiters_.fetch_sub(1, std::memory_order_relaxed);  // statistic: an old value costs a notifier one needless look
    return is_ready;
  }

  // Called after a change: wakes the waiters if there are any and the condition holds now.
  template <class Ready>
  void notify(Ready&& ready) {
    // [V3] seq_cst fence: the other half of ↔ [V1]; between two notifiers ↔ [V3]; and with the epoch below → [V2].
    A::fence(std::memory_order_seq_cst);
    if (waiters_.load(std::memory_order_relaxed) == 0) return;  // ordered by [V3]
    if (!ready()) return;
    epoch_.fetch_add(1, std::memory_order_relaxed);  // ordered by [V3]: with the fence it releases
    A::futex_wake(epoch_, UINT32_MAX);
  }

 private:
  typename A::template atomic<std::uint32_t> waiters_{0};
  typename A::template atomic<std::uint32_t> epoch_{0};  // wraps; a waiter would have to sleep through 2^32 changes
};

}  // namespace filch::inline v0::park
