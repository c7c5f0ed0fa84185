// Awaiting the future of a plain function.
//
//   int r = co_await rt.submit(job);
//
// The coroutine is suspended until the function has ended; meanwhile it occupies its frame, but no stack and no thread.
// If a stop of its task is requested, the wait ends with task_cancelled: a function that has not started never starts;
// one that runs continues, and its result is dropped. So if a stop can be requested, the function must not refer to
// objects in the coroutine; or await a task instead, whose end is always awaited.
//
// The coroutine does not run the function itself, as future::get does: a call cannot be abandoned when a stop is
// requested. The submitting worker takes the function next anyway, unless a thief is faster.
//
// Who may call what: a coroutine. On an external thread the wait blocks.
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

// The wait of a coroutine for a plain function. Lies in the awaiter, which holds the future.
class future_wait final : public finish_listener {
 public:
  explicit future_wait(const char* why) : self_{why} {}
  future_wait(const future_wait&) = delete;
  future_wait& operator=(const future_wait&) = delete;

  // True if the function has finished and the budget allows to continue. Throws usage_error if it can never finish.
  [[nodiscard]] static bool is_ready(task_base& awaited);
  // `who` is about to suspend. True: it waits, and the caller does not touch the awaiter afterwards.
  [[nodiscard]] bool begin(task_base& awaited, std::coroutine_handle<> who, std::stop_token stop);
  // The coroutine has resumed. Throws task_cancelled if the wait was cancelled.
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

// The function's result, its exception, or task_cancelled.
template <class T>
coro::future_awaiter<T> operator co_await(future<T>&& awaited) {
  return coro::future_awaiter<T>{std::move(awaited)};
}

}  // namespace filch::inline v0
