// A task with a time limit.
//
//   int r = co_await filch::timeout(ask(), 50ms);                          throws timed_out
//   std::optional<int> r = co_await filch::try_timeout(ask(), 50ms);       empty if the time is over
//
// When the time is over, a stop of the task is requested and the task is awaited: it never continues in the background.
// So a task that neither polls its stop token nor waits delays the end; a task that succeeds although the time is over
// has succeeded. An exception that leaves the task is rethrown. A stop request of the caller is passed on to the task.
//
// Both functions return tasks, which may be awaited, waited for, spawned, or passed to `all` and `any`. The time counts
// from their start.
//
// Who may call what: any thread may call both.
#pragma once

#include <filch/coro/all.hpp>
#include <filch/coro/child_scope.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/time/sleep.hpp>
#include <filch/time/timer.hpp>

#include <chrono>
#include <coroutine>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

// The time of a `timeout` was over before its task.
class timed_out : public std::runtime_error {
 public:
  timed_out() : std::runtime_error("filch: the task did not end within its time") {}
};

namespace time {

// The value type of `try_timeout` for a task<T>.
template <class T>
using timed_value = coro::element_result<coro::shown_result<T>>;

// Awaits a task with a deadline. Not movable: the timer and the task refer to it.
template <class T>
class [[nodiscard]] limited {
 public:
  limited(task<T>&& what, time_ns until_ns) : what_{std::move(what)}, until_ns_{until_ns} {}
  limited(const limited&) = delete;
  limited& operator=(const limited&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    if constexpr (std::is_base_of_v<coro::promise_base, Promise>) parent_ = &parent.promise();
    const std::coroutine_handle<> next = scope_.start(parent, what_.promise());
    timer_.start(until_ns_);
    return transfer_to(next);
  }
  // Empty: the time was over, and the task was cancelled because of that.
  std::optional<timed_value<T>> await_resume() {
    const bool was_over = !timer_.cancel();
    if (scope_.decisive() == nullptr) return no_result(was_over);  // a stop was requested before the task started
    try {
      return coro::take_shown(what_);
    } catch (const task_cancelled&) {
      return no_result(was_over);
    }
  }

 private:
  std::optional<timed_value<T>> no_result(bool was_over) const {
    if (!was_over || (parent_ != nullptr && parent_->is_stop_requested())) throw task_cancelled{};
    return std::nullopt;
  }

  task<T> what_;
  const time_ns until_ns_;
  coro::promise_base* parent_ = nullptr;
  coro::child_scope scope_{1, coro::child_scope::until::first_end};
  // Deferred: a callback of a token may wait, and the function of a timer must not.
  timer timer_{[](void* scope) noexcept { static_cast<coro::child_scope*>(scope)->request_stop_deferred(); }, &scope_};
};

}  // namespace time

template <class T, class Rep, class Period>
task<std::optional<time::timed_value<T>>> try_timeout(task<T> what, std::chrono::duration<Rep, Period> span) {
  co_return co_await time::limited<T>{std::move(what), time::after(span)};
}

template <class T, class Rep, class Period>
task<T> timeout(task<T> what, std::chrono::duration<Rep, Period> span) {
  auto result = co_await time::limited<T>{std::move(what), time::after(span)};
  if (!result) throw timed_out{};
  if constexpr (!std::is_void_v<T>) co_return static_cast<T>(*std::move(result));
}

}  // namespace filch::inline v0
