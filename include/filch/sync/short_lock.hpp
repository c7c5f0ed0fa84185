// A lock for a few instructions: what guards a line of those who wait.
// kernel: light headers only
//
// One word, one read-modify-write to lock, one plain store to unlock; and that store is the last touch of who unlocks, so
// whoever locks next may destroy it. Who finds it held spins a little and then lets other threads run: its holder never
// waits for anything, it can only have been put aside by the operating system.
//
// Who may call what: any thread. Between `lock` and `unlock` nothing is called that waits or runs a user's task.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>
#include <type_traits>

namespace filch::inline v0::sync {

// Lets another thread run.
void give_way() noexcept;

// One turn of waiting for somebody who needs a few instructions.
template <class A>
void wait_a_moment(std::uint32_t& turns) {
  constexpr std::uint32_t k_spins = 64;  // guess
  if constexpr (std::is_same_v<A, std_atomics>) {
    if (++turns % k_spins == 0) return give_way();
  }
  A::pause();
}

template <class A = std_atomics>
class short_lock {
 public:
  void lock() {
    // [Y1] acquire exchange: what the last holder did is visible ← [Y2].
    if (word_.exchange(1, std::memory_order_acquire) == 0) [[likely]] return;
    lock_slowly();
  }
  void unlock() {
    // [Y2] release store: hands over what the holder did → [Y1] → [Y3].
    word_.store(0, std::memory_order_release);
  }

 private:
  [[gnu::noinline]] void lock_slowly() {
    std::uint32_t turns = 0;
    do {
      while (word_.load(std::memory_order_relaxed) != 0) wait_a_moment<A>(turns);  // revalidated by [Y3]
      // [Y3] acquire exchange: as [Y1] ← [Y2].
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

}  // namespace filch::inline v0::sync
