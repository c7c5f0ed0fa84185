#include <filch/fork/scope.hpp>

#include "runtime/port.hpp"

#include <filch/share/latent.hpp>

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
  state_ = std::make_unique<state>(port::here());
}
scope_handle::~scope_handle() = default;

void scope_handle::put(task_base& made) {
  made.group = this;
  made.ignores_shutdown = true;
  made.stop = stop_;
  state_->children.add();
  try {
    port::enqueue(state_->home, made);
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
  if (suspended_stack* const parents = state_->children.finish()) port::resume_soon(*parents);
}

// Runs the children that lie in the worker's own deque, the newest first; then waits for those that thieves have taken.
void scope_handle::wait() {
  child_counter& children = state_->children;
  while (!children.is_done()) {
    if (port::run_newest_of(this)) continue;
    port::wait_for(children);
    break;
  }
  port::record_join();
  if (state_->error) std::rethrow_exception(std::move(state_->error));
}

}  // namespace filch::inline v0
