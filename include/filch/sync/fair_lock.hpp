// The kernel of a mutex: who holds it, and who comes next.
// kernel: light headers only
//
// One word: held; a waiter is in line; the line is being changed; the first in line was called; and how often it was
// overtaken since. Without contention locking and unlocking are one compare-exchange each. The bit for the line lies in
// the same word so that freeing the lock is the last touch of the thread that unlocks: the next holder may destroy it.
//
// A thread that unlocks and finds a line frees the lock and calls the first waiter: it is woken, stays first in line,
// and takes the lock when it runs. Meanwhile the lock is anybody's, so it is in use while a waiter that sleeps, or lies
// in a queue, comes to a processor. The waiter is overtaken at most `MostOvertakes` times; the next unlock then hands
// the lock to it, and so does the next one after it has come in vain. An entry that cannot try again is not called: the
// lock is handed to it as soon as it is first.
//
// Who may call what: `try_lock` and `lock_or_queue` any thread; `unlock` the holder, on any thread; `come` a waiter
// that was woken; `cancel` any thread, as long as the entry lives.
//
// Invariants
//   I1  The line is read and changed only between `open_line` and `close_line`; nobody else changes the word meanwhile.
//   I2  A waiter is in line if and only if `k_waiters` is set; unless the line is open.
//   I3  If the lock is free and a waiter is in line, `k_called` is set; unless the line is open.
//   I4  While `k_called` is set the first in line has been woken, or the caller of `unlock` or `cancel` is about to do
//       so, and it has not come, or it stays awake. It is not woken again.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/sync/short_lock.hpp>
#include <filch/sync/wait_line.hpp>

#include <cstdint>

namespace filch::inline v0::sync {

enum class lock_turn : std::uint8_t {
  called,  // it is woken when it may try, and calls `come`
  handed,  // it is woken when it has the lock
};

// How often the first in line is overtaken at most: docs/decisions/0022-called-waiters.md has the measurement.
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

  enum class arrival : std::uint8_t {
    served,  // its state says whether it has the lock or has given up
    held,    // another one holds the lock; it was called still, and calls `come` again
    queued,  // it waits until it is handed the lock
  };

  // May fail although it is free, while the line is being changed.
  [[nodiscard]] bool try_lock() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [M1]
    while ((seen & (k_held | k_line)) == 0) {
      // [M1] acquire on success: what the last holder did is visible ← [M3] ← [M4]. Relaxed on failure, nothing was
      // got: revalidated by [M1] in the next turn.
      if (word_.compare_exchange(seen, taken(seen), std::memory_order_acquire, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  // True: `self` is in line, and is woken. False: its state says whether it has the lock or has given up before.
  [[nodiscard]] bool lock_or_queue(entry& self) {
    const std::uint32_t seen = open_line();
    if (self.state.get() == wait_state::cancelled) {
      close_line(seen);
      return false;
    }
    if ((seen & k_held) == 0) {
      self.state.set(wait_state::granted);
      close_line(taken(seen));
      return false;
    }
    const bool is_queued = line_.join(self);
    close_line(seen | k_waiters);
    return is_queued;
  }

  // Not null: the caller wakes this one, which was called or has the lock now; what the caller did is visible to it.
  [[nodiscard]] entry* unlock() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [M3]
    while ((seen & k_line) == 0 && ((seen & k_waiters) == 0 || may_be_overtaken(seen))) {
      // [M3] release on success: hands over what the holder did → [M1] → [M2]. Relaxed on failure: revalidated by [M3]
      // in the next turn, or by [M2].
      if (word_.compare_exchange(seen, seen & ~k_held, std::memory_order_release, std::memory_order_relaxed))
        return nullptr;
    }
    return pass_on(open_line());
  }

  // A waiter that was woken: once for each time, and again while it stays awake after `held`. `stays`: it does so.
  [[nodiscard]] arrival come(entry& self, bool stays) {
    const std::uint32_t seen = open_line();
    if (self.state.get() != wait_state::queued) {
      close_line(seen);
      return arrival::served;
    }
    if ((seen & k_held) == 0) {
      line_.serve(self);
      close_line(k_held | waiters());
      return arrival::served;
    }
    if (stays) {
      close_line(seen);
      return arrival::held;
    }
    self.turn.set(lock_turn::handed);
    close_line(k_held | waiters());
    return arrival::queued;
  }

  // Is there no need for a waiter that stays awake to call `come`?
  [[nodiscard]] bool is_held_by_another() const {
    const std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [M2]
    return (seen & (k_held | k_called)) == (k_held | k_called);
  }

  // It gives up. Not null: the caller wakes this one, itself or the next that was called or has the lock.
  [[nodiscard]] entry* cancel(entry& who) {
    const std::uint32_t seen = open_line();
    const bool was_called = (seen & k_called) != 0 && line_.front() == &who;
    if (!line_.leave(who)) {
      close_line(seen);
      return nullptr;
    }
    if (!was_called) {
      close_line((seen & ~k_waiters) | waiters());
      return &who;
    }
    if ((seen & k_held) == 0) return pass_on(k_free);
    close_line(k_held | waiters());
    return nullptr;
  }

 private:
  static constexpr std::uint32_t k_free = 0;
  static constexpr std::uint32_t k_held = 1;
  static constexpr std::uint32_t k_waiters = 2;
  static constexpr std::uint32_t k_line = 4;
  static constexpr std::uint32_t k_called = 8;
  static constexpr std::uint32_t k_overtake = 16;  // the bits from here on count

  [[nodiscard]] static std::uint32_t taken(std::uint32_t seen) {
    return (seen | k_held) + ((seen & k_called) != 0 ? k_overtake : 0);
  }
  // Has the first in line been called, and need not be handed the lock yet?
  [[nodiscard]] static bool may_be_overtaken(std::uint32_t seen) {
    return (seen & k_called) != 0 && seen / k_overtake < MostOvertakes;
  }
  [[nodiscard]] std::uint32_t waiters() const { return line_.is_empty() ? 0 : k_waiters; }

  // Nobody holds the lock any more, and the line is open; it is closed. Not null: the caller wakes this one.
  [[nodiscard]] entry* pass_on(std::uint32_t seen) {
    auto* const first = static_cast<entry*>(line_.front());
    const bool was_called = (seen & k_called) != 0;
    if (first == nullptr || may_be_overtaken(seen)) {
      close_line(first == nullptr ? k_free : seen & ~k_held);
      return nullptr;
    }
    if (!was_called && first->turn.get() == lock_turn::called) {
      close_line(k_waiters | k_called);
      return first;
    }
    line_.serve(*first);
    close_line(k_held | waiters());
    return was_called ? nullptr : first;
  }

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
