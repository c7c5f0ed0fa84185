// A lock for critical sections of a few instructions, such as changes of a wait line.
// kernel: light headers only
//
// One word, one read-modify-write to lock, one plain store to unlock. That store is the unlocking thread's last access,
// so the next holder may destroy the lock.
//
// A thread that finds the lock held backs off for hundreds of times the length of a critical section. Two workers that
// take the same lock continually would otherwise move its cache line, and the data that it guards, back and forth with
// each critical section, which takes ten times as long as the section itself; with the backoff each executes many
// sections in a row. A holder waits for nothing but another short lock: if the lock is held for longer, the operating
// system has preempted the holder, and the waiting thread yields.
//
// Who may call what: any thread. Between `lock` and `unlock` no function is called that waits or runs a user's task.
// `lock_nested` a thread that holds another short lock, for which others may be waiting: it does not back off.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/wait_close.hpp>

#include <cstdint>
#include <type_traits>

namespace filch::inline v0::sync {

// The given turn of a backoff, counted from 1.
void back_off_turn(std::uint32_t turn) noexcept;

template <class A>
void back_off(std::uint32_t turn) {
  if constexpr (std::is_same_v<A, std_atomics>) back_off_turn(turn);
  else A::pause();
}

template <class A = std_atomics>
class short_lock {
 public:
  void lock() {
    // [Y1] acquire exchange: observes what the last holder did ← [Y2].
    if (word_.exchange(1, std::memory_order_acquire) == 0) [[likely]]
      return;
    lock_slow_path();
  }
  // The same for a thread that holds another short lock.
  void lock_nested() {
    // [Y4] acquire exchange: as [Y1] ← [Y2].
    if (word_.exchange(1, std::memory_order_acquire) == 0) [[likely]]
      return;
    lock_nested_slow_path();
  }
  void unlock() {
    // [Y2] release store: publishes what the holder did → [Y1] → [Y3] → [Y4] → [Y5].
    word_.store(0, std::memory_order_release);
  }

 private:
  [[gnu::noinline]] void lock_slow_path() {
    std::uint32_t turns = 0;
    do {
      do sync::back_off<A>(++turns);
      while (word_.load(std::memory_order_relaxed) != 0);  // revalidated by [Y3]
      // [Y3] acquire exchange: as [Y1] ← [Y2].
    } while (word_.exchange(1, std::memory_order_acquire) != 0);
  }
  [[gnu::noinline]] void lock_nested_slow_path() {
    std::uint32_t turns = 0;
    do {
      while (word_.load(std::memory_order_relaxed) != 0) v0::wait_close_by<A>(++turns);  // revalidated by [Y5]
      // [Y5] acquire exchange: as [Y1] ← [Y2].
    } while (word_.exchange(1, std::memory_order_acquire) != 0);
  }

  typename A::template atomic<std::uint32_t> word_{0};
};

// Holds a short lock until the end of a block.
template <class A>
class [[nodiscard]] short_guard {
 public:
  explicit short_guard(short_lock<A>& held) : held_{held} { held_.lock(); }
  short_guard(const short_guard&) = delete;
  short_guard& operator=(const short_guard&) = delete;
  ~short_guard() { held_.unlock(); }

 private:
  short_lock<A>& held_;
};

// The same for a thread that holds another short lock.
template <class A>
class [[nodiscard]] nested_guard {
 public:
  explicit nested_guard(short_lock<A>& held) : held_{held} { held_.lock_nested(); }
  nested_guard(const nested_guard&) = delete;
  nested_guard& operator=(const nested_guard&) = delete;
  ~nested_guard() { held_.unlock(); }

 private:
  short_lock<A>& held_;
};

}  // namespace filch::inline v0::sync
