// manual_event: set or not; whoever waits resumes while it is set. auto_event: one who waits resumes each time it is
// set.
//
//   filch::manual_event started;
//   started.set();                                lets all go on, until somebody calls reset
//   co_await started.async_wait();                in a coroutine; started.wait() elsewhere
//
//   filch::auto_event more;
//   more.set();                                   lets one go on: who waits longest, or else the next who comes
//
// Who may call what: any thread. Whoever has waited for one may destroy it, also while `set` returns. Setting an
// auto_event that is set already adds nothing. The plain forms suspend the calling stack on a worker and block any
// other thread; the async forms suspend the coroutine, and end with task_cancelled when its task is told to stop.
#pragma once

#include <filch/sync/detail/countdown_place.hpp>
#include <filch/sync/detail/permit_place.hpp>

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
  // Throws task_cancelled if it is told to stop while it waits.
  void wait(const std::stop_token& stop = {}) const {
    if (!state_.is_zero()) sync::wait_for_zero(state_, place::k_reason, stop);
  }
  [[nodiscard]] auto async_wait() const { return sync::line_awaiter<place>{place{{&state_}}}; }

 private:
  struct place : sync::countdown_place {
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
  // Throws task_cancelled if it is told to stop while it waits.
  void wait(const std::stop_token& stop = {}) {
    if (!state_.try_take(1)) sync::wait_for_permits(state_, 1, place::k_reason, stop);
  }
  [[nodiscard]] auto async_wait() { return sync::line_awaiter<place>{place{{&state_, 1}}}; }

 private:
  struct place : sync::permit_place {
    static constexpr const char* k_reason = "event";
    void result() const {}
  };

  sync::permits<> state_;
};

}  // namespace filch::inline v0
