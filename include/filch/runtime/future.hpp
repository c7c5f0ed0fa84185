// The result of a submitted task, once it is there.
//
// get() and wait() on a worker never idle it: if the task has not started, the caller runs it itself; if another worker
// runs it, a spare thread stands in for this one meanwhile. If little is left of the worker's stack, they throw
// stack_exhausted. On other threads they block.
#pragma once

#include <filch/base/units.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/runtime/task.hpp>

#include <chrono>
#include <utility>

namespace filch::inline v0 {

namespace detail {

// Returns when `what` is finished; see the head of future.hpp for what happens meanwhile.
void wait_for(task_base& what);
// … or the deadline on the monotonic clock has passed. True: it is finished.
[[nodiscard]] bool wait_for(task_base& what, time_ns deadline_ns);

// Throws usage_error if the task was submitted before fork() and this is the child.
void require_same_process(const task_base& what);

// So long from now; a span that does not fit is for ever, a negative one is over.
template <class Rep, class Period>
[[nodiscard]] time_ns deadline_after(std::chrono::duration<Rep, Period> span) {
  const time_ns now_ns = monotonic_now_ns();
  const double wanted_ns = std::chrono::duration<double, std::nano>{span}.count();
  if (!(wanted_ns < static_cast<double>(k_never_ns / 2))) return k_never_ns;
  if (wanted_ns <= 0) return now_ns;
  return now_ns + std::chrono::duration_cast<std::chrono::nanoseconds>(span).count();
}

}  // namespace detail

template <class T>
class [[nodiscard]] future {
 public:
  future() = default;
  future(future&& other) noexcept : task_{std::exchange(other.task_, nullptr)} {}
  future& operator=(future&& other) noexcept {
    if (this != &other) {
      reset();
      task_ = std::exchange(other.task_, nullptr);
    }
    return *this;
  }
  ~future() { reset(); }

  // Does it refer to a task?
  [[nodiscard]] bool valid() const { return task_ != nullptr; }
  // Would get() return at once?
  [[nodiscard]] bool is_ready() const { return need().state.is_finished(); }

  void wait() const { detail::wait_for(need()); }

  // True: the task is finished.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> span) const {
    return detail::wait_for(need(), detail::deadline_after(span));
  }

  // The task's result, or the exception that left it, or task_cancelled. Only once.
  T get() {
    detail::wait_for(need());
    future taken{std::move(*this)};
    if (taken.task_->state.is_cancelled()) throw task_cancelled{};
    return taken.task_->take_result();
  }

  // For a coroutine that awaits it, which is told when the task is finished.
  [[nodiscard]] task_base& awaited() const { return need(); }

 private:
  friend class runtime;
  // Takes over one reference.
  explicit future(result_task<T>* referred) : task_{referred} {}

  result_task<T>& need() const {
    if (task_ == nullptr) throw no_state{};
    return *task_;
  }
  void reset() noexcept {
    if (task_ != nullptr) std::exchange(task_, nullptr)->release();
  }

  result_task<T>* task_ = nullptr;
};

}  // namespace filch::inline v0
