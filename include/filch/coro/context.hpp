// A context: what a coroutine and all that it awaits have in common. Through it they are asked to stop.
//
//   std::stop_token t = co_await filch::this_task::stop_token();
//
// `spawn`, `any` and the like make a new context; who is awaited, directly or by `all`, gets a pointer to its parent's.
// A request to stop goes down to the contexts below. What waits ends with task_cancelled then; what computes may look
// at its token.
//
// Who may call what: any thread. A context outlives those below it.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/coro/stop_word.hpp>

#include <stop_token>

namespace filch::inline v0::coro {

class stop_node;

class context {
 public:
  // Below `above`, or below none.
  explicit context(context* above = nullptr) noexcept : above_{above} {}
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context();

  void request_stop() noexcept;
  [[nodiscard]] bool is_stop_requested() const noexcept {
    const auto now = stop_.look();
    if (now.node != nullptr) [[unlikely]]
      return is_requested_of(*now.node);
    return now.is_requested || (above_ != nullptr && above_->is_stop_requested());
  }

  // Empty if nobody can request a stop, and if there is no memory for it: then waits are not cut short.
  [[nodiscard]] std::stop_token stop_token() noexcept;

  // A stop requested of `other` is one of this, too. Before anybody else knows the context. Throws std::bad_alloc.
  void follow(std::stop_token other);
  // Nobody is left who could call request_stop: who asks for a token from now on gets an empty one, if this follows
  // nobody else.
  void make_unstoppable() noexcept {
    // [N11] release store: hands over the requests before it → [N12].
    is_unstoppable_.store(true, std::memory_order_release);
  }

  // The nearest at or above this that is a spawned task's, or the highest.
  [[nodiscard]] const context& of_task() const noexcept {
    return id_.is_some() || above_ == nullptr ? *this : above_->of_task();
  }
  [[nodiscard]] task_id id() const noexcept { return of_task().id_; }

 protected:
  task_id id_ = task_id::none();  // written before the coroutine starts

 private:
  [[nodiscard]] static bool is_requested_of(const stop_node& node) noexcept;

  context* const above_;
  stop_word<stop_node> stop_;
  std_atomics::atomic<bool> is_unstoppable_{false};
};

}  // namespace filch::inline v0::coro
