#include <filch/fork/scope.hpp>

#include "runtime/core.hpp"
#include "share/share_point.hpp"
#include "runtime/work_stack.hpp"
#include "runtime/worker.hpp"

namespace filch::inline v0 {

class scope_handle::state {
 public:
  explicit state(runtime::core& of) : home{of} {}

  runtime::core& home;
  child_counter children{0};
  std_atomics::atomic<bool> has_failed{false};
  std_atomics::atomic<bool> is_given_up{false};
  std::exception_ptr error;  // written by the thread that has set has_failed
};

scope_handle::scope_handle(std::stop_token stop) : stop_{std::move(stop)} {
  require_stack_left();
  state_ = std::make_unique<state>(worker::current()->home);
}
scope_handle::~scope_handle() = default;

void scope_handle::put(task_base& made) {
  made.group = this;
  made.ignores_shutdown = true;
  made.stop = stop_;
  state_->children.add();
  try {
    state_->home.enqueue(made, worker_id::none(), {});
  } catch (...) {
    (void)state_->children.finish();  // not the last: the spawning function has not ended
    throw;
  }
}

// Called in a handler of that exception.
void scope_handle::fail(std::exception_ptr error) noexcept {
  if (detail::is_stack_exhausted()) state_->is_given_up.store(true, std::memory_order_relaxed);  // hint
  // ordered by [L3]: the error is read when all children have ended
  if (!state_->has_failed.exchange(true, std::memory_order_relaxed)) state_->error = std::move(error);
}

bool scope_handle::is_given_up() const noexcept {
  return state_->is_given_up.load(std::memory_order_relaxed);  // hint: an old value lets one more child run
}

void scope_handle::end_child() noexcept {
  if (suspended_stack* const parents = state_->children.finish()) continue_soon(*parents);
}

// Runs the children that lie in the worker's own deque, the newest first; then waits for those that thieves have taken.
void scope_handle::wait() {
  child_counter& children = state_->children;
  while (!children.is_done()) {
    worker& me = *worker::current();
    const auto newest = me.queues.take_newest_of(this);
    if (newest.was_disturbed) me.home.notify(me.self);
    if (newest.item == nullptr) {
      suspend_until_done(children);
      break;
    }
    worker::execute_inside(*newest.item, me.current_task);
  }
  trace_join();
  if (state_->error) std::rethrow_exception(std::move(state_->error));
}

}  // namespace filch::inline v0
