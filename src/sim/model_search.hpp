// How simulated workers look for work, wait, sleep and wake one another.
#pragma once

#include "model.hpp"

#include <algorithm>
#include <span>

namespace filch::inline v0::sim {

template <class Trace>
typename model<Trace>::then model<Trace>::look(sim_worker& w) {
  const policy_view view{*this};
  for (;;) {
    const policy::step step = w.search.next(view);
    bool has_found = false;
    switch (step.kind) {
      case policy::step_kind::inbox:
        has_found = take_inbox(w, step.band);
        break;
      case policy::step_kind::local:
        has_found = take_local(w, step.band);
        break;
      case policy::step_kind::injector:
        has_found = take_injected(w, step.band);
        break;
      case policy::step_kind::victim:
        if (const then next = look_at_victim(w, step); next != then::look) return next;
        continue;
      case policy::step_kind::wait:
        return wait(w, step.wait_ns);
      case policy::step_kind::park:
        if (park(w, step.wait_ns)) return then::pause;
        w.search.woken();
        continue;
    }
    w.search.report(has_found ? policy::outcome::found : policy::outcome::empty);
    if (!has_found) continue;
    if (w.is_searching) stop_searching(w);
    begin_task(w);
    return then::run;
  }
}

// ---- the own phase --------------------------------------------------------------------------------------------------

template <class Trace>
bool model<Trace>::take_local(sim_worker& w, policy::priority band) {
  task_ring& own = w.bands[index(band)].own;
  if (own.is_empty()) return false;
  const bool is_lifo = policy_.order == policy::order::lifo;
  w.current = is_lifo ? own.pop_newest() : own.pop_oldest();
  if (!own.is_empty()) tasks_.prefetch(is_lifo ? own.newest() : own.oldest());
  remove_stealable(w, 1);
  --ready_;
  w.owed_ns += machine_.costs.pop_ns;
  return true;
}

template <class Trace>
bool model<Trace>::take_inbox(sim_worker& w, policy::priority band) {
  if (w.inbox_size == 0) return false;
  band_queues& queues = w.bands[index(band)];
  if (!queues.pinned.is_empty()) {
    w.current = queues.pinned.pop_oldest();
    --w.pinned_size;
    if (least_loaded_) rank(w);
  } else if (!queues.mail.is_empty()) {
    w.current = queues.mail.pop_oldest();
    remove_stealable(w, 1);
    --ready_;
  } else {
    return false;
  }
  --w.inbox_size;
  w.owed_ns += machine_.costs.inbox_ns;
  ++w.counts[trace::count::injected];
  return true;
}

template <class Trace>
bool model<Trace>::take_injected(sim_worker& w, policy::priority band) {
  task_ring& injector = injectors_[index(band)];
  if (injector.is_empty()) return false;
  w.current = injector.pop_oldest();
  --ready_;
  w.owed_ns += machine_.costs.injector_ns;
  ++w.counts[trace::count::injected];
  return true;
}

// ---- what others are told -------------------------------------------------------------------------------------------

template <class Trace>
void model<Trace>::add_stealable(sim_worker& w, std::uint32_t tasks) {
  stealable_[id_of(w).value] += tasks;
  if (is_ranked_) [[unlikely]]
    rank(w);
}

template <class Trace>
void model<Trace>::remove_stealable(sim_worker& w, std::uint32_t tasks) {
  stealable_[id_of(w).value] -= tasks;
  if (is_ranked_) [[unlikely]]
    rank(w);
}

template <class Trace>
void model<Trace>::rank(const sim_worker& w) {
  const worker_id who = id_of(w);
  if (most_loaded_) most_loaded_->set(who.value, stealable_[who.value]);
  if (least_loaded_) least_loaded_->set(who.value, UINT32_MAX - load_view{*this}.size_hint(who));
}

// ---- victims --------------------------------------------------------------------------------------------------------

template <class Trace>
typename model<Trace>::then model<Trace>::look_at_victim(sim_worker& w, const policy::step& step) {
  start_searching(w);
  w.trace.steal_attempt(step.victim);
  const policy::outcome how = rob(w, step);
  w.search.report(how);
  const steal_cost cost = machine_.costs.steal_at(machine_.distance(id_of(w), step.victim));
  if (how == policy::outcome::found) {
    stop_searching(w);
    if (cost.success_ns != 0) return pause(w, state::carrying, activity::steal, cost.success_ns);
    begin_task(w);
    return then::run;
  }
  const bool is_lost = how == policy::outcome::lost;
  if (is_lost) w.trace.steal_lost(step.victim);
  if (!is_lost) w.trace.steal_empty(step.victim);
  const time_ns cost_ns = is_lost ? cost.lost_ns : cost.empty_ns;
  return cost_ns == 0 ? then::look : pause(w, state::looking, activity::steal, cost_ns);
}

// Takes from the deque as many as the policy says, or else one from the mail.
template <class Trace>
policy::outcome model<Trace>::rob(sim_worker& thief, const policy::step& step) {
  if (stealable_[step.victim.value] == 0) return policy::outcome::empty;  // its queues lie far away
  sim_worker& victim = workers_[step.victim.value];
  band_queues& there = victim.bands[index(step.band)];
  const bool has_own = !there.own.is_empty();
  if (!has_own && there.mail.is_empty()) return policy::outcome::empty;
  if (now_ns_ < victim.exposed_until_ns) return policy::outcome::lost;
  victim.exposed_until_ns = now_ns_ + machine_.costs.steal_exposure_ns;

  const std::uint32_t count = has_own ? thief.search.amount(there.own.size()) : 1;
  thief.current = has_own ? there.own.pop_oldest() : there.mail.pop_oldest();
  if (!has_own) --victim.inbox_size;
  task_ring& here = thief.bands[index(step.band)].own;
  for (std::uint32_t i = 1; i != count; ++i) here.push(there.own.pop_oldest());
  if (!there.own.is_empty()) tasks_.prefetch(there.own.oldest());

  remove_stealable(victim, count);
  if (count != 1) add_stealable(thief, count - 1);
  --ready_;
  victim.counts[trace::count::stolen_from_me] += count;
  thief.counts[trace::count::stolen_by_me] += count;
  auto& longest = thief.counts[trace::count::queue_max];
  longest = std::max<std::uint64_t>(longest, here.size());
  thief.trace.steal_success(step.victim, id_of(tasks_[thief.current]), count);
  return policy::outcome::found;
}

// ---- searching, waiting, sleeping -----------------------------------------------------------------------------------

template <class Trace>
void model<Trace>::start_searching(sim_worker& w) {
  if (w.is_searching) return;
  w.is_searching = true;
  ++searching_;
}

// The last one to stop searching wakes another if there is more to find.
template <class Trace>
void model<Trace>::stop_searching(sim_worker& w) {
  w.is_searching = false;
  if (--searching_ == 0 && ready_ != 0 && !sleepers_.is_empty()) wake_one(&w);
}

// While there is work, a worker that listens does not wait: its looks missed it, as independent draws can.
template <class Trace>
typename model<Trace>::then model<Trace>::wait(sim_worker& w, time_ns span_ns) {
  start_searching(w);
  if (blocked_ != 0 && is_stuck()) {
    stop(run_end::stuck);
    return then::pause;
  }
  if (!options_.deaf_waits && (ready_ != 0 || w.inbox_size != 0)) {
    const time_ns notice_ns = std::min(span_ns, machine_.costs.notice_ns);
    return notice_ns == 0 ? then::look : pause(w, state::looking, activity::wait, notice_ns);
  }
  if (!options_.deaf_waits && !w.is_listed) {
    w.is_listed = true;
    waiting_.push_back(id_of(w).value);
  }
  return pause(w, state::waiting, activity::wait, span_ns);
}

// The worker has noticed that there is work.
template <class Trace>
void model<Trace>::cut_wait(sim_worker& w) {
  enter(w, state::looking);
  w.awaited = pending_.push(std::max(now_ns_, w.since_ns + w.owed_ns) + machine_.costs.notice_ns, id_of(w).value);
}

// False: there is work to be found, so the worker must not sleep.
template <class Trace>
bool model<Trace>::park(sim_worker& w, time_ns linger_ns) {
  start_searching(w);
  if (ready_ != 0 || w.inbox_size != 0) return false;
  w.is_searching = false;
  --searching_;
  enter(w, state::parked);
  w.does = activity::park;
  w.linger_ns = linger_ns;
  w.awaited = k_no_ticket;
  sleepers_.push(id_of(w));
  ++w.counts[trace::count::parks];
  w.trace.park();
  return true;
}

// There is new work that every worker may find; it lies with `origin`, or nowhere in particular.
template <class Trace>
void model<Trace>::announce(sim_worker* origin) {
  if (!waiting_.empty()) {
    for (const std::uint32_t i : waiting_) {
      sim_worker& w = workers_[i];
      w.is_listed = false;
      if (w.at == state::waiting) cut_wait(w);
    }
    waiting_.clear();
  }
  if (sleepers_.is_empty()) return;
  if (policy_.wake == policy::wake::all) {
    while (!sleepers_.is_empty()) wake(workers_[sleepers_.youngest().value], origin);
  } else if (searching_ == 0) {
    wake_one(origin);
  }
}

template <class Trace>
void model<Trace>::wake_one(sim_worker* origin) {
  const auto distance = [this](worker_id a, worker_id b) { return machine_.distance(a, b); };
  const worker_id near = origin != nullptr ? id_of(*origin) : worker_id::none();
  const bool is_any = policy_.wake == policy::wake::random || policy_.wake == policy::wake::nearest;
  const std::span<const worker_id> listed = is_any ? sleepers_.packed() : sleepers_.with_gaps();
  const policy::wake_choice choice = wakes_.choose(listed, near, distance, wake_random_);
  if (choice.is_one()) {
    wake(workers_[listed[choice.index()].value], origin);
  } else {
    while (!sleepers_.is_empty()) wake(workers_[sleepers_.youngest().value], origin);
  }
}

template <class Trace>
void model<Trace>::wake(sim_worker& sleeper, sim_worker* by) {
  sleepers_.erase(id_of(sleeper));
  start_searching(sleeper);
  const machine_costs& costs = machine_.costs;
  const time_ns parked_ns = sleeper.since_ns + sleeper.owed_ns;
  const bool lingers = now_ns_ - parked_ns < sleeper.linger_ns;
  enter(sleeper, state::waking);
  sleeper.awaited =
      pending_.push(lingers ? std::max(now_ns_, parked_ns) + costs.notice_ns
                            : std::max(now_ns_, parked_ns + sleeper.linger_ns + costs.park_ns) + costs.wake_ns,
                    id_of(sleeper).value);
  if (by == nullptr) return;
  by->owed_ns += lingers ? 0 : costs.notify_ns;
  ++by->counts[trace::count::wakes];
  by->trace.notify(id_of(sleeper));
}

}  // namespace filch::inline v0::sim
