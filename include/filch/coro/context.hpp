// A context: what a coroutine and all that it awaits have in common. Through it they are asked to stop.
//
//   std::stop_token t = co_await filch::this_task::stop_token();
//
// `spawn`, `any` and the like make a new context; who is awaited, directly or by `all`, gets a pointer to its parent's.
// A request to stop goes down to the contexts below. What waits ends with task_cancelled then; what computes may look
// at its token.
//
// No function here takes longer, or more stack, the deeper a context lies; a request takes as long as there are
// contexts below.
//
// Who may call what: any thread. A context outlives those below it.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/coro/stop_tree.hpp>

#include <stop_token>

namespace filch::inline v0::coro {

class stop_node;

class context {
 public:
  // Of a task of its own.
  context() noexcept : task_{this} {}
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context();

  // Everything at or below this is asked when it returns; what is called by tokens has been called. A thread that comes
  // while another requests the same returns at once.
  void request_stop() noexcept;
  // The same for one that must not wait, on a worker: those below are marked when it returns. What is called by tokens
  // is called by a task of its own, which may end later than this context.
  void request_stop_apart() noexcept;
  // As request_stop, called because of a token that this follows.
  void request_stop_after(const std::stop_token& followed) noexcept;
  [[nodiscard]] bool is_stop_requested() const noexcept { return stop_.is_requested(); }
  // No stop was requested, and none can be any more.
  [[nodiscard]] bool is_unstoppable() const noexcept { return stop_.is_out_of_reach(); }

  // Empty if nobody can request a stop, and if there is no memory for it: then waits are not cut short.
  [[nodiscard]] std::stop_token stop_token() noexcept;

  // A stop requested of `other` is one of this, too. Before anybody else knows the context. Throws std::bad_alloc.
  void follow(std::stop_token other);
  // Nobody is left who could call request_stop: who asks for a token from now on gets an empty one, if this follows
  // nobody else.
  void make_unstoppable() noexcept { stop_.make_final(); }

  // The spawned task's to which this belongs, or the highest.
  [[nodiscard]] const context& of_task() const noexcept { return *task_; }
  [[nodiscard]] task_id id() const noexcept { return task_->id_; }

 protected:
  // Of the same task as another.
  explicit context(const context* other) noexcept : task_{other != nullptr ? other->task_ : this} {}

  task_id id_ = task_id::none();  // written before the coroutine starts

 private:
  friend class stop_path;

  const context* const task_;
  stop_point<stop_node> stop_;
};

// While it is there, a stop that is requested of one context, if there is one, is one of another.
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

// Below another context, or below none.
class context_below final : public context {
 public:
  explicit context_below(context* above) noexcept : context{above}, path_{above, *this} {}

 private:
  const stop_path path_;
};

}  // namespace filch::inline v0::coro
