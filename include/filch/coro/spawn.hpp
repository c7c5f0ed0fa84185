// spawn: starts a task that runs beside the one that started it.
//
//   filch::join_handle<int> h = filch::spawn(work());
//   …
//   int r = co_await std::move(h);                in a coroutine; h.get() elsewhere
//
// Who may call what: any thread; a handle one thread at a time. The runtime waits for spawned tasks before it ends, also for
// those whose handle is gone. An exception that nobody asks for is dropped.
//
// A spawned task is asked to stop through its handle, or through the token it was spawned with; not because the task that
// spawned it is: a handle may go elsewhere and live longer. While a coroutine awaits a handle, who asks it to stop asks the
// awaited task, too.
#pragma once

#include <filch/coro/context.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/coro/hand_over.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/runtime/completion.hpp>
#include <filch/runtime/runtime.hpp>

#include <coroutine>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

class worker;

namespace coro {

// A spawned coroutine, whatever it computes. Two references: its own until it has ended, and the handle's.
class spawned_base : public end_listener, public context {
 public:
  spawned_base(const spawned_base&) = delete;
  spawned_base& operator=(const spawned_base&) = delete;

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { free_frame(memory, bytes); }

  // On a worker, once: starts the coroutine, or cancels it if it was asked to stop before.
  void start() noexcept;
  // Instead, if it never comes to that.
  void cancel() noexcept;
  // It has come to a worker of another runtime.
  void arrive() noexcept;
  [[nodiscard]] std::coroutine_handle<> ended(promise_base& who) noexcept override;
  void release() noexcept {
    if (references_.drop()) delete this;
  }

  // ---- the handle's ----
  void drop_handle() noexcept {
    make_unstoppable();
    release();
  }
  [[nodiscard]] bool has_ended() const { return end_.has_ended(); }
  // `who` waits from now on. True: it has ended before, and nobody will wake it.
  [[nodiscard]] bool has_ended_before(waiter& who) { return end_.wait(who); }
  // Any thread: suspends the stack, or sleeps.
  void wait_here();
  // Once it has ended.
  [[nodiscard]] bool was_cancelled() const { return was_cancelled_; }

 protected:
  spawned_base() = default;
  virtual ~spawned_base() = default;

 private:
  virtual promise_base& root() noexcept = 0;
  // Destroys the coroutine, which has not started.
  virtual void drop_root() noexcept = 0;
  void track(const worker& at) noexcept;
  // Returns whom to resume, perhaps nobody. Drops the coroutine's reference.
  [[nodiscard]] std::coroutine_handle<> finish() noexcept;

  hand_over<waiter> end_;
  reference_count<> references_{2};
  bool was_cancelled_ = false;
  bool is_tracked_ = false;
};

template <class T>
class spawned final : public spawned_base {
 public:
  explicit spawned(task<T>&& what) : what_{std::move(what)} { (void)what_.promise(); }

  T take() { return what_.promise().take(); }

 private:
  promise_base& root() noexcept override { return what_.promise(); }
  void drop_root() noexcept override { const task<T> dropped = std::move(what_); }

  task<T> what_;
};

// What a spawned task needs beside its frame.
static_assert(sizeof(spawned<int>) <= 64);

// Starts what it holds, or cancels it if it is destroyed before.
class starter {
 public:
  explicit starter(spawned_base& held) : held_{&held} {}
  starter(starter&& other) noexcept : held_{std::exchange(other.held_, nullptr)} {}
  starter& operator=(starter&&) = delete;
  ~starter() {
    if (held_ != nullptr) held_->cancel();
  }
  void operator()() && { std::exchange(held_, nullptr)->start(); }

 private:
  spawned_base* held_;
};

// On a worker: at its runtime.
void spawn_here(starter&& start, const submit_options& how);

}  // namespace coro

template <class T>
class [[nodiscard]] join_handle {
 public:
  explicit join_handle(coro::spawned<T>& made) noexcept : made_{&made} {}  // takes over one reference
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

  // The task goes on without anybody who waits.
  void detach() noexcept {
    if (made_ != nullptr) std::exchange(made_, nullptr)->drop_handle();
  }
  // Asks the task to stop. If it has not started, it does not, and who waits for it gets task_cancelled. Otherwise what it
  // waits for, now or later, ends with task_cancelled there, so that its destructors run; it may also end as it likes.
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
  coro::spawned<T>& need() const {
    if (made_ == nullptr) throw no_state{};
    return *made_;
  }
  T take() const {
    if (made_->was_cancelled()) throw task_cancelled{};
    return made_->take();
  }

  struct awaiter {
    struct pass_on {
      coro::context& to;
      void operator()() const noexcept { to.request_stop(); }
    };

    explicit awaiter(join_handle&& awaited) : from{std::move(awaited)} {}
    awaiter(const awaiter&) = delete;
    awaiter& operator=(const awaiter&) = delete;

    join_handle from;
    coro::waiter self{k_reason};
    std::optional<std::stop_callback<pass_on>> asked_to_stop{};

    static constexpr const char* k_reason = "a spawned task";
    [[nodiscard]] const void* awaited_task() const { return static_cast<const coro::context*>(from.made_); }

    [[nodiscard]] bool await_ready() const { return from.made_->has_ended(); }
    template <class Promise>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
      self.arm(who);
      if constexpr (std::is_base_of_v<coro::promise_base, Promise>) {
        std::stop_token mine = who.promise().stop_token();
        if (mine.stop_possible()) asked_to_stop.emplace(std::move(mine), pass_on{*from.made_});
      }
      return !from.made_->has_ended_before(self);
    }
    T await_resume() {
      asked_to_stop.reset();
      return from.take();
    }
  };

  coro::spawned<T>* made_;
};

// Starts `what` on a worker of `rt`, as submit does: see submit_options for what can be chosen.
template <class T>
join_handle<T> spawn(runtime& rt, task<T> what, const submit_options& how = {}) {
  auto* const made = new coro::spawned<T>{std::move(what)};
  join_handle<T> handle{*made};
  coro::starter start{*made};
  if (how.stop.stop_possible()) made->follow(how.stop);
  rt.spawn(std::move(start), how);
  return handle;
}

// The same at the runtime of the calling worker; elsewhere at the default one.
template <class T>
join_handle<T> spawn(task<T> what, const submit_options& how = {}) {
  if (!this_worker().is_some()) return spawn(default_runtime(), std::move(what), how);
  auto* const made = new coro::spawned<T>{std::move(what)};
  join_handle<T> handle{*made};
  coro::starter start{*made};
  if (how.stop.stop_possible()) made->follow(how.stop);
  coro::spawn_here(std::move(start), how);
  return handle;
}

}  // namespace filch::inline v0
