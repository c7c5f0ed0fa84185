// How a worker runs what it found.
#include "core.hpp"
#include "interrupt.hpp"
#include "worker.hpp"

#include <new>

namespace filch::inline v0 {

void worker::push(queue_entry& made) {
  const policy::priority band = made.band;
  queues.push(made);  // from here on a thief may have run and destroyed it
  counters.raise(trace::count::queue_max, queues.deque_hint(band));
}

trace::name_id worker::traced_name(const char* name) noexcept {
  if (name == nullptr || home.chosen.trace == nullptr) return trace::name_id::none();
  try {
    if (name == last_traced_) return last_traced_name_;
    const auto [at, is_new] = traced_names_.try_emplace(name, trace::name_id::none());
    if (is_new) at->second = home.chosen.trace->names().intern_label(name);
    last_traced_ = name;
    return last_traced_name_ = at->second;
  } catch (const std::bad_alloc&) {
    return trace::name_id::none();  // without memory for names, tasks go on without them
  }
}

void worker::publish_task(task_record* running) {
  current_task = running;
  task_name.store(running != nullptr ? running->name : nullptr, std::memory_order_relaxed);  // statistic
  if (home.measures_tasks) task_since_ns.store(monotonic_now_ns(), std::memory_order_relaxed);  // ordered by [R10]
  // [R10] release store: the task's beginning comes before its number, so that the watchdog never takes the end of the
  // task before it for its beginning → [R11] in report_long_tasks().
  task_number.store((running != nullptr ? running->id : task_id::none()).value, std::memory_order_release);
}

void worker::execute(queue_entry& taken) noexcept { execute_inside(taken, nullptr); }

void worker::execute_inside(queue_entry& taken, task_record* inside) noexcept {
  switch (taken.kind) {
    case entry_kind::coroutine: resume(static_cast<coroutine_entry&>(taken), inside); break;
    case entry_kind::stack: continue_soon(static_cast<suspended_stack&>(taken)); break;
    case entry_kind::task: {
      auto& task = static_cast<task_base&>(taken);
      if (task.state.claim()) execute_claimed(task, inside);
      task.release();
      break;
    }
  }
}

void worker::leave_task() {
  counters.add(trace::count::suspends);
  if (trace->is_enabled()) {
    for (const task_record* each = current_task; each != nullptr; each = each->inside) trace->suspend(each->id);
  }
  publish_task(nullptr);
}

// Those that it runs inside of come first.
void worker::trace_resume(const task_record& task) {
  if (task.inside != nullptr) trace_resume(*task.inside);
  trace->resume(task.id);
}

// Something is about to run inside `outer`: what is open belongs to that (F2 of fork_record.hpp).
void worker::note_before_inside(const task_record* outer) noexcept {
  if (outer == nullptr || !records_forks()) return;
  latent_stack* const stack = running_latent_stack();
  if (stack == nullptr) return;
  defer_interrupts();
  note_frames(*stack, *this, outer);
  allow_interrupts();
}

void worker::go_on_with(task_record* task) {
  counters.add(trace::count::resumes);
  publish_task(task);
  if (task != nullptr && trace->is_enabled()) trace_resume(*task);
}

void worker::begin_task() {
  budget = k_budget;
  if (trace->is_enabled()) is_wanted.store(true, std::memory_order_relaxed);  // statistic
}

void worker::execute_claimed(task_base& claimed, task_record* inside) noexcept {
  worker* me = current();
  claimed.inside = inside;
  claimed.priority = claimed.band;
  me->note_before_inside(inside);
  me->begin_task();
  me->publish_task(&claimed);
  const bool is_cut_short = me->home.life_now() == life::cancelling && !claimed.ignores_shutdown;
  const bool cancel = is_cut_short || claimed.stop.stop_requested() || claimed.state.is_unwanted();
  if (is_cut_short) me->home.note_cut_short();
  me->trace->start(claimed.id);
  claimed.finish(cancel);

  me = current();  // the task may have blocked, and then this thread has another worker now
  if (cancel) me->trace->cancel(claimed.id);
  me->trace->end(claimed.id);
  me->publish_task(inside);
  me->counters.add(cancel ? trace::count::cancelled : trace::count::executed);
  me->books.finished();
}

// The entry lies in the coroutine's frame: once that goes on, it is not touched any more.
void worker::resume(coroutine_entry& taken, task_record* inside) noexcept {
  worker* me = current();
  task_record running{
      .id = taken.id, .name = taken.name, .home = &me->home, .inside = inside, .priority = taken.band};
  me->note_before_inside(inside);
  me->begin_task();
  me->publish_task(&running);
  me->trace->start(running.id);
  taken.self.resume();

  me = current();
  me->trace->end(running.id);
  me->publish_task(inside);
  me->counters.add(trace::count::executed);
  me->books.finished();
}

}  // namespace filch::inline v0
