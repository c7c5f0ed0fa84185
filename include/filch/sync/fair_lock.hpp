// The kernel of a mutex: who holds it, and who comes next.
// kernel: light headers only
//
// One word: free, held, or held while others may wait. Without contention locking and unlocking are one compare-exchange
// each. Otherwise the holder hands the lock to whoever waits longest: it is never free in between, so nobody overtakes.
//
// Who may call what: `try_lock` and `lock` whoever wants it; `unlock` whoever holds it, on any thread.
//
// Invariants
//   I1  The word changes between free and held by compare-exchange without `mutex_`; to and from contended under it only,
//       but that a contended word may be left by nobody else.
//   I2  Somebody is in the queue only while the word is contended.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::sync {

// What waits derives from it, and lies where the one who waits can keep it.
struct lock_waiter {
  lock_waiter* next_in_line = nullptr;  // guarded by the lock's mutex_
};

template <class A = std_atomics>
class fair_lock {
 public:
  [[nodiscard]] bool try_lock() {
    std::uint32_t seen = k_free;
    // [M1] acquire on success: what the last holder did is visible ← [M3] ← [M4]. Relaxed on failure, nothing was got:
    // revalidated by [M2].
    return word_.compare_exchange(seen, k_held, std::memory_order_acquire, std::memory_order_relaxed);
  }

  // True: the lock is got. False: `self` is in the queue, and will be got by an `unlock`.
  [[nodiscard]] bool lock_or_queue(lock_waiter& self) {
    if (try_lock()) return true;
    mutex_.lock();
    // [M2] acquire exchange: if it was free, what the last holder did is visible ← [M3] ← [M4].
    const bool was_free = word_.exchange(k_contended, std::memory_order_acquire) == k_free;
    if (!was_free) {
      self.next_in_line = nullptr;
      if (last_.get() != nullptr) last_.get()->next_in_line = &self;
      else first_.set(&self);
      last_.set(&self);
    }
    mutex_.unlock();
    return was_free;
  }

  // Not null: this one has the lock now, and the caller wakes it; what the caller did is visible to it by that.
  [[nodiscard]] lock_waiter* unlock() {
    std::uint32_t seen = k_held;
    // [M3] release on success: hands over what the holder did → [M1] → [M2]. Relaxed on failure: revalidated by [M4].
    if (word_.compare_exchange(seen, k_free, std::memory_order_release, std::memory_order_relaxed)) return nullptr;
    mutex_.lock();
    lock_waiter* const next = first_.get();
    if (next == nullptr) {
      // [M4] release store: hands over what the holder did → [M1] → [M2].
      word_.store(k_free, std::memory_order_release);
    } else {
      first_.set(next->next_in_line);
      if (next->next_in_line == nullptr) last_.set(nullptr);
    }
    mutex_.unlock();
    return next;
  }

 private:
  static constexpr std::uint32_t k_free = 0;
  static constexpr std::uint32_t k_held = 1;
  static constexpr std::uint32_t k_contended = 2;

  typename A::template atomic<std::uint32_t> word_{k_free};
  typename A::mutex mutex_;
  // Guarded by mutex_.
  typename A::template var<lock_waiter*> first_{nullptr};
  typename A::template var<lock_waiter*> last_{nullptr};
};

}  // namespace filch::inline v0::sync
