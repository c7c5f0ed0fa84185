// How a worker runs what it found: tasks, coroutines, stolen frames, suspended stacks.
//
// Who may call what: the thread that holds a worker.
#pragma once

#include "core.hpp"
#include "heartbeat.hpp"

#include <filch/runtime/task.hpp>
#include <filch/share/latent.hpp>
#include <filch/share/symmetric_transfer.hpp>

#include <utility>

namespace filch::inline v0 {

// Runs what was taken out of a queue or a cell by task `inside`, which waits, or by none, and drops its reference.
// Inline, as the loop runs coroutines of a few nanoseconds.
inline void execute(queue_entry& taken, task_record* inside) noexcept;
// Runs a task that the caller, task `inside`, has claimed because it waits for it.
void execute_claimed(task_base& claimed, task_record* inside) noexcept;

namespace detail {

// Something is about to run inside `outer`: what is open belongs to that (F2 of share/frame_recording.hpp).
void record_before_inside(worker& me, const task_record& outer) noexcept;
// All but coroutines.
void execute_other(queue_entry& taken, task_record* inside) noexcept;

inline void begin_task(worker& me, task_record& running) {
  if (running.inside != nullptr) record_before_inside(me, *running.inside);
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
inline void end_task(task_record* inside, trace::count as) {
  worker& me = *worker::current();
  me.runs.set(inside);
  me.counters.add(as);
  me.totals.finished();
}

[[nodiscard]] inline bool may_start(worker& me, coroutine_entry& spawned) noexcept {
  const bool is_late = me.home.admits.now() == life::cancelling;
  if (is_late) me.home.admits.note_cut_short();
  return static_cast<const start_rule*>(std::exchange(spawned.group, nullptr))->may_start(spawned, is_late);
}

// The entry lies in the coroutine's frame: once that resumes, it is not touched any more.
inline void resume(coroutine_entry& taken, task_record* inside) noexcept {
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

}  // namespace detail

inline void execute(queue_entry& taken, task_record* inside) noexcept {
  if (is_coroutine(taken)) detail::resume(static_cast<coroutine_entry&>(taken), inside);
  else detail::execute_other(taken, inside);
}

}  // namespace filch::inline v0
