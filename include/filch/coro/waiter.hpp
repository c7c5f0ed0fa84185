// One who waits: a coroutine, a plain function on a worker, or a thread that is no worker. Whatever it waits for, it
// lies where who waits can keep it: in the coroutine's frame or on the stack.
//
//   waiter self;                          a stack or a thread
//   … tell somebody of `self` …
//   self.wait_here();
//
//   bool await_suspend(std::coroutine_handle<> who) {                      a coroutine
//     self.arm(who);
//     … tell somebody of `self`; from then on touch nothing of this …
//     return true;
//   }
//
// Who may call what: `arm` and `wait_here` who waits, on its worker or thread; `wake` anybody, once. A coroutine that
// waits stays with its runtime, and the runtime does not end before it: what runs it (run, spawn) is counted until it
// ends.
#pragma once

#include <filch/share/entry.hpp>
#include <filch/share/join_counter.hpp>
#include <filch/runtime/runtime.hpp>

#include <concepts>
#include <coroutine>
#include <memory>
#include <stop_token>

namespace filch::inline v0 {
class suspended_stack;
}  // namespace filch::inline v0

namespace filch::inline v0::coro {

class waiter {
 public:
  // Of a stack or a thread, which calls `wait_here` afterwards; or of a coroutine that is armed later.
  waiter() noexcept {}
  explicit waiter(const char* why) noexcept : reason{why} {}
  // Of a coroutine that runs on the calling worker and is about to suspend.
  explicit waiter(std::coroutine_handle<> who, const char* why = nullptr) noexcept : reason{why} { arm(who); }
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  // Once: from now on this is that coroutine, which runs on the calling worker and is about to suspend, or resumes
  // after all.
  void arm(std::coroutine_handle<> who) noexcept;

  // Who waits resumes: a coroutine or a stack in its turn, from a queue of its runtime; a thread at once. The waiter
  // may be gone when this returns.
  void wake() noexcept;

  // A stack or a thread whose wait is over: it may wait, and be woken, once more.
  void renew() noexcept {
    std::destroy_at(&woken_);
    std::construct_at(&woken_, 1u);
  }

  // Instead of `wake`, for one who ends: a coroutine of the calling worker's runtime is returned, and the caller
  // resumes it. Null: it was woken.
  [[nodiscard]] std::coroutine_handle<> take_or_wake() noexcept;

  // Returns when `wake` was called, before or after. On a worker this suspends the stack, never the thread.
  void wait_here() noexcept;

  const char* reason = nullptr;  // what it waits for, for dumps and traces

 private:
  // Of a coroutine: what is put into a queue, and where.
  coroutine_entry entry_;
  runtime::core* home_ = nullptr;
  // Of the others.
  join_counter<suspended_stack> woken_{1};
};

// The stop token of the task whose coroutine this is; an empty one for coroutines of others.
template <class Promise>
[[nodiscard]] std::stop_token stop_token_of(std::coroutine_handle<Promise> who) noexcept {
  if constexpr (requires {
                  { who.promise().stop_token() } -> std::convertible_to<std::stop_token>;
                }) {
    return who.promise().stop_token();
  } else {
    return {};
  }
}

}  // namespace filch::inline v0::coro
