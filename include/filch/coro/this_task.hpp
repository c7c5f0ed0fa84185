// The properties of the running task.
//
//   std::stop_token t = co_await filch::this_task::stop_token();      its stop token
//   filch::task_id  n = co_await filch::this_task::id();              the number of its spawned task
//   co_await filch::this_task::set_name("reader 7");                  for dumps
//
// The spawned task of a coroutine is the coroutine itself, or the spawned task that awaits it, directly or indirectly.
//
// Who may call what: a coroutine of filch. It does not suspend.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/coro/detail/promise.hpp>

#include <concepts>
#include <coroutine>
#include <stop_token>

namespace filch::inline v0 {
namespace coro {

// Calls `Question` with the promise.
template <class Question>
class [[nodiscard]] question {
 public:
  using waits_only_for_tasks = void;  // it never waits

  explicit question(Question what) : what_{what} {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <std::derived_from<promise_base> Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) noexcept {
    asked_ = &who.promise();
    return false;
  }
  [[nodiscard]] auto await_resume() const noexcept { return what_(*asked_); }

 private:
  [[no_unique_address]] Question what_;
  promise_base* asked_ = nullptr;
};

void rename_task(const promise_base& who, const char* name) noexcept;

}  // namespace coro

namespace this_task {

// Empty if no stop of it can be requested.
inline auto stop_token() {
  return coro::question{[](const coro::promise_base& me) noexcept { return me.stop_token(); }};
}

// None if the coroutine is not part of a spawned task.
inline auto id() {
  return coro::question{
      [](const coro::promise_base& me) noexcept { return me.context == nullptr ? task_id::none() : me.context->id(); }};
}

// Names the spawned task in dumps. Does nothing if the runtime does not track its tasks (options::track_tasks). The
// name is copied.
inline auto set_name(const char* name) {
  return coro::question{[name](const coro::promise_base& me) noexcept { coro::rename_task(me, name); }};
}

}  // namespace this_task
}  // namespace filch::inline v0
