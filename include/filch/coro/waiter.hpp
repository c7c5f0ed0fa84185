// A waiter: the wait of a coroutine, of a plain function on a worker, or of an external thread. It lies in the frame or
// on the stack of the waiting party.
//
//   waiter self;                          a stack or a thread
//   … publish `self` to the party that calls wake() …
//   self.wait_here();
//
//   bool await_suspend(std::coroutine_handle<> who) {                      a coroutine
//     self.arm(who);
//     … publish `self`; after that, do not touch the awaiter …
//     return true;
//   }
//
// Who may call what: `arm` and `wait_here` the waiting party, on its own worker or thread; `wake` any thread, once. A
// waiting coroutine stays with its runtime, and the runtime outlives it: the task that it belongs to (run, spawn)
// counts as unfinished until it ends.
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
  // For a stack or a thread, which calls `wait_here` later; or for a coroutine, which calls `arm` later.
  waiter() noexcept {}
  explicit waiter(const char* why) noexcept : reason{why} {}
  // For a coroutine that runs on the calling worker and is about to suspend.
  explicit waiter(std::coroutine_handle<> who, const char* why = nullptr) noexcept : reason{why} { arm(who); }
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  // Once. Makes this the waiter of `who`, a coroutine that runs on the calling worker and is about to suspend. The
  // coroutine may still decide not to suspend.
  void arm(std::coroutine_handle<> who) noexcept;

  // Ends the wait. A coroutine or a stack is put into a queue of its runtime; a thread wakes at once. The waiter may be
  // destroyed before this returns.
  void wake() noexcept;

  // For a stack or a thread whose wait is over: prepares the waiter for another wait and wake.
  void renew() noexcept {
    std::destroy_at(&woken_);
    std::construct_at(&woken_, 1u);
  }

  // Instead of `wake`, for a coroutine that ends: returns a waiting coroutine of the calling worker's runtime, which
  // the caller resumes. Null: the waiter was woken by `wake`.
  [[nodiscard]] std::coroutine_handle<> take_or_wake() noexcept;

  // Returns once `wake` was called, possibly before this call. On a worker it suspends the stack, never the thread.
  void wait_here() noexcept;

  const char* reason = nullptr;  // what the wait is for, in dumps and traces

 private:
  // For a coroutine: its queue entry and its runtime.
  coroutine_entry entry_;
  runtime::core* home_ = nullptr;
  // For a stack or a thread.
  join_counter<suspended_stack> woken_{1};
};

// The stop token of the coroutine's task; an empty token for coroutine types of other libraries.
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
