#include <filch/sync/mutex.hpp>

#include "runtime/work_stack.hpp"

namespace filch::inline v0 {

namespace {

// It lies on the stack of who waits.
struct stack_waiter : sync::lock_waiter {
  join_gate got{1};
};

}  // namespace

void mutex::wait() {
  stack_waiter self;
  if (!state_.lock_or_queue(self) && !self.got.is_done()) suspend_until_done(self.got);
}

void mutex::wake(sync::lock_waiter& next) {
  if (suspended_stack* const waiting = static_cast<stack_waiter&>(next).got.finish()) continue_in_turn(*waiting);
}

}  // namespace filch::inline v0
