// A context: the object that a coroutine shares with all coroutines that it awaits. Stop requests are made through it.
//
//   std::stop_token t = co_await filch::this_task::stop_token();
//
// `spawn`, `any`, `async_scope` and timeouts make a new context; a coroutine that is awaited, directly or by `all`,
// gets a pointer to its parent's context. A stop request reaches all contexts below. A waiting coroutine then ends its
// wait with task_cancelled; a computing one may poll its token.
//
// The time and the stack that a function here takes do not depend on the depth of the context; the time of a stop
// request is proportional to the number of contexts below.
//
// Who may call what: any thread. A context outlives the contexts below it.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/coro/stop_tree.hpp>

#include <stop_token>

namespace filch::inline v0::coro {

class stop_node;

class context {
 public:
  // The context of a spawned task.
  context() noexcept : task_{this} {}
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context();

  // Requests a stop of this context and of all below. On return all of them are marked and the callbacks of their
  // tokens have run. Returns at once if another thread is making the same request.
  void request_stop() noexcept;
  // For a caller on a worker that must not block: on return this context and all below are marked. A task of its own
  // runs the callbacks of the tokens, and may end later than this context.
  void request_stop_deferred() noexcept;
  // As request_stop, called by the callback of a token that this context follows.
  void request_stop_from(const std::stop_token& followed) noexcept;
  [[nodiscard]] bool is_stop_requested() const noexcept { return stop_.is_requested(); }
  // No stop was requested, and none can be requested in future.
  [[nodiscard]] bool is_unstoppable() const noexcept { return stop_.is_out_of_reach(); }

  // Empty if no stop can be requested, or if there is no memory for the token; waits then cannot be cancelled.
  [[nodiscard]] std::stop_token stop_token() noexcept;

  // From now on a stop requested of `other` is also requested of this context. Call it before the context is shared
  // with other threads. Throws std::bad_alloc.
  void follow(std::stop_token other);
  // The last party that could call request_stop is gone. From now on stop_token() returns an empty token, unless a node
  // exists or a stop was requested.
  void make_unstoppable() noexcept { stop_.make_final(); }

  // The context of the spawned task to which this context belongs; the topmost context if there is no such task.
  [[nodiscard]] const context& of_task() const noexcept { return *task_; }
  [[nodiscard]] task_id id() const noexcept { return task_->id_; }

 protected:
  // A context of the same task as `other`; null: a topmost context.
  explicit context(const context* other) noexcept : task_{other != nullptr ? other->task_ : this} {}

  task_id id_ = task_id::none();  // written before the coroutine starts

 private:
  friend class stop_path;

  const context* const task_;
  stop_point<stop_node> stop_;
};

// While a stop_path lives, a stop requested of `from` is also requested of `to`. `from` may be null: no effect.
class stop_path {
 public:
  stop_path(context* from, context& to) noexcept : from_{from}, link_{to.stop_} {
    if (from_ != nullptr && !from_->stop_.enter(link_)) to.request_stop();
  }
  stop_path(const stop_path&) = delete;
  stop_path& operator=(const stop_path&) = delete;
  ~stop_path() {
    if (from_ != nullptr) from_->stop_.leave(link_);
  }

 private:
  context* const from_;
  stop_link<stop_node> link_;
};

// A context below another one; `above` may be null.
class context_below final : public context {
 public:
  explicit context_below(context* above) noexcept : context{above}, path_{above, *this} {}

 private:
  const stop_path path_;
};

}  // namespace filch::inline v0::coro
