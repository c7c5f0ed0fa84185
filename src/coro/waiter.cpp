#include <filch/coro/waiter.hpp>

#include "runtime/port.hpp"

namespace filch::inline v0::coro {

void waiter::arm(std::coroutine_handle<> who) noexcept {
  entry_.self = who;
  if (const task_record* const running = port::running_task()) {
    entry_.band = running->priority;
    entry_.name = running->name;
  }
  home_ = &port::here();
}

void waiter::wake() noexcept {
  if (home_ != nullptr) {
    port::put_back(*home_, entry_, reason);
  } else if (suspended_stack* const waiting = woken_.finish()) {
    port::put_back(*waiting, reason);
  }
}

std::coroutine_handle<> waiter::take_or_wake() noexcept {
  if (home_ != nullptr && home_ == port::current_home()) return entry_.self;
  wake();
  return nullptr;
}

void waiter::wait_here() noexcept {
  if (!woken_.is_done()) port::wait_for(woken_);
}

}  // namespace filch::inline v0::coro
