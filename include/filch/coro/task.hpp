// task: a coroutine that runs on the workers.
//
//   filch::task<int> work() { co_return 7; }
//   filch::task<int> more() { co_return 1 + co_await work(); }
//   int r = rt.run(more());                       from any thread
//
// A task is lazy: it starts when it is awaited, waited for, run or spawned, and only then. Awaiting one from another
// costs no queue: the caller stops, the task runs on the same worker, and the caller resumes where the task ended.
//
// Who may call what: the coroutine runs on workers only; between two of its lines with co_await it may change the
// worker and the thread. `wait` and calling a task any thread. A task is used once and must not be destroyed while it
// runs.
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

// Runs a coroutine that has not started to its end, on a worker. While it waits the caller's stack is suspended.
// Throws stack_exhausted if little of that is left.
void run_to_end(promise_base& root);

[[noreturn]] void throw_empty_task();

}  // namespace coro

template <class T>
class [[nodiscard]] task {
 public:
  using promise_type = coro::task_promise<T>;
  using waits_for_tasks_alone = void;

  task(task&& other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {
    // Two tasks side by side are not moved as one vector: right after both were made, as for `all`, the load of the
    // pair would wait until the two stores have left the store buffer.
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

  // Does it have a coroutine? Not if it was moved from.
  [[nodiscard]] bool valid() const { return frame_ != nullptr; }

  // Waits for it: so a task is a function, and runtime::run and runtime::submit take it.
  T operator()() &&;

  // Runs it here and now; the caller resumes where it ends.
  [[nodiscard]] auto operator co_await() && { return awaiter{promise()}; }

  // For those that start it. Throws usage_error if it has no coroutine.
  [[nodiscard]] promise_type& promise() const {
    if (frame_ == nullptr) coro::throw_empty_task();
    return frame_.promise();
  }
  // The same, and the coroutine is theirs from now on.
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

// Returns the task's result, or throws its exception. On a worker it starts at once, and if it does not end without
// waiting for others, the calling stack is suspended and the worker resumes with other work: so the code after it may
// be on another thread. Throws stack_exhausted if that stack is nearly used up. Elsewhere the default runtime runs it,
// and the thread sleeps.
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
