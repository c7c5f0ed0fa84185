// A lock for a few instructions: what guards a line of those who wait.
// kernel: light headers only
//
// One word, one read-modify-write to lock, one plain store to unlock; and that store is the last touch of who unlocks,
// so whoever locks next may destroy it.
//
// Who finds it held stays away for a while, hundreds of times as long as it is held. Two workers that want the same
// lock again and again would otherwise pass its cache line, and what it guards, back and forth with each turn, which
// takes ten times as long as the turn; so each has many turns in a row. Its holder never waits for anything but another
// short lock: if it is held for longer, its holder was put aside by the operating system, and who waits lets other
// threads run.
//
// Who may call what: any thread. Between `lock` and `unlock` nothing is called that waits or runs a user's task.
// `lock_inside` who holds another short lock, which others want: it does not stay away.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/wait_close.hpp>

#include <cstdint>
#include <type_traits>

namespace filch::inline v0::sync {

// The turn so many of waiting, from 1 on, away from what is held.
void wait_away(std::uint32_t turn) noexcept;

template <class A>
void stay_away(std::uint32_t turn) {
  if constexpr (std::is_same_v<A, std_atomics>) wait_away(turn);
  else A::pause();
}

template <class A = std_atomics>
class short_lock {
 public:
  void lock() {
    // [Y1] acquire exchange: what the last holder did is visible ← [Y2].
    if (word_.exchange(1, std::memory_order_acquire) == 0) [[likely]]
      return;
    lock_slowly();
  }
  // The same for who holds another.
  void lock_inside() {
    // [Y4] acquire exchange: as [Y1] ← [Y2].
    if (word_.exchange(1, std::memory_order_acquire) == 0) [[likely]]
      return;
    lock_soon();
  }
  void unlock() {
    // [Y2] release store: hands over what the holder did → [Y1] → [Y3] → [Y4] → [Y5].
    word_.store(0, std::memory_order_release);
  }

 private:
  [[gnu::noinline]] void lock_slowly() {
    std::uint32_t turns = 0;
    do {
      do sync::stay_away<A>(++turns);
      while (word_.load(std::memory_order_relaxed) != 0);  // revalidated by [Y3]
      // [Y3] acquire exchange: as [Y1] ← [Y2].
    } while (word_.exchange(1, std::memory_order_acquire) != 0);
  }
  [[gnu::noinline]] void lock_soon() {
    std::uint32_t turns = 0;
    do {
      while (word_.load(std::memory_order_relaxed) != 0) v0::wait_close_by<A>(++turns);  // revalidated by [Y5]
      // [Y5] acquire exchange: as [Y1] ← [Y2].
    } while (word_.exchange(1, std::memory_order_acquire) != 0);
  }

  typename A::template atomic<std::uint32_t> word_{0};
};

// Holds a short lock to the end of a block.
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

// The same for who holds another.
template <class A>
class [[nodiscard]] inside_guard {
 public:
  explicit inside_guard(short_lock<A>& held) : held_{held} { held_.lock_inside(); }
  inside_guard(const inside_guard&) = delete;
  inside_guard& operator=(const inside_guard&) = delete;
  ~inside_guard() { held_.unlock(); }

 private:
  short_lock<A>& held_;
};

}  // namespace filch::inline v0::sync
