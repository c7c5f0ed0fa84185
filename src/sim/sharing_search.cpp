// How simulated workers look for work, and what a theft brings with it.
#include "sharing_run.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>
#include <utility>

namespace filch::inline v0::sim {

sharing_run::then sharing_run::look(actor& a) {
  for (;;) {
    const policy::step step = a.search->next(no_sizes{});
    bool has_found = false;
    switch (step.kind) {
      case policy::step_kind::inbox:
        break;
      case policy::step_kind::local:
        has_found = take_own_offer(a);
        break;
      case policy::step_kind::injector:
        has_found = take_from_outside(a);
        break;
      case policy::step_kind::victim:
        if (const then next = look_at_victim(a, step); next != then::look) return next;
        continue;
      case policy::step_kind::wait:
        return wait(a, step.wait_ns);
      case policy::step_kind::park:
        return park(a, step.wait_ns);
    }
    a.search->report(has_found ? policy::outcome::found : policy::outcome::empty);
    if (!has_found) continue;
    stop_searching(a);
    begin_offer(a, std::exchange(a.loot, k_none));
    return then::run;
  }
}

// ---- victims --------------------------------------------------------------------------------------------------------

sharing_run::then sharing_run::look_at_victim(actor& a, const policy::step& step) {
  start_searching(a);
  a.trace.steal_attempt(step.victim);
  const policy::outcome how = rob(a, actors_[step.victim.value]);
  a.search->report(how);
  const steal_cost cost = costs_.steal_at(machine_.distance(id_of(a), step.victim));
  if (how == policy::outcome::found) {
    stop_searching(a);
    return pause(a, state::carrying, activity::steal, cost.success_ns);
  }
  a.trace.steal_empty(step.victim);
  return cost.empty_ns == 0 ? then::look : pause(a, state::looking, activity::steal, cost.empty_ns);
}

policy::outcome sharing_run::rob(actor& thief, actor& victim) {
  const std::uint32_t who = number_of(thief);
  if (!has_place_awake(who)) return policy::outcome::empty;
  if (is_aged(victim)) take_offer(thief, victim);
  const bool has_taken = thief.loot != k_none;
  if (has_taken || victim.cell == k_none) {
    request_again(thief, victim, has_taken);
  } else if (std::exchange(thief.unaged_ns, offers_[victim.cell].offered_ns) != offers_[victim.cell].offered_ns) {
    rules_.request_judged(who, thief.rules, true, now_ns_);  // one of tiny children; each is counted once
  }
  if (!has_taken) return policy::outcome::empty;
  thief.stolen_ns = now_ns_;
  ++thief.counts[trace::count::stolen_by_me];
  ++victim.counts[trace::count::stolen_from_me];
  thief.trace.steal_success(id_of(victim), offers_[thief.loot].task, 1);
  pass_on(thief, victim);
  return policy::outcome::found;
}

// Is there an offer that is worth a theft?
bool sharing_run::is_aged(const actor& of) {
  if (of.cell == k_none) return false;
  if (!of.rules.throttle.is_throttled()) return true;
  return rules_.is_aged(number_of(of), now_ns_ - offers_[of.cell].offered_ns);
}

// What was offered becomes a task only now.
void sharing_run::take_offer(actor& thief, actor& from) {
  thief.loot = std::exchange(from.cell, k_none);
  --cells_;
  offer& taken = offers_[thief.loot];
  taken.how = offer::state::taken;
  taken.task = task_id{++tasks_};
  ++counts_.taken;
  ++thief.counts[trace::count::spawned];
  thief.trace.spawn(taken.task, taken.parent);
}

void sharing_run::request_again(actor& thief, actor& of, bool has_taken) {
  const std::uint32_t who = number_of(thief);
  const bool may =
      has_taken ? rules_.request_taken(who, thief.rules, now_ns_) : rules_.may_request(who, thief.rules, now_ns_);
  if (may) request(of);
  else if (has_taken && sleeping_ != 0) defer(of);
}

// It has taken work while others sleep, and will request nothing soon: should the robbed one have more, and come to no
// fork or join, only the monitor thread notices.
void sharing_run::pass_on(actor& thief, const actor& robbed) {
  if (sleeping_ == 0) return;
  if (withholds(robbed) || awaits_join(robbed)) call_monitor(&thief);
  else if (robbed.is_deferred) see_to_deferred(&thief);
}

// What it has offered, and no thief has taken.
bool sharing_run::take_own_offer(actor& a) {
  if (a.cell == k_none) return false;
  take_offer(a, a);
  a.owed_ns += costs_.pop_ns;
  return true;
}

bool sharing_run::take_from_outside(actor& a) {
  actor& from = actors_[outside()];
  if (from.cell == k_none || !has_place_awake(number_of(a)) || !is_aged(from)) return false;
  take_offer(a, from);
  a.owed_ns += costs_.steal_at(machine_.apart).success_ns;
  request_again(a, from, true);
  ++a.counts[trace::count::injected];
  return true;
}

// ---- searching and waiting ------------------------------------------------------------------------------------------

void sharing_run::start_searching(actor& a) {
  if (std::exchange(a.is_searching, true)) return;
  ++searching_;
}

// The last one to stop searching wakes another if there is more to find.
void sharing_run::stop_searching(actor& a) {
  if (!std::exchange(a.is_searching, false)) return;
  if (--searching_ == 0 && has_work(a)) notify(&a, wake_cause::thief);
}

bool sharing_run::has_work(const actor& for_whom) { return cells_ != 0 && has_place_for_sleeper(number_of(for_whom)); }

sharing_run::then sharing_run::wait(actor& a, time_ns span_ns) {
  start_searching(a);
  if (has_work(a))
    return pause(a, state::looking, activity::wait, std::min(span_ns, std::max<time_ns>(costs_.notice_ns, 1)));
  if (!std::exchange(a.is_listed, true)) waiting_.push_back(number_of(a));
  return pause(a, state::waiting, activity::wait, span_ns);
}

// An offer was made: the workers that wait between two looks notice it.
void sharing_run::cut_waits() {
  for (const std::uint32_t who : waiting_) {
    actor& a = actors_[who];
    a.is_listed = false;
    if (a.at != state::waiting) continue;
    expect(a, std::max(now_ns_, a.since_ns + a.owed_ns) + costs_.notice_ns);
  }
  waiting_.clear();
}

}  // namespace filch::inline v0::sim
