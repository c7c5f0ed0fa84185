#include "submission.hpp"

#include "own_thread.hpp"

#include <filch/runtime/errors.hpp>

namespace filch::inline v0 {

submission::submission(runtime::core& home, std::deque<worker>& workers, const options& chosen,
                       policy::placement placed, admission& admits, wakeups& wakes, dispatch& queues)
    : home_{home},
      workers_{workers},
      session_{chosen.trace},
      admits_{admits},
      wakes_{wakes},
      queues_{queues},
      is_bounded_{chosen.injector_bound.has_value()},
      is_placed_{placed != policy::placement::injector},
      placement_{placed, *chosen.workers},
      placement_random_{random_stream{chosen.seed}.split(std::uint64_t{UINT32_MAX} + 1)} {}

void submission::enqueue(task_base& made, worker_id pinned, const submit_options& how, worker* from) {
  number_task(made, from);
  if (pinned.is_some()) {
    made.pinned_to = pinned;
    if (from == nullptr && session_ != nullptr) session_->outside().inject(made.id, pinned);
    queues_.pin(made, pinned, from);
  } else if (from != nullptr) {
    try {
      from->push(made);
    } catch (...) {
      // The deque could not grow. The task is as if it had never been: counted as made and finished, and not as
      // spawned.
      from->totals.finished();
      from->counters.add(trace::count::spawned, UINT64_MAX);
      from->trace.events().cancel(made.id);
      made.release();
      throw;
    }
    wakes_.notify(from->self, from);
  } else if (!inject(made, made.id, how)) {
    take_back_outside(made.id);
    made.release();
    throw injector_full{};
  }
}

void submission::place(task_base& made, worker_id at, worker* from) {
  number_task(made, from);
  workers_[at.value].queues.mail(made);
  wakes_.notify(at, from);
}

void submission::spawn(coroutine_entry& entry, const submit_options& how, worker* from) {
  queues_.note_band(entry);
  if (from != nullptr) {
    queues_.put_new(entry, *from);
    return;
  }
  if (!admit_outside(entry.id, entry.name)) admission::throw_shut_down();
  const task_id id = entry.id;
  if (!inject(entry, id, how)) {
    take_back_outside(id);
    throw injector_full{};
  }
}

void submission::take_in(coroutine_entry& entry) {
  const admission::errand here{admits_};
  if (!admit_outside(entry.id, entry.name)) admission::throw_shut_down();
  queues_.push_injected(entry, nullptr);
}

// The high bits of a number say which worker made it, so that no two makers need to agree.
void submission::number_task(task_base& made, worker* from) {
  if (from != nullptr) {
    made.id = from->number_task();
    from->counters.add(trace::count::spawned);
    if (from->trace.is_enabled()) from->trace.events().spawn(made.id, from->runs.id(), from->trace.name_of(made));
  } else if (!admit_outside(made.id, made.name != nullptr ? made.name : made.label())) {
    made.release();
    admission::throw_shut_down();
  }
  queues_.note_band(made);
  made.home = &home_;
  made.fork_generation = fork_generation_;
}

// Counts and numbers what comes from outside. False: it comes too late, and is taken back.
bool submission::admit_outside(task_id& made, const char* name) {
  made = admits_.count_outside();
  if (!admits_.is_accepting() && !is_thread_of(home_)) {
    take_back_outside(made);
    return false;
  }
  if (session_ != nullptr && session_->outside().is_enabled()) queues_.record_spawn(made, name);
  return true;
}

void submission::take_back_outside(task_id made) {
  if (session_ != nullptr) session_->outside().cancel(made);
  admits_.take_back_outside();
}

// False: there is no room, and the entry is still the caller's.
bool submission::inject(queue_entry& made, task_id id, const submit_options& how) {
  worker_id at = worker_id::none();
  if (is_placed_) {
    struct load_view {
      const std::deque<worker>& workers;
      [[nodiscard]] std::uint32_t size_hint(worker_id of) const {
        return static_cast<std::uint32_t>(workers[of.value].queued_hint());
      }
    };
    const std::lock_guard lock{placement_mutex_};
    at = placement_.choose(load_view{workers_}, placement_random_);
  }
  if (session_ != nullptr) session_->outside().inject(id, at);
  if (at.is_some()) {
    workers_[at.value].queues.mail(made);
  } else {
    queue::injector<>& into = queues_.injector_of(made.band);
    if (!is_bounded_) into.push(&made);
    else if (!push_bounded(made, into, how)) return false;
  }
  wakes_.notify(at, nullptr);
  return true;
}

bool submission::push_bounded(queue_entry& made, queue::injector<>& into, const submit_options& how) {
  if (into.try_push(&made) == queue::push_status::pushed) return true;
  if (!how.wait_when_full) {
    made_room();  // for a moment this one stood in the count, and another may have been sent to sleep because of it
    return false;
  }
  const detail::blocking_section section;  // the caller may be a worker of another runtime
  (void)has_room_.wait([&] { return into.try_push(&made) == queue::push_status::pushed; });
  return true;
}

}  // namespace filch::inline v0
