// The kernel of a mutex: the lock and its line of waiters.
// kernel: light headers only
//
// One word holds: the lock is held; a waiter is in line; the line is locked; the first waiter was called; and the
// number of times that it was overtaken since. Without contention, locking and unlocking are one compare-exchange each.
// The bit that locks the line is in the same word, so that the store that frees the lock is the unlocking thread's last
// access: the next holder may destroy the lock.
//
// A thread that unlocks while waiters are in line frees the lock and *calls* the first waiter: the waiter is woken,
// stays first in line, and takes the lock when it runs. Until then any thread may take the lock, so it does not stand
// idle while the sleeping or queued waiter gets a processor. The waiter is overtaken at most `MostOvertakes` times; the
// next unlock then hands the lock off to it, as does the next unlock after a failed `retry`. An entry that cannot
// retry is never called: the lock is handed off to it as soon as it is first.
//
// Who may call what: `try_lock` and `lock_or_queue` any thread; `unlock` the holder, on any thread; `retry` a waiter
// that was woken; `cancel` any thread, as long as the entry lives.
//
// Invariants
//   I1  The line is accessed only between `lock_line` and `unlock_line`; no other thread changes the word in between.
//   I2  `k_waiters` is set if and only if a waiter is in line; unless the line is locked.
//   I3  If the lock is free and a waiter is in line, `k_called` is set; unless the line is locked.
//   I4  While `k_called` is set, the first waiter has been woken, or the caller of `unlock` or `cancel` is about to
//       wake it; and the waiter has not called `retry` yet, or stays awake. It is not woken again.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/sync/short_lock.hpp>
#include <filch/sync/wait_line.hpp>

#include <cstdint>

namespace filch::inline v0::sync {

enum class lock_turn : std::uint8_t {
  called,  // the waiter is woken when it may try, and calls `retry`
  handed,  // the waiter is woken when it has the lock
};

// The most times that the first waiter is overtaken: docs/decisions/0022-called-waiters.md has the measurement.
inline constexpr std::uint32_t k_most_overtakes = 64;

template <class A = std_atomics>
struct lock_entry : line_entry<A> {
  explicit lock_entry(lock_turn how) : turn{how} {}

  typename A::template var<lock_turn> turn;  // guarded by the line
};

template <class A = std_atomics, std::uint32_t MostOvertakes = k_most_overtakes>
class fair_lock {
 public:
  using entry = lock_entry<A>;

  enum class retry_result : std::uint8_t {
    served,  // the entry's state tells whether it has the lock or was cancelled
    held,    // the lock is held by another thread; the waiter is still called, and calls `retry` again
    queued,  // the waiter is woken when the lock is handed off to it
  };

  // May fail although the lock is free, while the line is locked.
  [[nodiscard]] bool try_lock() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [M1]
    while ((seen & (k_held | k_line_locked)) == 0) {
      // [M1] acquire on success: observes what the last holder did ← [M3] ← [M4]. Relaxed on failure, the lock was not
      // taken: revalidated by [M1] in the next turn.
      if (word_.compare_exchange(seen, taken(seen), std::memory_order_acquire, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  // True: `self` is in line, and will be woken. False: its state tells whether it has the lock or was cancelled before.
  [[nodiscard]] bool lock_or_queue(entry& self) {
    const std::uint32_t seen = lock_line();
    if (self.state.get() == wait_state::cancelled) {
      unlock_line(seen);
      return false;
    }
    if ((seen & k_held) == 0) {
      self.state.set(wait_state::granted);
      unlock_line(taken(seen));
      return false;
    }
    const bool is_queued = line_.join(self);
    unlock_line(seen | k_waiters);
    return is_queued;
  }

  // Not null: the caller wakes this waiter, which was called or now has the lock, and observes what the caller did.
  [[nodiscard]] entry* unlock() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [M3]
    while ((seen & k_line_locked) == 0 && ((seen & k_waiters) == 0 || may_be_overtaken(seen))) {
      // [M3] release on success: publishes what the holder did → [M1] → [M2]. Relaxed on failure: revalidated by [M3]
      // in the next turn, or by [M2].
      if (word_.compare_exchange(seen, seen & ~k_held, std::memory_order_release, std::memory_order_relaxed))
        return nullptr;
    }
    return release(lock_line());
  }

  // Called by a waiter once after each wake-up, and again after `held`. `stays`: on `held` the waiter stays awake.
  [[nodiscard]] retry_result retry(entry& self, bool stays) {
    const std::uint32_t seen = lock_line();
    if (self.state.get() != wait_state::queued) {
      unlock_line(seen);
      return retry_result::served;
    }
    if ((seen & k_held) == 0) {
      line_.serve(self);
      unlock_line(k_held | waiters());
      return retry_result::served;
    }
    if (stays) {
      unlock_line(seen);
      return retry_result::held;
    }
    self.turn.set(lock_turn::handed);
    unlock_line(k_held | waiters());
    return retry_result::queued;
  }

  // True: a called waiter that stays awake need not call `retry` now.
  [[nodiscard]] bool is_held_by_another() const {
    const std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [M2]
    return (seen & (k_held | k_called)) == (k_held | k_called);
  }

  // The waiter gives up. Not null: the caller wakes this one, which is the waiter itself, or the next waiter if that
  // was called or has the lock.
  [[nodiscard]] entry* cancel(entry& who) {
    const std::uint32_t seen = lock_line();
    const bool was_called = (seen & k_called) != 0 && line_.front() == &who;
    if (!line_.leave(who)) {
      unlock_line(seen);
      return nullptr;
    }
    if (!was_called) {
      unlock_line((seen & ~k_waiters) | waiters());
      return &who;
    }
    if ((seen & k_held) == 0) return release(k_free);
    unlock_line(k_held | waiters());
    return nullptr;
  }

 private:
  static constexpr std::uint32_t k_free = 0;
  static constexpr std::uint32_t k_held = 1;
  static constexpr std::uint32_t k_waiters = 2;
  static constexpr std::uint32_t k_line_locked = 4;
  static constexpr std::uint32_t k_called = 8;
  static constexpr std::uint32_t k_overtake = 16;  // one overtake: the higher bits are the count

  [[nodiscard]] static std::uint32_t taken(std::uint32_t seen) {
    return (seen | k_held) + ((seen & k_called) != 0 ? k_overtake : 0);
  }
  // True: the first waiter was called, and the lock need not be handed off to it yet.
  [[nodiscard]] static bool may_be_overtaken(std::uint32_t seen) {
    return (seen & k_called) != 0 && seen / k_overtake < MostOvertakes;
  }
  [[nodiscard]] std::uint32_t waiters() const { return line_.is_empty() ? 0 : k_waiters; }

  // The holder has given up the lock, and the line is locked: calls the first waiter or hands the lock off to it, and
  // unlocks the line. Not null: the caller wakes this waiter.
  [[nodiscard]] entry* release(std::uint32_t seen) {
    auto* const first = static_cast<entry*>(line_.front());
    const bool was_called = (seen & k_called) != 0;
    if (first == nullptr || may_be_overtaken(seen)) {
      unlock_line(first == nullptr ? k_free : seen & ~k_held);
      return nullptr;
    }
    if (!was_called && first->turn.get() == lock_turn::called) {
      unlock_line(k_waiters | k_called);
      return first;
    }
    line_.serve(*first);
    unlock_line(k_held | waiters());
    return was_called ? nullptr : first;
  }

  // Returns the word without the line's bit.
  [[nodiscard]] std::uint32_t lock_line() {
    std::uint32_t turns = 0;
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [M2]
    while (true) {
      if ((seen & k_line_locked) != 0) {
        sync::back_off<A>(++turns);
        seen = word_.load(std::memory_order_relaxed);  // revalidated by [M2]
        continue;
      }
      // [M2] acquire on success: observes what the last holder did, and the line ← [M3] ← [M4]. Relaxed on failure:
      // revalidated by [M2] in the next turn.
      if (word_.compare_exchange(seen, seen | k_line_locked, std::memory_order_acquire, std::memory_order_relaxed))
        return seen;
    }
  }
  void unlock_line(std::uint32_t word) {
    // [M4] release store: publishes the line and, if the lock is freed, what the holder did → [M1] → [M2].
    word_.store(word, std::memory_order_release);
  }

  typename A::template atomic<std::uint32_t> word_{k_free};
  wait_line<A> line_;  // I1
};

}  // namespace filch::inline v0::sync
