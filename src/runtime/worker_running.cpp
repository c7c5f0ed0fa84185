// How a worker runs what it found.
#include "core.hpp"
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

// Something is about to run inside `outer`: what is open belongs to that (F2 of fork_recording.hpp).
void worker::note_before_inside(const task_record* outer) noexcept {
  if (outer == nullptr || !records_forks()) return;
  latent_stack* const stack = running_latent_stack();
  if (stack == nullptr) return;
  const closed_point closed;
  record_frames(*stack, *this, outer);
}

void worker::prepare_recording_here() noexcept {
  if (latent_stack* const stack = running_latent_stack()) prepare_recording(*stack, *this);
}

void worker::go_on_with(task_record* task) {
  counters.add(trace::count::resumes);
  publish_task(task);
  if (task != nullptr && trace->is_enabled()) trace_resume(*task);
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
  claimed.carry_out(cancel);

  me = current();  // the task may have blocked, and then this thread has another worker now
  // Recorded before anybody hears of it: what a waiting thread does next comes after the end, in recordings too.
  if (cancel) me->trace->cancel(claimed.id);
  me->trace->end(claimed.id);
  claimed.state.finish(cancel);
  me = current();
  me->publish_task(inside);
  me->counters.add(cancel ? trace::count::cancelled : trace::count::executed);
  me->books.finished();
}

}  // namespace filch::inline v0
