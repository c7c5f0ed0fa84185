#include <filch/coro/waiter.hpp>

#include "runtime/core.hpp"
#include "runtime/work_stack.hpp"
#include "runtime/worker.hpp"

namespace filch::inline v0::coro {

void waiter::arm(std::coroutine_handle<> who) noexcept {
  worker& me = *worker::current();
  entry_.self = who;
  if (const task_record* const running = me.current_task) {
    entry_.band = running->priority;
    entry_.name = running->name;
  }
  home_ = &me.home;
}

void waiter::wake() noexcept {
  if (home_ != nullptr) {
    home_->put_back(entry_, reason);
  } else if (suspended_stack* const waiting = woken_.finish()) {
    if (waiting->sleeper != nullptr) waiting->sleeper->unpark();
    else waiting->core->put_back(*waiting, reason);
  }
}

std::coroutine_handle<> waiter::take_or_wake() noexcept {
  const worker* const me = worker::current();
  if (home_ != nullptr && me != nullptr && home_ == &me->home) return entry_.self;
  wake();
  return nullptr;
}

void waiter::wait_here() noexcept {
  if (!woken_.is_done()) suspend_until_done(woken_);
}

}  // namespace filch::inline v0::coro
