// Awaiting the future of a plain function.
//
//   int r = co_await rt.submit(job);
//
// The coroutine is suspended until the function has ended, whoever runs it, and holds its frame meanwhile, no stack and
// no thread. If its task is asked to stop, the wait ends with task_cancelled: a function that has not started does not
// start then; one that runs resumes, and nobody hears of its end. So what it refers to must not lie in the coroutine,
// if that can be asked to stop; or await a task, whose end is always awaited.
//
// The function is not run in place of the wait, as future::get does: a call cannot be left when somebody asks to stop.
// The worker that submitted it comes to it next anyway, unless another takes it.
//
// Who may call what: a coroutine. On a thread that is no worker it blocks.
#pragma once

#include <filch/coro/budget.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/runtime/completion.hpp>
#include <filch/runtime/future.hpp>
#include <filch/runtime/task.hpp>

#include <coroutine>
#include <optional>
#include <stop_token>
#include <utility>

namespace filch::inline v0 {
namespace coro {

// A coroutine that waits for a plain function. It lies in the awaiter, which keeps the future.
class future_wait final : public finish_listener {
 public:
  explicit future_wait(const char* why) : self_{why} {}
  future_wait(const future_wait&) = delete;
  future_wait& operator=(const future_wait&) = delete;

  // Is it finished, without waiting? Throws usage_error if it never will be.
  [[nodiscard]] static bool is_ready(task_base& awaited);
  // `who` is about to suspend. True: it waits, and nothing of this may be touched.
  [[nodiscard]] bool begin(task_base& awaited, std::coroutine_handle<> who, std::stop_token stop);
  // It resumes. Throws task_cancelled.
  void end();

  void finished() noexcept override { self_.wake(); }

 private:
  struct give_up {
    future_wait& who;
    void operator()() const noexcept;
  };

  task_base* awaited_ = nullptr;
  waiter self_;
  std::optional<std::stop_callback<give_up>> on_stop_;
  bool is_given_up_ = false;
};

template <class T>
class [[nodiscard]] future_awaiter {
 public:
  static constexpr const char* k_reason = "a function";

  explicit future_awaiter(future<T>&& awaited) : from_{std::move(awaited)} {}

  [[nodiscard]] bool await_ready() const { return future_wait::is_ready(from_.awaited()); }
  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
    return wait_.begin(from_.awaited(), who, coro::stop_token_of(who)) || coro::pause_if_spent(who);
  }
  T await_resume() {
    wait_.end();
    return from_.get();
  }

 private:
  future<T> from_;
  future_wait wait_{k_reason};
};

}  // namespace coro

// The function's result, or the exception that left it, or task_cancelled.
template <class T>
coro::future_awaiter<T> operator co_await(future<T>&& awaited) {
  return coro::future_awaiter<T>{std::move(awaited)};
}

}  // namespace filch::inline v0
