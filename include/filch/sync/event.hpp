// manual_event: set or not set; all waiters are released while it is set. auto_event: each set releases one waiter.
//
//   filch::manual_event started;
//   started.set();                                releases all waiters, present and future, until reset()
//   co_await started.async_wait();                in a coroutine; started.wait() elsewhere
//
//   filch::auto_event more;
//   more.set();                                   releases one waiter: the longest waiting, or else the next to come
//
// Who may call what: any thread. A thread that has waited for an event may destroy it, also while `set` has not
// returned yet. Setting an auto_event that is already set has no effect. The plain forms suspend the calling stack on a
// worker and block an external thread; the async forms suspend the coroutine, and end with task_cancelled when a stop
// of its task is requested.
#pragma once

#include <filch/sync/detail/countdown_target.hpp>
#include <filch/sync/detail/permit_target.hpp>

#include <cstdint>
#include <stop_token>

namespace filch::inline v0 {

class manual_event {
 public:
  explicit manual_event(bool is_set = false) : state_{is_set ? 0u : 1u} {}
  manual_event(const manual_event&) = delete;
  manual_event& operator=(const manual_event&) = delete;

  void set() { sync::count_down(state_, 1); }
  void reset() { state_.raise(1); }
  [[nodiscard]] bool is_set() const { return state_.is_zero(); }
  // Throws task_cancelled if a stop is requested during the wait.
  void wait(const std::stop_token& stop = {}) const {
    if (!state_.is_zero()) sync::wait_for_zero(state_, target::k_reason, stop);
  }
  [[nodiscard]] auto async_wait() const { return sync::line_awaiter<target>{target{{&state_}}}; }

 private:
  struct target : sync::countdown_target {
    static constexpr const char* k_reason = "event";
  };

  mutable sync::countdown<> state_;
};

class auto_event {
 public:
  explicit auto_event(bool is_set = false) : state_{is_set ? 1u : 0u} {}
  auto_event(const auto_event&) = delete;
  auto_event& operator=(const auto_event&) = delete;

  void set() { sync::give_permits(state_, 1, 1); }
  [[nodiscard]] bool try_wait() { return state_.try_take(1); }
  // Throws task_cancelled if a stop is requested during the wait.
  void wait(const std::stop_token& stop = {}) {
    if (!state_.try_take(1)) sync::wait_for_permits(state_, 1, target::k_reason, stop);
  }
  [[nodiscard]] auto async_wait() { return sync::line_awaiter<target>{target{{&state_, 1}}}; }

 private:
  struct target : sync::permit_target {
    static constexpr const char* k_reason = "event";
    void result() const {}
  };

  sync::permits<> state_;
};

}  // namespace filch::inline v0
