// spawn: starts a task that runs concurrently with its creator.
//
//   filch::join_handle<int> h = filch::spawn(work());
//   …
//   int r = co_await std::move(h);                in a coroutine; h.get() elsewhere
//
// Who may call what: any thread; a handle one thread at a time. The destructor of the runtime waits for all spawned
// tasks, including detached ones. An exception that no caller retrieves is dropped.
//
// A stop of a spawned task is requested through its handle, or through the token it was spawned with. A stop of the
// creating task is not passed on, because a handle may be moved elsewhere and outlive that task. While a coroutine
// awaits a handle, a stop request of that coroutine is passed on to the awaited task.
#pragma once

#include <filch/coro/context.hpp>
#include <filch/coro/detail/frame_memory.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/coro/join_state.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/runtime/completion.hpp>
#include <filch/runtime/runtime.hpp>

#include <coroutine>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

class worker;

namespace coro {

// The record of a spawned coroutine, placed before its frame. It lives until the coroutine has ended and its handle is
// destroyed.
class spawned final : public end_listener, public context {
 public:
  // `root` has not started. The record takes ownership of its frame.
  [[nodiscard]] static spawned& make(promise_base& root) noexcept;
  spawned(const spawned&) = delete;
  spawned& operator=(const spawned&) = delete;

  // Submits the coroutine to a runtime; null: the calling worker's. If this throws, frame and record are destroyed.
  void enqueue(runtime* rt, promise_base& root, const submit_options& how);
  // Called on a worker of the new runtime after a move by on(runtime).
  void arrive() noexcept;
  [[nodiscard]] std::coroutine_handle<> ended(promise_base& who) noexcept override;

  // ---- called through the handle ----
  void drop_handle() noexcept {
    if (!end_.has_ended()) make_unstoppable();
    if (end_.leave()) destroy();
  }
  [[nodiscard]] bool has_ended() const { return end_.has_ended(); }
  // Registers `who` to be woken at the end. True: the task has already ended, and `who` will not be woken.
  [[nodiscard]] bool has_ended_before(waiter& who) { return end_.wait(who); }
  // Any thread. On a worker it suspends the stack; an external thread sleeps.
  void wait_here();
  // Valid after the end.
  [[nodiscard]] bool was_cancelled() const { return was_cancelled_; }
  template <class T>
  T take() {
    return std::coroutine_handle<task_promise<T>>::from_address(frame()).promise().take();
  }

 private:
  spawned() = default;
  ~spawned() = default;

  [[nodiscard]] static bool may_start(coroutine_entry& who, bool is_late) noexcept;
  static constexpr start_rule k_rule{&may_start};

  [[nodiscard]] void* frame() noexcept { return reinterpret_cast<std::byte*>(this) + k_record_bytes; }
  // Ends a task that has not started.
  void cancel() noexcept;
  void track() noexcept;
  // The task has ended. Returns the coroutine to resume, or std::noop_coroutine. The record may be destroyed before
  // this returns.
  [[nodiscard]] std::coroutine_handle<> finish() noexcept;
  void destroy() noexcept;

  bool was_cancelled_ = false;
  bool is_tracked_ = false;
  join_state<waiter> end_;
};

// The record fits into the room before the frame.
static_assert(sizeof(spawned) <= k_record_bytes && k_record_bytes % alignof(std::max_align_t) == 0);

}  // namespace coro

template <class T>
class [[nodiscard]] join_handle {
 public:
  explicit join_handle(coro::spawned& made) noexcept : made_{&made} {}  // takes ownership
  join_handle(join_handle&& other) noexcept : made_{std::exchange(other.made_, nullptr)} {}
  join_handle& operator=(join_handle&& other) noexcept {
    if (this != &other) {
      detach();
      made_ = std::exchange(other.made_, nullptr);
    }
    return *this;
  }
  ~join_handle() { detach(); }

  // True if the handle refers to a task.
  [[nodiscard]] bool valid() const { return made_ != nullptr; }
  [[nodiscard]] bool is_ready() const { return need().has_ended(); }

  // Gives up the handle; the task continues.
  void detach() noexcept {
    if (made_ != nullptr) std::exchange(made_, nullptr)->drop_handle();
  }
  // Requests a stop of the task. A task that has not started never starts, and its waiter gets task_cancelled. In a
  // task that has started, the current and all later waits throw task_cancelled, so that its destructors run; the task
  // may catch the exception and end normally.
  void cancel() { need().request_stop(); }

  // The task's result, its exception, or task_cancelled. Once.
  [[nodiscard]] auto operator co_await() && {
    (void)need();
    return awaiter{std::move(*this)};
  }

  // The same on any thread: on a worker it suspends the calling stack; an external thread sleeps.
  T get() {
    if (!need().has_ended()) made_->wait_here();
    const join_handle taken{std::move(*this)};
    return taken.take();
  }

 private:
  coro::spawned& need() const {
    if (made_ == nullptr) throw no_state{};
    return *made_;
  }
  T take() const {
    if (made_->was_cancelled()) throw task_cancelled{};
    return made_->take<T>();
  }

  struct awaiter {
    explicit awaiter(join_handle&& awaited) : from{std::move(awaited)} {}
    awaiter(const awaiter&) = delete;
    awaiter& operator=(const awaiter&) = delete;

    join_handle from;
    coro::waiter self{k_reason};
    std::optional<coro::stop_path> asked_to_stop{};

    static constexpr const char* k_reason = "a spawned task";
    [[nodiscard]] const void* awaited_task() const { return static_cast<const coro::context*>(from.made_); }

    [[nodiscard]] bool await_ready() const { return from.made_->has_ended(); }
    template <class Promise>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
      self.arm(who);
      if constexpr (std::is_base_of_v<coro::promise_base, Promise>) {
        coro::context* const mine = who.promise().context;
        if (mine != nullptr && !mine->is_unstoppable()) asked_to_stop.emplace(mine, *from.made_);
      }
      return !from.made_->has_ended_before(self);
    }
    T await_resume() {
      asked_to_stop.reset();
      return from.take();
    }
  };

  coro::spawned* made_;
};

// Starts `what` on a worker of `rt`. `how` as for runtime::submit.
template <class T>
join_handle<T> spawn(runtime& rt, task<T> what, const submit_options& how = {}) {
  coro::promise_base& root = what.release();
  coro::spawned& made = coro::spawned::make(root);
  made.enqueue(&rt, root, how);
  return join_handle<T>{made};
}

// The same on the runtime of the calling worker; on an external thread on the default runtime.
template <class T>
join_handle<T> spawn(task<T> what, const submit_options& how = {}) {
  if (!this_worker().is_some()) return filch::spawn(default_runtime(), std::move(what), how);
  coro::promise_base& root = what.release();
  coro::spawned& made = coro::spawned::make(root);
  made.enqueue(nullptr, root, how);
  return join_handle<T>{made};
}

}  // namespace filch::inline v0
