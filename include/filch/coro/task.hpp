// task: a coroutine that runs on the workers.
//
//   filch::task<int> work() { co_return 7; }
//   filch::task<int> more() { co_return 1 + co_await work(); }
//   int r = rt.run(more());                       from any thread
//
// A task is lazy: it starts when it is awaited, waited for, run or spawned, and not earlier. Awaiting a task involves
// no queue: the awaiting coroutine suspends, the task runs on the same worker, and the awaiting coroutine resumes where
// the task ended.
//
// Who may call what: the coroutine runs on workers only; each co_await may move it to another worker and thread. Any
// thread may call `wait`, or call a task as a function. A task is used once and must not be destroyed while it runs.
#pragma once

#include <filch/coro/detail/children.hpp>
#include <filch/coro/detail/destroy_frame.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/runtime/runtime.hpp>

#include <coroutine>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

template <class T = void>
class task;

namespace coro {

template <class T>
class task_promise final : public promise_base, public outcome<T> {
 public:
  [[nodiscard]] task<T> get_return_object() noexcept;
  void unhandled_exception() noexcept {
    has_failed = true;
    outcome<T>::unhandled_exception();
  }
};

// Runs a coroutine that has not started to its end, on a worker. While it waits, the caller's stack is suspended.
// Throws stack_exhausted if little of the caller's stack is left.
void run_to_end(promise_base& root);

[[noreturn]] void throw_empty_task();

}  // namespace coro

template <class T>
class [[nodiscard]] task {
 public:
  using promise_type = coro::task_promise<T>;
  using waits_only_for_tasks = void;

  task(task&& other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {
    // Keeps the compiler from moving two adjacent tasks as one vector: right after both were constructed, as for `all`,
    // the load of the pair could not be forwarded from the two stores and would stall on the store buffer.
    void* alone = frame_.address();
    asm("" : "+r"(alone));
    frame_ = std::coroutine_handle<promise_type>::from_address(alone);
  }
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      reset();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~task() { reset(); }

  // True if the task has a coroutine: it was not moved from.
  [[nodiscard]] bool valid() const { return frame_ != nullptr; }

  // As filch::wait. It makes a task a function, which runtime::run and runtime::submit accept.
  T operator()() &&;

  // Runs the task at once; the awaiting coroutine resumes where the task ends.
  [[nodiscard]] auto operator co_await() && { return awaiter{promise()}; }

  // For the code that starts the task. Throws usage_error if it has no coroutine.
  [[nodiscard]] promise_type& promise() const {
    if (frame_ == nullptr) coro::throw_empty_task();
    return frame_.promise();
  }
  // The same, and the caller takes ownership of the coroutine.
  [[nodiscard]] promise_type& release() {
    promise_type& given = promise();
    frame_ = nullptr;
    return given;
  }

 private:
  friend promise_type;

  struct awaiter {
    promise_type& child;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) const noexcept {
      child.continuation = parent;
      child.belong_to(parent);
      return v0::transfer_to(child.self);
    }
    T await_resume() const { return child.take(); }
  };

  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_{frame} {}
  void reset() noexcept {
    if (frame_ != nullptr) coro::destroy_frame(std::exchange(frame_, nullptr));
  }

  std::coroutine_handle<promise_type> frame_;
};

// Returns the task's result, or throws its exception. On a worker the task starts at once; if it has to wait, the
// calling stack is suspended and the worker continues with other work, so the code after the call may run on another
// thread. Throws stack_exhausted if the calling stack is nearly used up. On an external thread the default runtime runs
// the task, and the thread sleeps.
template <class T>
T wait(task<T> what) {
  if (!this_worker().is_some()) return default_runtime().run(std::move(what));
  coro::run_to_end(what.promise());
  return what.promise().take();
}

template <class T>
T task<T>::operator()() && {
  return filch::wait(std::move(*this));
}

template <class T>
task<T> coro::task_promise<T>::get_return_object() noexcept {
  const auto frame = std::coroutine_handle<task_promise>::from_promise(*this);
  self = frame;
  return task<T>{frame};
}

}  // namespace filch::inline v0
