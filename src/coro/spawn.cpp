#include <filch/coro/detail/destroy_frame.hpp>
#include <filch/coro/spawn.hpp>

#include "runtime/port.hpp"
#include "runtime/task_registry.hpp"

#include <new>

namespace filch::inline v0::coro {

spawned& spawned::make(promise_base& root) noexcept {
  void* const frame = root.self.address();
  auto* const made = ::new (record_place(frame)) spawned;
  root.context = made;
  root.listener = made;
  root.is_spawned = true;
  root.kind = entry_kind::spawned;
  root.group = &k_rule;
  return *made;
}

void spawned::enqueue(runtime* rt, promise_base& root, const submit_options& how) {
  root.band = how.priority;
  root.name = how.name;
  try {
    if (how.stop.stop_possible()) follow(how.stop);
    port::spawn(rt != nullptr ? port::home_of(*rt) : port::here(), root, how);
  } catch (...) {
    destroy();
    throw;
  }
}

// Counts the task as unfinished until it ends, so that the runtime is not idle while the task waits for an event that
// is no task.
bool spawned::may_start(coroutine_entry& who, bool is_late) noexcept {
  auto& root = static_cast<promise_base&>(who);
  auto& made = static_cast<spawned&>(*root.context);
  if (is_late || made.is_stop_requested()) {
    made.cancel();
    return false;
  }
  port::count_begun();
  made.id_ = root.id;
  if (port::tracks_tasks(port::here())) made.track();
  return true;
}

void spawned::cancel() noexcept {
  was_cancelled_ = true;
  resume_here(finish());
}

// For a coroutine that has ended, or never started. Destroying the frame frees the record too.
void spawned::destroy() noexcept {
  const auto coroutine = std::coroutine_handle<>::from_address(frame());
  this->~spawned();
  destroy_frame(coroutine);
}

void spawned::track() noexcept {
  is_tracked_ = true;
  const task_record* const running = port::running_task();
  const char* const name = running != nullptr ? running->name : nullptr;
  task_registry::the_one().add(static_cast<context*>(this), {&port::here(), id_, name != nullptr ? name : ""});
}

std::coroutine_handle<> spawned::ended(promise_base&) noexcept {
  if (is_tracked_) task_registry::the_one().remove(static_cast<context*>(this));
  port::count_ended();
  return finish();
}

std::coroutine_handle<> spawned::finish() noexcept {
  const auto after = end_.end();
  std::coroutine_handle<> next;
  if (after.waiter != nullptr) next = after.waiter->take_or_wake();
  else if (after.is_left) destroy();
  return next != nullptr ? next : std::noop_coroutine();
}

void spawned::wait_here() {
  waiter self{"a spawned task"};
  if (!has_ended_before(self)) self.wait_here();
}

// From now on the task counts as unfinished in the new runtime.
void spawned::arrive() noexcept {
  port::count_begun();
  if (is_tracked_) task_registry::the_one().move(static_cast<context*>(this), &port::here());
}

}  // namespace filch::inline v0::coro
