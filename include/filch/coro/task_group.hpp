// async_scope: starts a number of tasks that need not be known in advance, and resumes when all of them have ended.
//
//   co_await filch::async_scope([&](filch::task_group& group) -> filch::task<> {
//     while (auto each = co_await requests.async_receive()) group.spawn(answer(*each));
//   });
//
// The members of the group are the body and the tasks that are spawned into it. If a member throws, a stop of the
// others is requested; when all have ended, the first exception is rethrown. A stop request of the caller is passed on
// to the members. async_scope never resumes before all members have ended, so members may refer to objects of the
// caller and to captures of the body, which lives as long.
//
// A member that has ended occupies no memory. async_scope is a task itself: it may be awaited, waited for, spawned, or
// given a time limit.
//
// Who may call what: `spawn` and `cancel` any thread, as long as a member of the group has not ended; so a member may
// always call them.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/coro/context.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/coro/task.hpp>
#include <filch/share/join_counter.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/runtime/awaited_temporary.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

class task_group;

namespace coro {

// `body(group)` returns a task<>, which is the first member.
template <class Body>
concept group_body = requires(std::decay_t<Body>& body, task_group& group) {
  { body(group) } -> std::same_as<task<>>;
};

template <class Body>
task<> run_group(Body body);

}  // namespace coro

class task_group final : private coro::end_listener {
 public:
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  // Adds `child` as a member, which runs concurrently with the others. The name is for traces and must outlive the
  // runtime.
  void spawn(task<> child, const char* name = nullptr);
  // Requests a stop of all members, including the body. A task_cancelled that leaves a member afterwards is no failure.
  void cancel() noexcept;

 private:
  template <class Body>
  friend task<> coro::run_group(Body body);
  friend class group_ticket;

  // Does not suspend the parent. From then on members may be spawned.
  struct opened {
    using waits_only_for_tasks = void;

    task_group& group;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<coro::task_promise<void>> parent) const {
      group.open(parent.promise());
      return false;
    }
    void await_resume() const noexcept {}
  };
  struct all_ended {
    using waits_only_for_tasks = void;

    task_group& group;
    std::optional<task<>>& first;  // empty: the body threw instead of returning a task

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<coro::task_promise<void>>) const {
      return transfer_to(group.start(first));
    }
    void await_resume() const {
      if (group.error_) std::rethrow_exception(std::move(group.error_));
    }
  };

  task_group() = default;

  void open(coro::promise_base& parent);
  // The parent is suspended. Returns the coroutine to resume.
  [[nodiscard]] std::coroutine_handle<> start(std::optional<task<>>& first) noexcept;
  void adopt(coro::promise_base& child) noexcept;
  // Starts a member, unless a stop was requested: then the member ends without starting. Returns the coroutine to
  // resume.
  [[nodiscard]] std::coroutine_handle<> begin(coro::promise_base& child) noexcept;
  [[nodiscard]] std::coroutine_handle<> ended(coro::promise_base& who) noexcept override;
  [[nodiscard]] std::coroutine_handle<> end_one() noexcept;
  void fail(std::exception_ptr why) noexcept;

  // Written before the body is called.
  coro::promise_base* parent_ = nullptr;
  runtime::core* home_ = nullptr;
  std::optional<coro::context_below> context_;
  // Accessed by any member.
  join_counter<task_group> members_{1};
  std_atomics::atomic<bool> is_cancelled_{false};
  std_atomics::atomic<bool> has_failed_{false};
  std::exception_ptr error_;  // written by the member that failed first, read by the parent
};

namespace coro {

template <class Body>
task<> run_group(Body body) {
  task_group group;
  co_await task_group::opened{group};
  std::optional<task<>> first;
  try {
    task<> made = body(group);
    (void)made.promise();  // throws if it has no coroutine
    first.emplace(std::move(made));
  } catch (...) {
    group.fail(std::current_exception());  // a body that is a plain function may have spawned members before it threw
  }
  co_await task_group::all_ended{group, first};
}

}  // namespace coro

// Returns a task<>. With g++ before 13 and certain body types it is a wrapper that cannot be awaited directly: see
// awaited_temporary.hpp.
template <coro::group_body Body>
detail::awaitable_of<task<>, Body> async_scope(Body&& body) {
  return detail::awaitable_of<task<>, Body>{coro::run_group<std::decay_t<Body>>(std::forward<Body>(body))};
}

}  // namespace filch::inline v0
