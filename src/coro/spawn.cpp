#include <filch/coro/spawn.hpp>

#include "runtime/core.hpp"
#include "runtime/task_registry.hpp"
#include "runtime/worker.hpp"

#include <optional>

namespace filch::inline v0::coro {
namespace {

// A coroutine that has not started, in a queue.
class start_ticket final : public task_base {
 public:
  explicit start_ticket(starter&& start) : task_base{1}, start_{std::move(start)} {}

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { free_frame(memory, bytes); }

 private:
  void run() noexcept override { std::move(*start_)(); }
  void abandon() noexcept override { start_.reset(); }

  std::optional<starter> start_;
};

}  // namespace

// The runtime is not idle until it has ended, also while it waits for something that is no task.
void spawned_base::start() noexcept {
  if (is_stop_requested()) return cancel();
  worker& me = *worker::current();
  (void)me.books.made();
  if (me.current_task != nullptr) id_ = me.current_task->id;
  if (me.home.tracks_tasks) track(me);
  promise_base& coroutine = root();
  coroutine.context = this;
  coroutine.listener = this;
  coroutine.is_spawned = true;
  coroutine.self.resume();
}

void spawned_base::cancel() noexcept {
  was_cancelled_ = true;
  drop_root();
  finish().resume();
}

void spawned_base::track(const worker& at) noexcept {
  is_tracked_ = true;
  const char* const name = at.current_task != nullptr ? at.current_task->name : nullptr;
  task_registry::the_one().add(static_cast<context*>(this), {&at.home, id_, name != nullptr ? name : ""});
}

std::coroutine_handle<> spawned_base::ended(promise_base&) noexcept {
  if (is_tracked_) task_registry::the_one().remove(static_cast<context*>(this));
  worker::current()->books.finished();
  return finish();
}

std::coroutine_handle<> spawned_base::finish() noexcept {
  std::coroutine_handle<> next;
  if (waiter* const waiting = end_.end()) next = waiting->take_or_wake();
  release();
  return next != nullptr ? next : std::noop_coroutine();
}

void spawned_base::wait_here() {
  waiter self{"a spawned task"};
  if (!has_ended_before(self)) self.wait_here();
}

// The task counts as unfinished at the other runtime from now on.
void spawned_base::arrive() noexcept {
  worker& me = *worker::current();
  (void)me.books.made();
  if (is_tracked_) task_registry::the_one().move(static_cast<context*>(this), &me.home);
}

void spawn_here(starter&& start, const submit_options& how) {
  auto* const made = new start_ticket{std::move(start)};
  made->band = how.priority;
  made->name = how.name;
  made->stop = how.stop;
  worker::current()->home.enqueue(*made, worker_id::none(), how);
}

}  // namespace filch::inline v0::coro
