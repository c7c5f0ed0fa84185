// spawn: starts a task that runs beside the one that started it.
//
//   filch::join_handle<int> h = filch::spawn(work());
//   …
//   int r = co_await std::move(h);                in a coroutine; h.get() elsewhere
//
// Who may call what: any thread; a handle one thread at a time. The runtime waits for spawned tasks before it ends,
// also for those whose handle is gone. An exception that nobody asks for is dropped.
//
// A spawned task is asked to stop through its handle, or through the token it was spawned with; not because the task
// that spawned it is: a handle may go elsewhere and live longer. While a coroutine awaits a handle, who asks it to stop
// asks the awaited task, too.
#pragma once

#include <filch/coro/context.hpp>
#include <filch/coro/detail/frame_memory.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/coro/hand_over.hpp>
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

// A spawned coroutine, whatever it computes: the record before its frame. It is there until it has ended and its handle
// is gone.
class spawned final : public end_listener, public context {
 public:
  // `root` has not started. Its frame belongs to the record from now on.
  [[nodiscard]] static spawned& make(promise_base& root) noexcept;
  spawned(const spawned&) = delete;
  spawned& operator=(const spawned&) = delete;

  // Hands the coroutine to a runtime; null: the calling worker's. If that throws, all is gone.
  void enqueue(runtime* rt, promise_base& root, const submit_options& how);
  // It has come to a worker of another runtime.
  void arrive() noexcept;
  [[nodiscard]] std::coroutine_handle<> ended(promise_base& who) noexcept override;

  // ---- the handle's ----
  void drop_handle() noexcept {
    if (!end_.has_ended()) make_unstoppable();
    if (end_.leave()) destroy();
  }
  [[nodiscard]] bool has_ended() const { return end_.has_ended(); }
  // `who` waits from now on. True: it has ended before, and nobody will wake it.
  [[nodiscard]] bool has_ended_before(waiter& who) { return end_.wait(who); }
  // Any thread: suspends the stack, or sleeps.
  void wait_here();
  // Once it has ended.
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
  // It has not started, and does not.
  void cancel() noexcept;
  void track() noexcept;
  // It has ended. Returns whom to resume, perhaps nobody; from then on this may be gone.
  [[nodiscard]] std::coroutine_handle<> finish() noexcept;
  void destroy() noexcept;

  bool was_cancelled_ = false;
  bool is_tracked_ = false;
  hand_over<waiter> end_;
};

// What a spawned task needs beside its frame.
static_assert(sizeof(spawned) <= k_record_bytes && k_record_bytes % alignof(std::max_align_t) == 0);

}  // namespace coro

template <class T>
class [[nodiscard]] join_handle {
 public:
  explicit join_handle(coro::spawned& made) noexcept : made_{&made} {}  // is its owner from now on
  join_handle(join_handle&& other) noexcept : made_{std::exchange(other.made_, nullptr)} {}
  join_handle& operator=(join_handle&& other) noexcept {
    if (this != &other) {
      detach();
      made_ = std::exchange(other.made_, nullptr);
    }
    return *this;
  }
  ~join_handle() { detach(); }

  // Does it refer to a task?
  [[nodiscard]] bool valid() const { return made_ != nullptr; }
  [[nodiscard]] bool is_ready() const { return need().has_ended(); }

  // The task resumes without anybody who waits.
  void detach() noexcept {
    if (made_ != nullptr) std::exchange(made_, nullptr)->drop_handle();
  }
  // Asks the task to stop. If it has not started, it does not, and who waits for it gets task_cancelled. Otherwise what
  // it waits for, now or later, ends with task_cancelled there, so that its destructors run; it may also end as it
  // likes.
  void cancel() { need().request_stop(); }

  // The task's result, or the exception that left it, or task_cancelled. Once.
  [[nodiscard]] auto operator co_await() && {
    (void)need();
    return awaiter{std::move(*this)};
  }

  // The same on any thread: on a worker it suspends the calling stack, elsewhere the thread sleeps.
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

// Starts `what` on a worker of `rt`, as submit does: see submit_options for what can be chosen.
template <class T>
join_handle<T> spawn(runtime& rt, task<T> what, const submit_options& how = {}) {
  coro::promise_base& root = what.release();
  coro::spawned& made = coro::spawned::make(root);
  made.enqueue(&rt, root, how);
  return join_handle<T>{made};
}

// The same at the runtime of the calling worker; elsewhere at the default one.
template <class T>
join_handle<T> spawn(task<T> what, const submit_options& how = {}) {
  if (!this_worker().is_some()) return filch::spawn(default_runtime(), std::move(what), how);
  coro::promise_base& root = what.release();
  coro::spawned& made = coro::spawned::make(root);
  made.enqueue(nullptr, root, how);
  return join_handle<T>{made};
}

}  // namespace filch::inline v0
