// The kernel of a mutex: who holds it, and who comes next.
// kernel: light headers only
//
// One word of three bits: held; somebody waits; somebody changes the line of those who wait. Without contention locking
// and unlocking are one compare-exchange each. Otherwise the holder hands the lock to whoever waits longest: it is
// never free in between, so nobody overtakes. The bit for the line lies in the same word so that freeing the lock is
// the last touch of who unlocks: who locks next may destroy it.
//
// Who may call what: `try_lock` and `lock_or_queue` whoever wants it; `unlock` whoever holds it, on any thread;
// `cancel` any thread, as long as the entry lives.
//
// Invariants
//   I1  The line is read and changed only between `open_line` and `close_line`; nobody else changes the word meanwhile.
//   I2  Somebody is in line if and only if `k_waiters` is set, and only while it is held; unless the line is open.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/sync/short_lock.hpp>
#include <filch/sync/wait_line.hpp>

#include <cstdint>

namespace filch::inline v0::sync {

template <class A = std_atomics>
class fair_lock {
 public:
  using entry = line_entry<A>;

  // May fail although it is free, while somebody gives up waiting for it.
  [[nodiscard]] bool try_lock() {
    std::uint32_t seen = k_free;
    // [M1] acquire on success: what the last holder did is visible ← [M3] ← [M4]. Relaxed on failure, nothing was got:
    // revalidated by [M2].
    return word_.compare_exchange(seen, k_held, std::memory_order_acquire, std::memory_order_relaxed);
  }

  // True: `self` is in line, and somebody wakes it. False: its state says whether it has the lock or has given up
  // before.
  [[nodiscard]] bool lock_or_queue(entry& self) {
    const std::uint32_t seen = open_line();
    if (self.state.get() == wait_state::cancelled) {
      close_line(seen);
      return false;
    }
    if ((seen & k_held) == 0) {
      self.state.set(wait_state::granted);
      close_line(k_held);
      return false;
    }
    const bool is_queued = line_.join(self);
    close_line(k_held | k_waiters);
    return is_queued;
  }

  // Not null: this one has the lock now, and the caller wakes it; what the caller did is visible to it by that.
  [[nodiscard]] entry* unlock() {
    std::uint32_t seen = k_held;
    // [M3] release on success: hands over what the holder did → [M1] → [M2]. Relaxed on failure: revalidated by [M2].
    if (word_.compare_exchange(seen, k_free, std::memory_order_release, std::memory_order_relaxed)) return nullptr;
    (void)open_line();
    entry* const next = line_.pop();
    close_line(next == nullptr ? k_free : k_held | waiters());
    return next;
  }

  // It gives up. True: the caller wakes it.
  [[nodiscard]] bool cancel(entry& who) {
    const std::uint32_t seen = open_line();
    const bool was_queued = line_.leave(who);
    close_line((seen & k_held) | waiters());
    return was_queued;
  }

 private:
  static constexpr std::uint32_t k_free = 0;
  static constexpr std::uint32_t k_held = 1;
  static constexpr std::uint32_t k_waiters = 2;
  static constexpr std::uint32_t k_line = 4;

  [[nodiscard]] std::uint32_t waiters() const { return line_.is_empty() ? 0 : k_waiters; }

  // The word as it was.
  [[nodiscard]] std::uint32_t open_line() {
    std::uint32_t turns = 0;
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [M2]
    while (true) {
      if ((seen & k_line) != 0) {
        sync::stay_away<A>(++turns);
        seen = word_.load(std::memory_order_relaxed);  // revalidated by [M2]
        continue;
      }
      // [M2] acquire on success: what the last holder did, and the line, are visible ← [M3] ← [M4]. Relaxed on failure:
      // revalidated by [M2] in the next turn.
      if (word_.compare_exchange(seen, seen | k_line, std::memory_order_acquire, std::memory_order_relaxed))
        return seen;
    }
  }
  void close_line(std::uint32_t word) {
    // [M4] release store: hands over the line and, if the lock is freed, what the holder did → [M1] → [M2].
    word_.store(word, std::memory_order_release);
  }

  typename A::template atomic<std::uint32_t> word_{k_free};
  wait_line<A> line_;  // I1
};

}  // namespace filch::inline v0::sync
