// Where and when a coroutine resumes.
//
//   co_await filch::yield();                      lets others run first
//   co_await filch::on(filch::worker_id{1});      resumes there; until it waits for something, it stays
//   co_await filch::on(other_runtime);            a spawned task resumes at another runtime
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

// From then on the coroutine that the entry stands for, and the entry with it, may be gone.
void queue_behind_others(coroutine_entry& who) noexcept;
void queue_at(worker_id where, coroutine_entry& who) noexcept;
// The same where there is no entry. False: there is no memory for one, and the coroutine resumes.
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

// Does `who` run at that runtime? Throws usage_error if it may not go there.
[[nodiscard]] bool is_at(const runtime& there, const promise_base& who);
// From then on the coroutine may be gone. Throws usage_error if the runtime takes nobody any more.
void queue_at(const runtime& there, coroutine_entry& who);
// It has come there.
void arrive(const promise_base& who) noexcept;

class [[nodiscard]] on_runtime_awaiter {
 public:
  using waits_for_tasks_alone = void;  // it would be listed at two runtimes

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

// The coroutine resumes after what lies in its worker's queue; others may take it before. Throws task_cancelled if the
// task was asked to stop.
inline coro::yield_awaiter yield() { return coro::yield_awaiter{}; }

// The coroutine resumes at that worker of the same runtime. Afterwards it resumes where what it waits for ends.
inline coro::on_awaiter on(worker_id where) { return coro::on_awaiter{where}; }

// A spawned task resumes at another runtime, which waits for it from then on before it ends; the one that it left does
// not. Only the spawned coroutine itself can go: one that others await would take them along. They write `co_await
// spawn(there, work())`. Throws usage_error elsewhere, and if the other runtime has been shut down.
inline coro::on_runtime_awaiter on(runtime& where) { return coro::on_runtime_awaiter{where}; }

}  // namespace filch::inline v0
