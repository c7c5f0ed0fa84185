// How simulated workers go to sleep, linger, and wake one another.
#include "sharing_run.hpp"

#include <algorithm>
#include <span>

namespace filch::inline v0::sim {

bool sharing_run::computes_outside() const {
  return options_.is_called_outside && phase_stage_ == phase_stage::running && actors_[outside()].at != state::blocked;
}

bool sharing_run::has_place_for_sleeper(std::uint32_t asker) {
  return rules_.has_place_for_sleeper(asker, sleeping_, computes_outside());
}

bool sharing_run::has_place_awake(std::uint32_t asker) {
  return rules_.has_place_awake(asker, sleeping_, computes_outside());
}

// ---- going to sleep -------------------------------------------------------------------------------------------------

// It announces its sleep, requests, looks once more, lingers, sleeps.
sharing_run::then sharing_run::park(actor& a, time_ns linger_ns) {
  const std::uint32_t who = number_of(a);
  a.may_await_due = options_.has_cpu_each && linger_ns != 0;
  time_ns span_ns = rules_.linger_ns(who, linger_ns, now_ns_ - a.stolen_ns, options_.has_cpu_each);
  if (a.is_searching) {
    a.is_searching = false;
    --searching_;
  }
  sleepers_.push(id_of(a));
  ++sleeping_;
  const time_ns due_ns = request_before_sleep(a);
  if (has_work(a)) {
    sleepers_.erase(id_of(a));
    --sleeping_;
    start_searching(a);
    a.search->woken();
    if (a.cell != k_none) a.search->begin();
    // An offer may be too fresh to be taken: a look that costs nothing would never end.
    return pause(a, state::looking, activity::wait, std::max<time_ns>(costs_.notice_ns, 1));
  }
  ++a.counts[trace::count::parks];
  a.trace.park();
  a.sleep.asked_ns = now_ns_;
  if (due_ns != k_never_ns && a.may_await_due) {
    a.may_await_due = false;
    span_ns = std::max(span_ns, rules_.rules().due_linger_ns(due_ns, now_ns_));
  }
  if (span_ns <= 0) {
    end_linger(a, false);
    return then::pause;
  }
  ++lingering_;
  a.at = state::lingering;
  a.does = activity::wait;
  a.sleep.linger_until_ns = span_ns < k_never_ns - now_ns_ ? now_ns_ + span_ns : k_never_ns;
  a.sleep.flush_ns = now_ns_;
  a.sleep.press_ns = now_ns_ + rules_.rules().answer_ns();
  a.sleep.latest_press_ns = a.sleep.press_ns + rules_.rules().answer_ns();
  linger(a);
  return then::pause;
}

// Of all others. When the first that is deferred may be made; k_never_ns for none.
time_ns sharing_run::request_before_sleep(actor& a) {
  time_ns due_ns = k_never_ns;
  const bool has_place = has_place_for_sleeper(number_of(a));
  for (std::uint32_t w = 0; w != workers(); ++w) {
    actor& other = actors_[w];
    if (&other == &a) continue;
    if (has_place && rules_.may_wake(w, other.rules, now_ns_)) request(other);
    else defer(other);  // also until the external thread leaves its place
    if (other.is_deferred) due_ns = std::min(due_ns, other.rules.throttle.not_before_ns());
  }
  return due_ns;
}

// ---- lingering ------------------------------------------------------------------------------------------------------

bool sharing_run::is_any_deferred() const {
  return std::ranges::any_of(actors_, [](const actor& each) { return each.is_deferred; });
}

// Is there work that it could do, if its owner were asked or visited?
bool sharing_run::is_work_withheld_from(const actor& a) {
  if (options_.is_called_outside && phase_stage_ == phase_stage::running) return true;
  for (std::uint32_t w = 0; w != workers(); ++w) {
    const actor& other = actors_[w];
    if (&other == &a) continue;
    if (other.cell != k_none || other.is_deferred || awaits_join(other) || has_latent(other)) return true;
  }
  return false;
}

// It makes deferred requests, and visits owners that do not answer.
void sharing_run::linger(actor& a) {
  const policy::demand& rules = rules_.rules();
  if (now_ns_ >= a.sleep.linger_until_ns) {
    --lingering_;
    return end_linger(a, true);
  }
  if (now_ns_ >= a.sleep.flush_ns && is_any_deferred()) {
    a.sleep.flush_ns = now_ns_ + rules.deferred_every_ns();
    if (has_place_for_sleeper(number_of(a))) {
      for (actor& other : actors_) {
        if (&other == &a || !other.is_deferred || !rules_.may_wake(number_of(other), other.rules, now_ns_)) continue;
        flush_deferred(other);
        a.sleep.asked_ns = now_ns_;
        a.sleep.press_ns = std::min(now_ns_ + rules.answer_ns(), a.sleep.latest_press_ns);
      }
    }
  } else if (now_ns_ >= a.sleep.press_ns) {
    if (visit_for(a)) return wake(a, nullptr, wake_cause::itself);
    if (!is_any_deferred() && is_work_withheld_from(a)) call_monitor(&a);
    a.sleep.press_ns = now_ns_ + rules.answer_ns();
    a.sleep.latest_press_ns = a.sleep.press_ns + rules.answer_ns();
  }
  const time_ns flush_ns = is_any_deferred() ? std::max(a.sleep.flush_ns, now_ns_ + 1) : k_never_ns;
  expect(a, std::min({a.sleep.linger_until_ns, a.sleep.press_ns, flush_ns}));
}

// Something was deferred: those who linger look as soon as it is their turn.
void sharing_run::move_lingering() {
  for (actor& each : actors_) {
    if (each.at == state::lingering) expect(each, std::min(each.until_ns, std::max(each.sleep.flush_ns, now_ns_)));
  }
}

// The last request may yet be answered.
void sharing_run::end_linger(actor& a, bool /*has_lingered*/) {
  if (!is_work_withheld_from(a)) return fall_asleep(a);
  if (!can_visit_) {
    call_monitor(&a);
    return fall_asleep(a);
  }
  a.at = state::awaiting;
  a.does = activity::wait;
  expect(a, std::max(now_ns_, a.sleep.asked_ns + rules_.rules().answer_ns()));
}

// No answer has come: it visits, and leaves the rest to the monitor thread.
void sharing_run::await_answer(actor& a) {
  if (is_work_withheld_from(a)) {
    if (visit_for(a)) return wake(a, nullptr, wake_cause::itself);
    call_monitor(&a);
  }
  fall_asleep(a);
}

void sharing_run::fall_asleep(actor& a) {
  a.at = state::asleep;
  a.does = activity::park;
  a.sleep.asleep_ns = now_ns_;
  a.awaited = k_no_ticket;
}

// Owners that keep forks to themselves, from the next one on. True: something is offered now.
bool sharing_run::visit_for(actor& a) {
  if (!can_visit_ || !has_place_for_sleeper(number_of(a))) return false;
  for (std::uint32_t i = 1; i != workers(); ++i) {
    const std::uint32_t w = (number_of(a) + i) % workers();
    actor& other = actors_[w];
    if (!withholds(other)) continue;
    if (!rules_.may_wake(w, other.rules, now_ns_) || !rules_.may_visit(w, other.rules, now_ns_)) continue;
    a.owed_ns += costs_.visit_ns;
    if (visit(other)) return true;
  }
  return false;
}

// ---- waking ---------------------------------------------------------------------------------------------------------

// There is something new to take: sleepers are woken until enough workers look for work.
void sharing_run::notify(actor* by, wake_cause why) {
  if (sleeping_ == 0) return;
  if (policy_.wake == policy::wake::all) {
    while (sleeping_ != 0) wake(actors_[sleepers_.youngest().value], by, why);
    return;
  }
  const auto distance = [this](worker_id a, worker_id b) { return machine_.distance(a, b); };
  const worker_id near = by != nullptr ? id_of(*by) : worker_id::none();
  while (sleeping_ != 0 && !rules_.is_searched(searching_)) {
    const std::span<const worker_id> listed = sleepers_.packed();
    const policy::wake_choice choice = wakes_.choose(listed, near, distance, wake_random_);
    wake(actors_[listed[choice.index()].value], by, why);
  }
}

void sharing_run::wake(actor& sleeper, actor* by, wake_cause why) {
  sleepers_.erase(id_of(sleeper));
  --sleeping_;
  start_searching(sleeper);
  const state before = sleeper.at;
  charge(sleeper);
  sleeper.at = state::waking;
  if (why == wake_cause::itself) {
    if (before == state::lingering) --lingering_;
    return expect(sleeper, now_ns_ + sleeper.owed_ns);
  }
  if (why == wake_cause::owner) ++counts_.wakes_by_owner;
  else if (why == wake_cause::thief) ++counts_.wakes_by_thief;
  else ++counts_.wakes_by_monitor;
  if (by != nullptr) {
    ++by->counts[trace::count::wakes];
    by->trace.notify(id_of(sleeper));
  }
  if (before == state::asleep) {
    if (by != nullptr) by->owed_ns += costs_.notify_ns;
    return expect(sleeper, std::max(now_ns_, sleeper.sleep.asleep_ns + costs_.park_ns) + costs_.wake_ns);
  }
  expect(sleeper, now_ns_ + sleeper.owed_ns + costs_.notice_ns);
  if (before != state::lingering) return;
  --lingering_;
  // It goes on with something else while others sleep: what was left to it is the monitor thread's affair again.
  if (sleeping_ != 0 && (is_any_deferred() || is_work_withheld_from(sleeper))) call_monitor(&sleeper);
}

}  // namespace filch::inline v0::sim
