// What a task can ask about itself.
//
//   std::stop_token t = co_await filch::this_task::stop_token();      is it asked to stop?
//   filch::task_id  n = co_await filch::this_task::id();              of the spawned task that it is, or is awaited by
//   co_await filch::this_task::set_name("reader 7");                  for dumps
//
// Who may call what: a coroutine of filch. It resumes at once.
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
  using waits_for_tasks_alone = void;  // it does not wait at all

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

// Empty if nobody can ask it to stop.
inline auto stop_token() {
  return coro::question{[](const coro::promise_base& me) noexcept { return me.stop_token(); }};
}

// None if no spawned task awaits it.
inline auto id() {
  return coro::question{
      [](const coro::promise_base& me) noexcept { return me.context == nullptr ? task_id::none() : me.context->id(); }};
}

// Names the spawned task that this is, or is awaited by, in dumps. Does nothing if the runtime does not track its tasks
// (options::track_tasks). The name is copied.
inline auto set_name(const char* name) {
  return coro::question{[name](const coro::promise_base& me) noexcept { coro::rename_task(me, name); }};
}

}  // namespace this_task
}  // namespace filch::inline v0
