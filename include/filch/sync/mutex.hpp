// A mutex that belongs to no thread: it may be held across joins, and whoever waits for it holds no thread.
//
//   filch::mutex m;
//   {
//     const std::lock_guard lock{m};
//     filch::join(f, g);              // the code after it may be on another thread; it still holds the lock
//   }
//
// Who may call what: any thread. On a worker `lock` suspends the running stack, and the worker goes on with other tasks; on
// another thread it blocks that thread. Those who wait get it in the order in which they came. It is not recursive.
#pragma once

#include <filch/sync/fair_lock.hpp>

namespace filch::inline v0 {

class mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  [[nodiscard]] bool try_lock() { return state_.try_lock(); }
  void lock() {
    if (!state_.try_lock()) [[unlikely]] wait();
  }
  void unlock() {
    if (sync::lock_waiter* const next = state_.unlock()) [[unlikely]] wake(*next);
  }

 private:
  [[gnu::cold, gnu::noinline]] void wait();
  [[gnu::cold, gnu::noinline]] static void wake(sync::lock_waiter& next);

  sync::fair_lock<> state_;
};

}  // namespace filch::inline v0
