#include "running.hpp"

#include "core.hpp"
#include "heartbeat.hpp"
#include "suspension.hpp"

#include "share/frame_recording.hpp"
#include "share/offered_task.hpp"

#include <utility>

namespace filch::inline v0 {
namespace {

// Something is about to run inside `outer`: what is open belongs to that (F2 of frame_recording.hpp).
void record_before_inside(worker& me, const task_record* outer) noexcept {
  if (outer == nullptr || !me.trace.records_forks()) return;
  latent_stack* const stack = current_latent_stack();
  if (stack == nullptr) return;
  const closed_point closed;
  record_frames(*stack, me.point, outer->id);
}

void begin_task(worker& me, task_record& running) {
  record_before_inside(me, running.inside);
  me.budget = worker::k_budget;
  me.begun.store(me.begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // owner-only
  if (me.trace.session() != nullptr) {
    if (latent_stack* const stack = current_latent_stack()) prepare_recording(*stack, me);
  }
  if (me.trace.is_enabled()) {
    request_kind before = request_kind::none;
    // statistic: a request for work is more important
    (void)me.requested.compare_exchange(before, request_kind::recording, std::memory_order_relaxed,
                                        std::memory_order_relaxed);
  }
  me.runs.set(&running);
}

// The task may have blocked or waited, and then this thread has another worker now.
void end_task(task_record* inside, trace::count as) {
  worker& me = *worker::current();
  me.runs.set(inside);
  me.counters.add(as);
  me.totals.finished();
}

[[nodiscard]] bool may_start(worker& me, coroutine_entry& spawned) noexcept {
  const bool is_late = me.home.admits.now() == life::cancelling;
  if (is_late) me.home.admits.note_cut_short();
  return static_cast<const start_rule*>(std::exchange(spawned.group, nullptr))->may_start(spawned, is_late);
}

// The entry lies in the coroutine's frame: once that resumes, it is not touched any more.
void resume(coroutine_entry& taken, task_record* inside) noexcept {
  worker* me = worker::current();
  task_record running{.id = taken.id, .name = taken.name, .home = &me->home, .inside = inside, .priority = taken.band};
  begin_task(*me, running);
  me->trace.events().start(running.id);
  const bool does_resume = taken.kind == entry_kind::coroutine || may_start(*me, taken);
  if (does_resume) resume_here(taken.self);

  me = worker::current();
  if (!does_resume) me->trace.events().cancel(running.id);
  me->trace.events().end(running.id);
  end_task(inside, does_resume ? trace::count::executed : trace::count::cancelled);
}

// A frame that was promoted, or a part of a range. A waiting parent resumes after it.
void run_offered(offered_task& offered, task_record* inside) noexcept {
  worker* me = worker::current();
  offered.home = &me->home;
  offered.inside = inside;
  begin_task(*me, offered);
  me->trace.events().start(offered.id);
  offered.run();

  me = worker::current();
  // Recorded before the parent can resume: what it does next comes after the end, in recordings too.
  me->trace.events().end(offered.id);
  end_task(inside, trace::count::executed);
  if (suspended_stack* const parents = offered.finish()) continue_soon(*parents);
  offered.release();
}

}  // namespace

void execute(queue_entry& taken, task_record* inside) noexcept {
  switch (taken.kind) {
    case entry_kind::coroutine:
    case entry_kind::spawned:
      resume(static_cast<coroutine_entry&>(taken), inside);
      break;
    case entry_kind::stack:
      continue_soon(static_cast<suspended_stack&>(taken));
      break;
    case entry_kind::offer:
      run_offered(static_cast<offered_task&>(taken), inside);
      break;
    case entry_kind::task: {
      auto& task = static_cast<task_base&>(taken);
      if (task.state.claim()) execute_claimed(task, inside);
      task.release();
      break;
    }
  }
}

void execute_claimed(task_base& claimed, task_record* inside) noexcept {
  worker* me = worker::current();
  claimed.inside = inside;
  claimed.priority = claimed.band;
  begin_task(*me, claimed);
  const bool is_cut_short = me->home.admits.now() == life::cancelling && !claimed.ignores_shutdown;
  const bool cancel = is_cut_short || claimed.stop.stop_requested() || claimed.state.is_unwanted();
  if (is_cut_short) me->home.admits.note_cut_short();
  me->trace.events().start(claimed.id);
  claimed.carry_out(cancel);

  me = worker::current();
  // Recorded before a waiting thread is told: what it does next comes after the end, in recordings too.
  if (cancel) me->trace.events().cancel(claimed.id);
  me->trace.events().end(claimed.id);
  claimed.state.finish(cancel);
  end_task(inside, cancel ? trace::count::cancelled : trace::count::executed);
}

}  // namespace filch::inline v0
