// condition: waits, together with a filch::mutex, for a notification that a condition may have changed.
//
//   std::unique_lock lock{m};                     const auto lock = co_await m.async_lock() in a coroutine
//   changed.wait(lock, [&] { return is_done; });
//   while (!is_done) co_await changed.async_wait(lock);          in a coroutine
//   changed.notify_one();                         after a change of `is_done` under the lock
//
// Who may call what: any thread; `wait` and `async_wait` the holder of the lock. The lock is released during the wait
// and held again when the wait ends, also if it ends by an exception. A notified waiter moves to the line of the mutex
// and is woken when it has the lock, not before. There are no spurious wake-ups. The longest waiter is notified first.
// The plain form suspends the calling stack on a worker and blocks an external thread; the async form suspends the
// coroutine, and ends with task_cancelled when a stop of its task is requested.
#pragma once

#include <filch/sync/detail/line_wait.hpp>
#include <filch/sync/detail/stop_listener.hpp>
#include <filch/sync/mutex.hpp>
#include <filch/sync/short_lock.hpp>

#include <coroutine>
#include <mutex>
#include <stop_token>

namespace filch::inline v0 {

class condition {
 public:
  condition() = default;
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;

  void notify_one();
  void notify_all();

  // Throws task_cancelled if a stop is requested during the wait.
  void wait(std::unique_lock<mutex>& held, const std::stop_token& stop = {});
  template <class Predicate>
    requires std::is_invocable_r_v<bool, Predicate&>
  void wait(std::unique_lock<mutex>& held, Predicate is_met, const std::stop_token& stop = {}) {
    while (!is_met()) wait(held, stop);
  }
  [[nodiscard]] auto async_wait(std::unique_lock<mutex>& held) { return awaiter{*this, held}; }

 private:
  // The entry of a waiter: in the line of the condition until it is notified, then in the line of the mutex.
  class condition_entry : public sync::line_entry<> {
   public:
    condition_entry(condition& of, mutex& held) : of_{of}, held_{held} {}

    // True: it waits, and the caller does not touch the entry afterwards.
    bool begin(const std::stop_token& stop);
    // Throws task_cancelled if the wait was cancelled.
    void end();
    // The waiter was notified, or gives up: it resumes as soon as it has the lock.
    void rejoin_mutex() noexcept;

    sync::waiting<sync::lock_entry<>> relock{"condition", sync::lock_turn::handed};

   private:
    static void give_up(void* who) noexcept;

    condition& of_;
    mutex& held_;
    sync::stop_listener on_stop_;
  };

  class [[nodiscard]] awaiter {
   public:
    static constexpr const char* k_reason = "condition";

    awaiter(condition& of, const std::unique_lock<mutex>& held) : self_{of, *held.mutex()} {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
      self_.relock.who.arm(who);
      return self_.begin(coro::stop_token_of(who));
    }
    void await_resume() { self_.end(); }

   private:
    condition_entry self_;
  };

  sync::short_lock<> lock_;
  sync::wait_line<> line_;  // guarded by lock_
};

}  // namespace filch::inline v0
