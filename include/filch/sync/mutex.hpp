// A mutex that is not bound to a thread: it may be held across joins and co_awaits, and a waiter occupies no thread.
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
// Who may call what: any thread. On a worker `lock` waits awake for at most half a millisecond, then it suspends the
// running stack, and the worker continues with other tasks; likewise each time that it is woken and finds the lock
// held. An external thread is blocked. `async_lock` suspends the coroutine, which costs no stack; it ends with
// task_cancelled when a stop of its task is requested. Waiters get the lock in the order in which they joined the line.
// A caller that finds the lock free takes it although waiters are in line; the first waiter is overtaken in this way at
// most 64 times. The lock is not recursive.
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

  // May fail although the lock is free, while the line of waiters is being changed.
  [[nodiscard]] bool try_lock() { return state_.try_lock(); }
  void lock() {
    if (!state_.try_lock()) [[unlikely]]
      wait({});
  }
  // Throws task_cancelled if a stop is requested during the wait.
  void lock(const std::stop_token& stop) {
    if (!state_.try_lock()) [[unlikely]]
      wait(stop);
  }
  void unlock() {
    if (entry* const next = state_.unlock()) [[unlikely]]
      wake(*next);
  }

  [[nodiscard]] auto async_lock() { return sync::line_awaiter<target>{target{this}}; }

 private:
  friend condition;

  using entry = sync::lock_entry<>;

  // The target of a coroutine's wait. A resumed coroutine cannot retry: the lock is handed off to it.
  struct target {
    using entry = sync::lock_entry<>;
    static constexpr const char* k_reason = "mutex";
    mutex* of;

    [[nodiscard]] bool is_ready() { return of->try_lock(); }
    [[nodiscard]] static sync::lock_turn entry_argument() { return sync::lock_turn::handed; }
    bool enter(entry& self) { return of->state_.lock_or_queue(self); }
    void cancel(entry& self) noexcept {
      if (entry* const next = of->state_.cancel(self)) wake(*next);
    }
    [[nodiscard]] std::unique_lock<mutex> result() { return std::unique_lock{*of, std::adopt_lock}; }
  };
  struct plain_target;

  [[gnu::cold, gnu::noinline]] void wait(const std::stop_token& stop);
  [[gnu::cold, gnu::noinline]] static void wake(entry& next) noexcept;
  // On a worker: calls `try_it` for a short time, before the stack would be suspended. True: `try_it` has succeeded.
  template <class Try>
  bool try_before_suspending(const Try& try_it);

  sync::fair_lock<> state_;
  // The number of consecutive calls of try_before_suspending that failed, up to a limit.
  std_atomics::atomic<std::uint32_t> failed_tries_{0};
};

}  // namespace filch::inline v0
