#include "running.hpp"

#include "suspension.hpp"

#include "share/frame_recording.hpp"
#include "share/offered_task.hpp"

namespace filch::inline v0 {

// Something is about to run inside `outer`: what is open belongs to that (F2 of frame_recording.hpp).
void detail::record_before_inside(worker& me, const task_record& outer) noexcept {
  if (!me.trace.records_forks()) return;
  latent_stack* const stack = current_latent_stack();
  if (stack == nullptr) return;
  const closed_point closed;
  record_frames(*stack, me.point, outer.id);
}

namespace {

// A frame that was promoted, or a part of a range. A waiting parent resumes after it.
void run_offered(offered_task& offered, task_record* inside) noexcept {
  worker* me = worker::current();
  offered.home = &me->home;
  offered.inside = inside;
  detail::begin_task(*me, offered);
  me->trace.events().start(offered.id);
  offered.run();

  me = worker::current();
  // Recorded before the parent can resume: what it does next comes after the end, in recordings too.
  me->trace.events().end(offered.id);
  detail::end_task(inside, trace::count::executed);
  if (suspended_stack* const parents = offered.finish()) continue_soon(*parents);
  offered.release();
}

}  // namespace

void detail::execute_other(queue_entry& taken, task_record* inside) noexcept {
  switch (taken.kind) {
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
    case entry_kind::coroutine:
    case entry_kind::spawned:
      break;
  }
}

void execute_claimed(task_base& claimed, task_record* inside) noexcept {
  worker* me = worker::current();
  claimed.inside = inside;
  claimed.priority = claimed.band;
  detail::begin_task(*me, claimed);
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
  detail::end_task(inside, cancel ? trace::count::cancelled : trace::count::executed);
}

}  // namespace filch::inline v0
