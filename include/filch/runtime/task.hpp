// A unit of work as the runtime handles it: what is common to all tasks, whatever they compute.
//
// A task is made by the thread that submits it and is referred to by the queue it is in and by its future, if there is
// one; the last of them destroys it. Its `completion` decides which party runs it.
//
// Invariants
//   I1  Only the party that claimed the task may run or cancel it. A queue entry whose task was claimed elsewhere is
//       empty and is dropped by the worker that takes it out.
//   I2  The result is written before the task is finished, and afterwards touched by the future's owner only.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/runtime/completion.hpp>
#include <filch/share/entry.hpp>
#include <filch/runtime/label.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

class task_base : public queue_entry, public task_record {
 public:
  task_base(const task_base&) = delete;
  task_base& operator=(const task_base&) = delete;

  // Runs what was claimed, or destroys it when it is cancelled. Then `state.finish` tells the waiters; the caller's
  // reference must live on.
  void carry_out(bool is_cancelled) noexcept {
    if (is_cancelled) abandon();
    else run();
  }

  void release() noexcept {
    if (references_.drop()) delete this;
  }

  // Written before the task is published, constant afterwards; as is its record, but for `inside` and `priority`, which
  // the party that claimed it writes. In an order that leaves no gaps.
  bool ignores_shutdown = false;      // the deadline of a shutdown does not cancel it: its parent waits for it
  std::uint32_t fork_generation = 0;  // of the process in which it was made
  std::stop_token stop{};

  completion<> state;

  worker_id pinned_to = worker_id::none();  // as those above

 protected:
  explicit task_base(std::uint32_t references) : queue_entry{entry_kind::task}, references_{references} {}
  virtual ~task_base() = default;

 private:
  // Computes and stores the result, or the exception. Does not throw.
  virtual void run() noexcept = 0;
  // Destroys what it would have run.
  virtual void abandon() noexcept = 0;

 public:
  // What it is called in recordings when it has no name; before it runs.
  [[nodiscard]] virtual const char* label() const noexcept { return nullptr; }

 private:
  reference_count<> references_;
};

// Where a task's result lies.
template <class T>
class result_slot {
 public:
  template <class F>
  void compute(F& function) noexcept {
    try {
      value_.emplace(std::move(function)());
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  T take() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  std::exception_ptr error_;
};

template <class T>
class result_slot<T&> {
 public:
  template <class F>
  void compute(F& function) noexcept {
    try {
      value_ = std::addressof(std::move(function)());
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  T& take() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return *value_;
  }

 private:
  T* value_ = nullptr;
  std::exception_ptr error_;
};

template <>
class result_slot<void> {
 public:
  template <class F>
  void compute(F& function) noexcept {
    try {
      std::move(function)();
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  void take() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  std::exception_ptr error_;
};

// A task whose result is a T: what a future<T> refers to.
template <class T>
class result_task : public task_base {
 public:
  // Only once, and only when finished and not cancelled.
  decltype(auto) take_result() { return result_.take(); }

 protected:
  using task_base::task_base;

  result_slot<T> result_;
};

namespace detail {

// A call without its types: every function that a thread waits for is the same kind of task.
struct plain_call {
  void (*call)(void*) noexcept;
  void* argument;
  const char* label;

  void operator()() const noexcept { call(argument); }
};
[[nodiscard]] inline const char* label_of(const plain_call& what) noexcept { return what.label; }

}  // namespace detail

// The task that calls `F`. The function is destroyed as soon as it has run or is cancelled, so that what it holds is
// not held by a future.
template <class F, class T = std::invoke_result_t<F&&>>
class function_task final : public result_task<T> {
 public:
  template <class G>
  function_task(G&& function, std::uint32_t references)
      : result_task<T>{references}, function_(std::forward<G>(function)) {}

 private:
  ~function_task() override { abandon(); }
  void run() noexcept override {
    this->result_.compute(function_);
    function_task::abandon();
  }
  void abandon() noexcept override {
    if (std::exchange(is_held_, false)) std::destroy_at(std::addressof(function_));
  }
  [[nodiscard]] const char* label() const noexcept override { return detail::label_of(function_); }

  bool is_held_ = true;
  union {
    F function_;
  };
};

}  // namespace filch::inline v0
