// condition: waits, with a filch::mutex, until somebody says that something may have changed.
//
//   std::unique_lock lock{m};                     const auto lock = co_await m.async_lock() in a coroutine
//   changed.wait(lock, [&] { return is_done; });
//   while (!is_done) co_await changed.async_wait(lock);          in a coroutine
//   changed.notify_one();                         whoever changes `is_done` under the lock
//
// Who may call what: any thread; `wait` and `async_wait` who holds the lock, which is free while it waits and held
// again when it resumes, also with an exception. Who is notified comes next to the mutex: it is woken when it has the
// lock, not before. No wake comes without a notification. Who waits longest is notified first. The plain form suspends
// the calling stack on a worker and blocks any other thread; the async form suspends the coroutine, and ends with
// task_cancelled when its task is told to stop.
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

  // Throws task_cancelled if it is told to stop while it waits.
  void wait(std::unique_lock<mutex>& held, const std::stop_token& stop = {});
  template <class Predicate>
    requires std::is_invocable_r_v<bool, Predicate&>
  void wait(std::unique_lock<mutex>& held, Predicate is_met, const std::stop_token& stop = {}) {
    while (!is_met()) wait(held, stop);
  }
  [[nodiscard]] auto async_wait(std::unique_lock<mutex>& held) { return awaiter{*this, held}; }

 private:
  // In line here until it is notified, then in the mutex's.
  class waiting_for_both : public sync::line_entry<> {
   public:
    waiting_for_both(condition& of, mutex& held) : of_{of}, held_{held} {}

    // True: it waits, and nothing of this may be touched.
    bool begin(const std::stop_token& stop);
    // Throws task_cancelled.
    void end();
    // It was notified, or gives up: it resumes as soon as it has the lock.
    void come_back() noexcept;

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
    waiting_for_both self_;
  };

  sync::short_lock<> lock_;
  sync::wait_line<> line_;  // guarded by lock_
};

}  // namespace filch::inline v0
