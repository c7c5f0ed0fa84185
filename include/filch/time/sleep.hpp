// Sleeping on the monotonic clock.
//
//   co_await filch::sleep_for(10ms);              in a coroutine: the worker continues with other work
//   filch::wait(filch::sleep_for(10ms));          in a plain function: a worker suspends the stack,
//                                                 an external thread sleeps
//
// A sleep is never shorter than requested. It is longer by the time that the system takes to wake a worker, or by the
// duration of the tasks that the worker runs before it. A sleep ends with task_cancelled if a stop of its task is
// requested, or if the deadline of a shutdown passes.
//
// Who may call what: any thread. The time counts from the call of sleep_for, not from the co_await.
#pragma once

#include <filch/base/units.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/time/detail/timer_node.hpp>

#include <chrono>
#include <coroutine>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {
namespace time {

// The time `span` from now; k_never_ns if it is too far away to be represented.
template <class Rep, class Period>
[[nodiscard]] time_ns after(std::chrono::duration<Rep, Period> span) {
  const time_ns now_ns = monotonic_now_ns();
  const double wanted_ns = std::chrono::duration<double, std::nano>{span}.count();
  if (!(wanted_ns < static_cast<double>(k_never_ns / 2))) return k_never_ns;
  return wanted_ns <= 0 ? now_ns : now_ns + std::chrono::ceil<std::chrono::nanoseconds>(span).count();
}

// One sleep: a timer and the waiter that it wakes. Not movable while the sleep lasts.
class one_sleep {
 public:
  explicit one_sleep(time_ns until_ns) : timer_{until_ns} {}

  // `who` runs on the calling worker and is about to suspend. False: it resumes at once. True: the caller does not
  // touch this object afterwards.
  [[nodiscard]] bool start(std::coroutine_handle<> who, std::stop_token stop);
  // For a plain function on a worker: returns when the sleep is over.
  void sleep_here(std::stop_token stop);
  // Called after the sleep. Throws task_cancelled if the sleep was cancelled.
  void end();

 private:
  struct node : timer_node {
    explicit node(time_ns until_ns);
    coro::waiter sleeper{"sleep"};
  };
  struct canceller {
    one_sleep& self;
    void operator()() const noexcept { self.cancel(); }
  };

  [[nodiscard]] bool arm(std::stop_token&& stop);
  void cancel() noexcept;

  node timer_;
  void* shard_ = nullptr;
  std::optional<std::stop_callback<canceller>> on_stop_;
};

class sleep_awaiter {
 public:
  explicit sleep_awaiter(time_ns until_ns) : it_{until_ns} {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
    return it_.start(who, coro::stop_token_of(who));
  }
  void await_resume() { it_.end(); }

 private:
  one_sleep it_;
};

// The result of sleep_for and sleep_until, to be awaited or waited for.
class [[nodiscard]] sleep {
 public:
  explicit sleep(time_ns until_ns) : until_ns_{until_ns} {}

  [[nodiscard]] time_ns until_ns() const { return until_ns_; }

  [[nodiscard]] sleep_awaiter operator co_await() const { return sleep_awaiter{until_ns_}; }

 private:
  time_ns until_ns_;
};

}  // namespace time

template <class Rep, class Period>
time::sleep sleep_for(std::chrono::duration<Rep, Period> span) {
  return time::sleep{time::after(span)};
}

template <class Duration>
time::sleep sleep_until(std::chrono::time_point<std::chrono::steady_clock, Duration> when) {
  return time::sleep{std::chrono::ceil<std::chrono::nanoseconds>(when.time_since_epoch()).count()};
}

// Returns when the sleep is over; throws task_cancelled as soon as a stop is requested.
void wait(time::sleep what, std::stop_token stop = {});

}  // namespace filch::inline v0
