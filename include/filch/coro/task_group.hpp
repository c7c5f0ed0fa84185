// async_scope: starts so many tasks as it turns out to need, and resumes when all of them have ended.
//
//   co_await filch::async_scope([&](filch::task_group& group) -> filch::task<> {
//     while (auto each = co_await requests.async_receive()) group.spawn(answer(*each));
//   });
//
// The body and what it spawns are the members of the group. If one throws, the others are asked to stop; when all have
// ended the first exception is rethrown. If the caller is asked to stop, so are the members. The group cannot be left
// before: what the members refer to may lie in the caller, or be captured by the body, which lives as long.
//
// Members that have ended leave nothing behind. async_scope is a task itself: it may be awaited, waited for, spawned,
// given a time limit.
//
// Who may call what: `spawn` and `cancel` any thread, while a member of the group has not ended; the members always.
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

// `body(group)` is a task<>, the first member.
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

  // `child` is a member from now on, and runs beside the others. The name is for traces and must outlive the runtime.
  void spawn(task<> child, const char* name = nullptr);
  // Asks all members to stop, the body too. That they end with task_cancelled then is no failure.
  void cancel() noexcept;

 private:
  template <class Body>
  friend task<> coro::run_group(Body body);
  friend class group_ticket;

  // The parent does not suspend: members may come from then on.
  struct opened {
    using waits_for_tasks_alone = void;

    task_group& group;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<coro::task_promise<void>> parent) const {
      group.open(parent.promise());
      return false;
    }
    void await_resume() const noexcept {}
  };
  struct all_ended {
    using waits_for_tasks_alone = void;

    task_group& group;
    std::optional<task<>>& first;  // none: the body could not make it

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
  // The parent is suspended. Returns whom to resume.
  [[nodiscard]] std::coroutine_handle<> start(std::optional<task<>>& first) noexcept;
  void adopt(coro::promise_base& child) noexcept;
  // A member that has not started, or the next if it is too late for that. Returns whom to resume.
  [[nodiscard]] std::coroutine_handle<> begin(coro::promise_base& child) noexcept;
  [[nodiscard]] std::coroutine_handle<> ended(coro::promise_base& who) noexcept override;
  [[nodiscard]] std::coroutine_handle<> end_one() noexcept;
  void fail(std::exception_ptr why) noexcept;

  // Written before the body is called.
  coro::promise_base* parent_ = nullptr;
  runtime::core* home_ = nullptr;
  std::optional<coro::context_below> context_;
  // Any member.
  join_counter<task_group> members_{1};
  std_atomics::atomic<bool> is_cancelled_{false};
  std_atomics::atomic<bool> has_failed_{false};
  std::exception_ptr error_;  // written by the one that failed first, read by the parent
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
    group.fail(std::current_exception());  // a body that is no coroutine may have spawned members before
  }
  co_await task_group::all_ended{group, first};
}

}  // namespace coro

// Returns a task<>; awaited_temporary.hpp says when it is one that cannot be awaited at once.
template <coro::group_body Body>
detail::awaitable_of<task<>, Body> async_scope(Body&& body) {
  return detail::awaitable_of<task<>, Body>{coro::run_group<std::decay_t<Body>>(std::forward<Body>(body))};
}

}  // namespace filch::inline v0
