// What simulated tasks do: they compute, have children, wait for them, and end.
#pragma once

#include "model.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>
#include <utility>

namespace filch::inline v0::sim {

// The worker has taken `current` from somewhere.
template <class Trace>
void model<Trace>::begin_task(sim_worker& w) {
  task& subject = tasks_[w.current];
  if (subject.stage == 0) {
    w.trace.start(id_of(subject));
  } else {
    w.trace.resume(id_of(subject));
    ++w.counts[trace::count::resumes];
  }
  if (has_migration_) [[unlikely]]
    charge_migration(w, subject);
}

template <class Trace>
void model<Trace>::charge_migration(sim_worker& w, task& subject) {
  const std::uint32_t before = subject.home;
  subject.set_home(home_of(w));
  if (before == task::k_no_home || before == subject.home) return;
  w.owed_ns += machine_.costs.migration_at_ns(machine_.distance(worker_id{before}, id_of(w)));
}

// Asks what `current` does next.
template <class Trace>
typename model<Trace>::then model<Trace>::advance(sim_worker& w) {
  task& subject = tasks_[w.current];
  asked_ = &w;
  youngest_ = k_no_place;
  const next_step next = load_.resume(subject, *this);
  ++subject.stage;
  switch (next.what) {
    case next_step::kind::work: {
      time_ns span_ns = machine_.duration_ns(id_of(w).value, next.work_ns);
      if (has_disturbances_) [[unlikely]] {
        span_ns = machine_.disturbed_ns(id_of(w).value, now_ns_ + w.owed_ns, span_ns);
      }
      return pause(w, state::running, activity::work, span_ns);
    }
    case next_step::kind::fork:
      return fork(w);
    case next_step::kind::join:
      return join(w, next.how);
    case next_step::kind::wait:
      return wait_for_signal(w, next.signal);
    case next_step::kind::end:
      break;
  }
  return finish(w, next.signal);
}

// The youngest child leaves the queue to run, and the parent takes its place there.
template <class Trace>
typename model<Trace>::then model<Trace>::fork(sim_worker& w) {
  FILCH_ASSERT(youngest_ != k_no_place);  // a fork follows a spawn in the same answer
  task_ring& of_child = w.bands[index(tasks_[youngest_].band)].own;
  const task_place child = of_child.pop_newest();
  FILCH_ASSERT(child == youngest_, child, youngest_);
  task& parent = tasks_[w.current];
  w.bands[index(parent.band)].own.push(w.current);
  w.trace.suspend(id_of(parent), k_fork_name);
  ++w.counts[trace::count::suspends];
  w.current = child;
  begin_task(w);
  return then::run;
}

template <class Trace>
typename model<Trace>::then model<Trace>::join(sim_worker& w, join_mode how) {
  task& subject = tasks_[w.current];
  if (subject.pending == 0) {
    w.trace.join(id_of(subject));
    return then::run;
  }
  if (how != join_mode::continuation) [[unlikely]]
    return keep_in_join(w, how);
  subject.waits = task::wait::suspended;
  ++suspended_;
  ++w.counts[trace::count::suspends];
  w.trace.suspend(id_of(subject));
  w.search.begin();
  return then::look;
}

// The task stays with its worker, which helps or blocks.
template <class Trace>
typename model<Trace>::then model<Trace>::keep_in_join(sim_worker& w, join_mode how) {
  task& subject = tasks_[w.current];
  subject.set_home(home_of(w));
  if (how == join_mode::helping) {
    subject.waits = task::wait::helped;
    ++w.counts[trace::count::suspends];
    w.trace.suspend(id_of(subject));
    w.kept.push_back(w.current);
    w.has_kept = true;
    w.search.begin();
    return then::look;
  }
  subject.waits = task::wait::blocked;
  w.trace.block(id_of(subject));
  ++blocked_;
  enter(w, state::blocked);
  w.does = activity::block;
  w.awaited = k_no_ticket;
  return then::pause;
}

// ---- signals --------------------------------------------------------------------------------------------------------

template <class Trace>
typename model<Trace>::then model<Trace>::wait_for_signal(sim_worker& w, std::uint64_t which) {
  if (which >= waiters_.size()) waiters_.resize(which + 1, k_no_place);
  if (waiters_[which] == k_given) return then::run;
  FILCH_ASSERT(waiters_[which] == k_no_place, which);
  waiters_[which] = w.current;
  task& subject = tasks_[w.current];
  subject.waits = task::wait::suspended;
  ++suspended_;
  ++w.counts[trace::count::suspends];
  w.trace.suspend(id_of(subject));
  w.search.begin();
  return then::look;
}

// The signal has come: returns the task that waited for it and no longer does, or k_no_place.
template <class Trace>
task_place model<Trace>::take_waiter(std::uint64_t which) {
  if (which >= waiters_.size()) waiters_.resize(which + 1, k_no_place);
  const task_place who = std::exchange(waiters_[which], k_given);
  FILCH_ASSERT(who != k_given, which);
  if (who == k_no_place) return who;
  tasks_[who].waits = task::wait::none;
  --suspended_;
  return who;
}

template <class Trace>
void model<Trace>::signal(std::uint64_t which) {
  const task_place who = take_waiter(which);
  if (who == k_no_place) return;
  asked_->owed_ns += machine_.costs.push_ns;
  push(*asked_, who);
  announce(asked_);
}

template <class Trace>
typename model<Trace>::then model<Trace>::finish(sim_worker& w, std::uint64_t signal) {
  task& subject = tasks_[w.current];
  FILCH_ASSERT(subject.pending == 0, subject.number, subject.pending);
  w.trace.end(id_of(subject));
  ++w.counts[trace::count::executed];
  const task_place parent = subject.parent;
  tasks_.free(w.current);
  --living_;
  if (parent != k_no_place) {
    task& above = tasks_[parent];
    if (--above.pending == 0 && above.waits != task::wait::none && finish_join(w, parent)) return then::run;
  }
  if (signal != next_step::k_no_signal) {
    if (const task_place who = take_waiter(signal); who != k_no_place) {
      w.current = who;
      w.owed_ns += machine_.costs.resume_ns;
      begin_task(w);
      return then::run;
    }
  }
  end_if_done();
  if (is_done_) return then::pause;
  if (has_kept_ready(w)) return go_on_with_kept(w);
  w.search.begin();
  return then::look;
}

// The last child of a task in a join has ended here. True: this worker goes on with the task.
template <class Trace>
bool model<Trace>::finish_join(sim_worker& w, task_place parent) {
  task& above = tasks_[parent];
  if (above.waits == task::wait::suspended) {
    above.waits = task::wait::none;
    --suspended_;
    w.current = parent;
    w.owed_ns += machine_.costs.resume_ns;
    begin_task(w);
    w.trace.join(id_of(above));
    return true;
  }
  sim_worker& holder = workers_[above.home];
  if (above.waits == task::wait::blocked) {
    const time_ns seated_ns = std::max(now_ns_, holder.since_ns + holder.owed_ns);
    holder.awaited = pending_.push(seated_ns + machine_.costs.wake_ns + machine_.costs.switch_ns, id_of(holder).value);
    set_busy(holder, true);
    w.owed_ns += machine_.costs.notify_ns;
  } else if (holder.kept.back() == parent && holder.at == state::parked) {
    wake(holder, &w);
  } else if (holder.kept.back() == parent && holder.at == state::waiting && !options_.deaf_waits) {
    cut_wait(holder);
  }
  return false;
}

// The children of the task that lies innermost in a helping join have ended.
template <class Trace>
typename model<Trace>::then model<Trace>::go_on_with_kept(sim_worker& w) {
  if (w.is_searching) stop_searching(w);
  w.current = w.kept.back();
  w.kept.pop_back();
  w.has_kept = !w.kept.empty();
  task& subject = tasks_[w.current];
  subject.waits = task::wait::none;
  w.owed_ns += machine_.costs.resume_ns;
  begin_task(w);
  w.trace.join(id_of(subject));
  return then::run;
}

// The children of the task that blocked this worker have ended.
template <class Trace>
void model<Trace>::unblock(sim_worker& w) {
  --blocked_;
  task& subject = tasks_[w.current];
  subject.waits = task::wait::none;
  w.trace.unblock(id_of(subject));
  w.trace.join(id_of(subject));
}

// ---- new tasks ------------------------------------------------------------------------------------------------------

template <class Trace>
task_place model<Trace>::make(std::uint64_t word0, std::uint64_t word1, policy::priority band) {
  const task_place at = tasks_.make();
  task& made = tasks_[at];
  made.number = made_++;
  made.words[0] = word0;
  made.words[1] = word1;
  made.band = band;
  if (band != policy::priority::normal) bands_in_use_ = true;
  if (made_ >= options_.most_tasks) [[unlikely]]
    stop(run_end::task_limit);
  ++living_;
  return at;
}

// Into the own queue.
template <class Trace>
void model<Trace>::push(sim_worker& w, task_place what) {
  task_ring& own = w.bands[index(tasks_[what].band)].own;
  own.push(what);
  add_stealable(w, 1);
  ++ready_;
  auto& longest = w.counts[trace::count::queue_max];
  longest = std::max<std::uint64_t>(longest, own.size());
}

template <class Trace>
void model<Trace>::spawn(std::uint64_t word0, std::uint64_t word1, policy::priority band) {
  const task_place child = make(word0, word1, band);
  task& parent = tasks_[asked_->current];
  tasks_[child].parent = asked_->current;
  tasks_[child].set_home(home_of(*asked_));
  ++parent.pending;
  youngest_ = child;
  asked_->trace.spawn(id_of(tasks_[child]), id_of(parent));
  ++asked_->counts[trace::count::spawned];
  asked_->owed_ns += machine_.costs.spawn_ns + machine_.costs.push_ns;
  push(*asked_, child);
  announce(asked_);
}

template <class Trace>
void model<Trace>::release(std::uint64_t word0, std::uint64_t word1, policy::priority band) {
  const task_place made = make(word0, word1, band);
  tasks_[made].set_home(home_of(*asked_));
  asked_->trace.spawn(id_of(tasks_[made]), id_of(tasks_[asked_->current]));
  ++asked_->counts[trace::count::spawned];
  asked_->owed_ns += machine_.costs.spawn_ns + machine_.costs.push_ns;
  push(*asked_, made);
  announce(asked_);
}

template <class Trace>
void model<Trace>::inject(std::uint64_t word0, std::uint64_t word1, policy::priority band) {
  const task_place made = make(word0, word1, band);
  tasks_[made].set_home(home_of(*asked_));
  asked_->trace.spawn(id_of(tasks_[made]), id_of(tasks_[asked_->current]));
  asked_->trace.inject(id_of(tasks_[made]));
  ++asked_->counts[trace::count::spawned];
  asked_->owed_ns += machine_.costs.spawn_ns + machine_.costs.push_ns;
  injectors_[index(band)].push(made);
  ++ready_;
  announce(asked_);
}

// ---- tasks from outside ---------------------------------------------------------------------------------------------

template <class Trace>
void model<Trace>::schedule_arrivals() {
  if (has_arrival_) pending_.push(next_arrival_.at_ns, static_cast<std::uint32_t>(workers_.size()));
}

template <class Trace>
void model<Trace>::take_arrivals() {
  while (has_arrival_ && !is_done_ && next_arrival_.at_ns <= now_ns_) {
    place(next_arrival_);
    has_arrival_ = load_.next_arrival(next_arrival_);
  }
  schedule_arrivals();
}

template <class Trace>
void model<Trace>::place(const arrival& what) {
  const task_place made = make(what.words[0], what.words[1], what.band);
  target where = what.where;
  if (where.what == target::kind::policy) {
    const worker_id chosen = placement_.choose(load_view{*this}, placement_random_);
    where = chosen.is_some() ? target::at(chosen) : target::injector();
  }
  outside_.spawn(id_of(tasks_[made]));
  outside_.inject(id_of(tasks_[made]), where.worker);
  if (where.what == target::kind::injector) {
    injectors_[index(what.band)].push(made);
    ++ready_;
    announce(nullptr);
    return;
  }
  FILCH_ASSERT(where.worker.value < workers_.size(), where.worker, workers_.size());
  sim_worker& w = workers_[where.worker.value];
  if (where.what == target::kind::worker && now_ns_ == 0 && events_ == 0) {
    push(w, made);
    return;
  }
  const bool is_pinned = where.what == target::kind::pinned;
  band_queues& queues = w.bands[index(what.band)];
  (is_pinned ? queues.pinned : queues.mail).push(made);
  ++w.inbox_size;
  if (is_pinned) ++w.pinned_size;
  if (is_pinned && least_loaded_) rank(w);
  if (!is_pinned) {
    add_stealable(w, 1);
    ++ready_;
    announce(nullptr);
  } else if (w.at == state::parked) {
    wake(w, nullptr);
  } else if (w.at == state::waiting && !options_.deaf_waits) {
    cut_wait(w);
  }
}

}  // namespace filch::inline v0::sim
