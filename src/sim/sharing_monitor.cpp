// The monitor thread: it sees to requests that were deferred, wakes sleepers for offers of throttled owners, and visits
// owners that do not answer. It is no worker, and its time is in no books.
#include "sharing_run.hpp"

#include <algorithm>
#include <utility>

namespace filch::inline v0::sim {

// After a change that it must watch. Where there is none, what is deferred is requested at once.
void sharing_run::call_monitor(actor* by) {
  if (monitor_.at == monitor::state::none) {
    for (actor& each : actors_) {
      if (each.is_deferred) flush_deferred(each);
    }
    if (options_.is_called_outside && phase_stage_ == phase_stage::running) request(actors_[outside()]);
    return;
  }
  if (monitor_.at != monitor::state::resting) return;
  if (by != nullptr) by->owed_ns += costs_.notify_ns;
  monitor_.at = monitor::state::waking;
  rules_.monitor_called(monitor_.pace);
  monitor_.awaited = pending_.push(now_ns_ + costs_.wake_ns, static_cast<std::uint32_t>(actors_.size()));
}

void sharing_run::schedule_look(time_ns at_ns) {
  monitor_.at = monitor::state::pausing;
  monitor_.next_look_ns = at_ns;
  monitor_.awaited = pending_.push(at_ns, static_cast<std::uint32_t>(actors_.size()));
}

// Will it look soon, without being called?
bool sharing_run::is_monitored() const {
  return monitor_.at == monitor::state::pausing &&
         policy::monitor_pace::is_soon(monitor_.next_look_ns - now_ns_, rules_.rules());
}

void sharing_run::go_on_with_monitor() {
  if (monitor_.at == monitor::state::waking) return schedule_look(now_ns_ + monitor_.pace.pause_ns());
  ++counts_.looks;
  const bool has_acted = look_around();
  if (!has_acted && !must_watch()) {
    monitor_.at = monitor::state::resting;
    monitor_.awaited = k_no_ticket;
    return;
  }
  rules_.monitor_looked(monitor_.pace, has_acted, monitor_.due_ns, now_ns_);
  schedule_look(std::min(now_ns_ + monitor_.pace.pause_ns(), std::max(monitor_.again_ns, now_ns_ + 1)));
}

// Is there a worker that could work, and one that keeps work to itself or could begin to?
bool sharing_run::must_watch() {
  if (sleeping_ == 0) return false;
  if (options_.is_called_outside && (phase_stage_ == phase_stage::running || monitor_.seen_phase != phase_))
    return true;
  return std::ranges::any_of(actors_, [this](const actor& each) {
    return each.cell != k_none || each.is_deferred || awaits_join(each) || has_latent(each);
  });
}

// True: something was found that could not wait.
bool sharing_run::look_around() {
  monitor_.due_ns = monitor_.again_ns = k_never_ns;
  if (sleeping_ == 0) return false;
  const bool has_place = has_place_for_sleeper(UINT32_MAX);
  bool has_acted = false;
  for (std::uint32_t w = 0; has_place && w != workers(); ++w) has_acted |= look_at(actors_[w]);
  if (!options_.is_called_outside) return has_acted;
  actor& caller = actors_[outside()];
  const bool is_the_same = std::exchange(monitor_.seen_phase, phase_) == phase_;
  if (phase_stage_ != phase_stage::running || !has_place) return has_acted;
  if (!is_the_same) caller.was_asked = false;
  else if (!withholds(caller)) look_at_outside(caller);
  else has_acted |= look_at(caller);
  return has_acted;
}

bool sharing_run::look_at(actor& of) {
  const std::uint32_t who = number_of(of);
  const policy::demand& rules = rules_.rules();
  const bool may_wake = rules_.may_wake(who, of.rules, now_ns_);
  if (of.is_deferred && may_wake) {
    flush_deferred(of);
    // An owner of tiny children answers at once, and its offer is worth a theft when it is old enough.
    if (of.rules.throttle.is_throttled() && withholds(of)) monitor_.again_ns = now_ns_ + rules.transfer_ns;
  }
  if (is_aged(of)) notify(nullptr, wake_cause::monitor);
  else if (of.cell != k_none) monitor_.due_ns = now_ns_;
  if (of.is_deferred) monitor_.due_ns = std::min(monitor_.due_ns, of.rules.throttle.not_before_ns());
  if (!withholds(of) || !may_wake) {
    of.was_asked = false;
    of.waits = awaits_join(of) ? of.waits + 1 : 0;
    rules_.open_visits(who, of.rules);
    if (of.waits >= policy::join_answers::k_patience) {
      // Forks shall answer again.
      of.waits = 0;
      rules_.give_up_joins(who, of.rules);
      of.is_fork_asked = true;
    }
    return false;
  }
  of.waits = 0;
  request(of);
  if (!std::exchange(of.was_asked, true)) {
    monitor_.again_ns = std::min(monitor_.again_ns, now_ns_ + rules.answer_ns() / 2);
    return true;
  }
  if (!can_visit_ || !rules_.may_visit(who, of.rules, now_ns_)) return false;
  if (visit(of)) notify(nullptr, wake_cause::monitor);
  return true;
}

// An external thread that has gone on for a while and has no open fork may be in a loop, which forks when it is asked.
void sharing_run::look_at_outside(actor& of) {
  if (is_aged(of)) return notify(nullptr, wake_cause::monitor);
  if (of.cell != k_none) monitor_.due_ns = now_ns_;
  else if (rules_.may_wake(number_of(of), of.rules, now_ns_)) request(of);
  else monitor_.due_ns = std::min(monitor_.due_ns, of.rules.throttle.not_before_ns());
}

}  // namespace filch::inline v0::sim
