// Where and when a coroutine resumes.
//
//   co_await filch::yield();                      lets other ready work run first
//   co_await filch::on(filch::worker_id{1});      resumes on worker 1 and stays there until its next wait
//   co_await filch::on(other_runtime);            a spawned task resumes on another runtime
//
// Who may call what: a coroutine.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/share/entry.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/runtime/runtime.hpp>

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {
namespace coro {

// After these calls the coroutine, and the entry in its frame, may be destroyed at any time.
void queue_behind_others(coroutine_entry& who) noexcept;
void queue_at(worker_id where, coroutine_entry& who) noexcept;
// For a coroutine without an entry. False: there is no memory for one, and the caller resumes the coroutine.
[[nodiscard]] bool queue_behind_others(std::coroutine_handle<> who) noexcept;
// Throws std::invalid_argument if the running worker's runtime has no such worker.
void require_worker(worker_id where);

class [[nodiscard]] yield_awaiter {
 public:
  static constexpr const char* k_reason = "its turn";

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> who) noexcept {
    if constexpr (std::is_base_of_v<promise_base, Promise>) who_ = &who.promise();
    entry_.self = who;
    queue_behind_others(entry_);
  }
  void await_resume() const {
    if (who_ != nullptr && who_->is_stop_requested()) throw task_cancelled{};
  }

 private:
  const promise_base* who_ = nullptr;
  coroutine_entry entry_;
};

class [[nodiscard]] on_awaiter {
 public:
  static constexpr const char* k_reason = "a worker";

  explicit on_awaiter(worker_id where) : where_{where} {}

  [[nodiscard]] bool await_ready() const {
    require_worker(where_);
    return this_worker() == where_;
  }
  void await_suspend(std::coroutine_handle<> who) noexcept {
    entry_.self = who;
    queue_at(where_, entry_);
  }
  void await_resume() const noexcept {}

 private:
  worker_id where_;
  coroutine_entry entry_;
};

// True if `who` runs on `there`. Throws usage_error if it does not and cannot be moved.
[[nodiscard]] bool is_at(const runtime& there, const promise_base& who);
// Moves the coroutine to another runtime; it may be destroyed before this returns. Throws usage_error if the runtime no
// longer accepts tasks.
void queue_at(const runtime& there, coroutine_entry& who);
// Called on the new runtime once the moved coroutine runs there.
void arrive(const promise_base& who) noexcept;

class [[nodiscard]] on_runtime_awaiter {
 public:
  using waits_only_for_tasks = void;  // not tracked as a wait: it would be listed in two runtimes

  explicit on_runtime_awaiter(const runtime& where) : where_{where} {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <std::derived_from<promise_base> Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
    if (coro::is_at(where_, who.promise())) return false;
    moved_ = &who.promise();
    entry_.self = who;
    queue_at(where_, entry_);
    return true;
  }
  void await_resume() const noexcept {
    if (moved_ != nullptr) arrive(*moved_);
  }

 private:
  const runtime& where_;
  const promise_base* moved_ = nullptr;
  coroutine_entry entry_;
};

}  // namespace coro

// Resumes the coroutine after the work that is in its worker's queue; a thief may take it earlier. Throws
// task_cancelled if a stop of its task was requested.
inline coro::yield_awaiter yield() { return coro::yield_awaiter{}; }

// Resumes the coroutine on that worker of the same runtime. After its next wait it resumes wherever it is woken.
inline coro::on_awaiter on(worker_id where) { return coro::on_awaiter{where}; }

// Moves a spawned task to another runtime. From then on the destructor of that runtime waits for the task; the
// destructor of the old one does not. Only the spawned coroutine itself can move: a coroutine that is awaited by
// another would take its parents along; use `co_await spawn(there, work())` instead. Throws usage_error from any other
// coroutine, and if the other runtime was shut down.
inline coro::on_runtime_awaiter on(runtime& where) { return coro::on_runtime_awaiter{where}; }

}  // namespace filch::inline v0
