// once: the first caller runs a function; concurrent callers wait until it has returned, later ones return at once.
//
//   filch::once loaded;
//   loaded.call([&] { table = load(); });
//   co_await loaded.async_call([&]() -> filch::task<> { table = co_await fetch(); });     in a coroutine
//
// Who may call what: any thread. If the function throws, its caller gets the exception and the next waiter runs its own
// function. The plain form suspends the calling stack on a worker and blocks an external thread.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/coro/task.hpp>
#include <filch/sync/mutex.hpp>

#include <functional>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

class once {
 public:
  once() = default;
  once(const once&) = delete;
  once& operator=(const once&) = delete;

  [[nodiscard]] bool is_done() const {
    // [N1] acquire load: observes what the function did ← [N2].
    return is_done_.load(std::memory_order_acquire);
  }

  // Throws the function's exception, or task_cancelled if a stop is requested during the wait.
  template <class F>
  void call(F&& function, const std::stop_token& stop = {}) {
    if (is_done()) return;
    mutex_.lock(stop);
    const std::lock_guard lock{mutex_, std::adopt_lock};
    if (is_done()) return;
    (void)std::invoke(std::forward<F>(function));
    set_done();
  }

  // The function may be a coroutine. Returns a task<>. With g++ before 13 and certain function types it is a wrapper
  // that cannot be awaited directly: see awaited_temporary.hpp.
  template <class F>
  detail::awaitable_of<task<>, F> async_call(F&& function) {
    return detail::awaitable_of<task<>, F>{call_once<std::decay_t<F>>(std::forward<F>(function))};
  }

 private:
  template <class F>
  task<> call_once(F function) {
    if (is_done()) co_return;
    const auto lock = co_await mutex_.async_lock();
    if (is_done()) co_return;
    using made = detail::stored_as<std::invoke_result_t<F>>;
    if constexpr (requires(made&& one) { static_cast<made&&>(one).operator co_await(); }) {
      made one = std::invoke(std::move(function));
      (void)co_await static_cast<made&&>(one);
    } else {
      (void)std::invoke(std::move(function));
    }
    set_done();
  }
  void set_done() {
    // [N2] release store: publishes what the function did → [N1].
    is_done_.store(true, std::memory_order_release);
  }

  std_atomics::atomic<bool> is_done_{false};
  mutex mutex_;
};

}  // namespace filch::inline v0
