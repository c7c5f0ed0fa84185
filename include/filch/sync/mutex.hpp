// A mutex that belongs to no thread: it may be held across joins and co_awaits, and whoever waits for it holds no
// thread.
//
//   filch::mutex m;
//   {
//     const std::lock_guard lock{m};
//     filch::join(f, g);                        // the code after it may be on another thread; it still holds the lock
//   }
//   {
//     const auto lock = co_await m.async_lock();    // in a coroutine: a std::unique_lock
//   }
//
// Who may call what: any thread. On a worker `lock` waits for half a millisecond at most, then it suspends the running
// stack, and the worker resumes with other tasks; so again each time that it is woken and finds the lock held. On
// another thread it blocks that thread. `async_lock` suspends the coroutine, which costs no stack; it ends with
// task_cancelled when its task is told to stop. Waiters get the lock in the order in which they came to the line. A
// caller that finds the lock free takes it although there is a line; the first in line is overtaken so at most 64
// times. The lock is not recursive.
#pragma once

#include <filch/sync/detail/line_wait.hpp>
#include <filch/sync/fair_lock.hpp>

#include <cstdint>
#include <mutex>
#include <stop_token>

namespace filch::inline v0 {

class condition;

class mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  // May fail although it is free, while the line of waiters is being changed.
  [[nodiscard]] bool try_lock() { return state_.try_lock(); }
  void lock() {
    if (!state_.try_lock()) [[unlikely]]
      wait({});
  }
  // Throws task_cancelled if it is told to stop while it waits.
  void lock(const std::stop_token& stop) {
    if (!state_.try_lock()) [[unlikely]]
      wait(stop);
  }
  void unlock() {
    if (entry* const next = state_.unlock()) [[unlikely]]
      wake(*next);
  }

  [[nodiscard]] auto async_lock() { return sync::line_awaiter<place>{place{this}}; }

 private:
  friend condition;

  using entry = sync::lock_entry<>;

  // Where a coroutine waits. It cannot try again when it is resumed: it is handed the lock.
  struct place {
    using entry = sync::lock_entry<>;
    static constexpr const char* k_reason = "mutex";
    mutex* of;

    [[nodiscard]] bool is_ready() { return of->try_lock(); }
    [[nodiscard]] static sync::lock_turn wish() { return sync::lock_turn::handed; }
    bool enter(entry& self) { return of->state_.lock_or_queue(self); }
    void cancel(entry& self) noexcept {
      if (entry* const next = of->state_.cancel(self)) wake(*next);
    }
    [[nodiscard]] std::unique_lock<mutex> result() { return std::unique_lock{*of, std::adopt_lock}; }
  };
  struct plain_place;

  [[gnu::cold, gnu::noinline]] void wait(const std::stop_token& stop);
  [[gnu::cold, gnu::noinline]] static void wake(entry& next) noexcept;
  // On a worker: calls `try_it` for a short while before the stack is suspended. True: it has succeeded.
  template <class Try>
  bool try_shortly(const Try& try_it);

  sync::fair_lock<> state_;
  // How often in turn to wait for a short while was in vain.
  std_atomics::atomic<std::uint32_t> vain_{0};
};

}  // namespace filch::inline v0
