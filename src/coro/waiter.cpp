#include <filch/coro/waiter.hpp>

#include "coro/ticket.hpp"
#include "runtime/core.hpp"
#include "runtime/work_stack.hpp"
#include "runtime/worker.hpp"

#include <utility>

namespace filch::inline v0::coro {

// The entry is made here and not by `wake`, which must not fail.
void waiter::arm(std::coroutine_handle<> who) {
  worker& me = *worker::current();
  auto* const made = new ticket{who};
  if (const task_base* const running = me.current_task) {
    made->band = running->band;
    made->name = running->name;
  }
  entry_ = made;
  home_ = &me.home;
}

void waiter::disarm() noexcept { std::exchange(entry_, nullptr)->release(); }

void waiter::wake() noexcept {
  if (entry_ != nullptr) {
    home_->put_back(*std::exchange(entry_, nullptr));
  } else if (suspended_stack* const waiting = woken_.finish()) {
    if (waiting->sleeper != nullptr) waiting->sleeper->unpark();
    else waiting->core->put_back(*waiting);
  }
}

void waiter::wait_here() noexcept {
  if (!woken_.is_done()) suspend_until_done(woken_);
}

}  // namespace filch::inline v0::coro
