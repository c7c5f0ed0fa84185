// How a worker searches, waits and sleeps, and how it sees to the wait sources.
#include "core.hpp"
#include "worker.hpp"

#include <algorithm>
#include <utility>

namespace filch::inline v0 {
namespace {

// A wait this long or longer is slept, a shorter one is spun: a futex sleep and its wake-up cost about as much (guess).
constexpr time_ns k_spin_below_ns = 50 * k_ns_per_us;
// Who answers a request at all, and whose offer is worth a theft, does so within this (guess).
constexpr time_ns k_answered_ns = 10 * k_ns_per_us;
// Who comes to a fork or a join soon answers within this: about what a visit costs both sides. By lengths:
// docs/decisions/0015-lingering.md.
constexpr time_ns k_answer_ns = 20 * k_ns_per_us;
// One who lingers looks so often whether something was deferred (guess).
constexpr time_ns k_between_payments_ns = 2 * k_ns_per_us;

}  // namespace

void worker::start_searching() {
  if (search_began_ns_ == 0) {
    search_began_ns_ = monotonic_now_ns();
    state.store(worker_state::searching, std::memory_order_relaxed);  // statistic
  }
  if (!is_searching_) is_searching_ = home.idle().try_start_searching();
}

void worker::stop_searching() {
  if (!is_searching_) return;
  is_searching_ = false;
  if (home.idle().stop_searching() == park::duty::none) return;
  if (home.has_work_for(*this) || home.sources.keeper.is_share_requested()) home.notify(self);
}

void worker::end_search() {
  if (is_keeper_) resign();
  stop_searching();
  account_search();
  if (home.keeps_apart) note_cpu();
  state.store(worker_state::running, std::memory_order_relaxed);  // statistic
  note_running();
}

bool worker::awaits_join() const {
  return state.load(std::memory_order_relaxed) == worker_state::running && point.awaits_join();  // statistic
}

// A search that went beyond the own queues is over: its cost goes into the books.
void worker::account_search() {
  if (search_began_ns_ == 0) return;
  counters.add(trace::count::search_ns, static_cast<std::uint64_t>(monotonic_now_ns() - search_began_ns_));
  search_began_ns_ = 0;
  const policy::search_counters& now = search_.counters();
  counters.add(trace::count::steal_attempts, now.attempts - reported_.attempts);
  counters.add(trace::count::steal_failures, now.failures - reported_.failures);
  counters.add(trace::count::steal_lost, now.lost - reported_.lost);
  reported_ = now;
}

// A task ends: so many tasks later, or fewer if they are long, it looks at the clock. A look costs as much as a short
// task (guesses).
void worker::look_at_sources_in_turn() {
  constexpr time_ns k_often_ns = 20 * k_ns_per_us;
  constexpr std::uint32_t k_most_tasks = 32;
  if (--tasks_to_look_ != 0) return;
  const time_ns now_ns = monotonic_now_ns();
  const bool is_often = now_ns - std::exchange(looked_ns_, now_ns) < k_often_ns;
  tasks_per_look_ = is_often ? std::min(2 * tasks_per_look_, k_most_tasks) : 1;
  tasks_to_look_ = tasks_per_look_;
  (void)home.poll_sources();
}

// It resumes with work: another sees to the sources, now or when it falls asleep.
void worker::resign() {
  is_keeper_ = false;
  home.sources.keeper.resign();
}

// While a worker waits it counts as searching, so a submission does not wake another: it must look often.
void worker::wait(time_ns span_ns) {
  start_searching();
  home.note_idle();
  const time_ns until_ns = monotonic_now_ns() + span_ns;
  if (span_ns >= k_spin_below_ns || !is_searching_) {
    doze(until_ns, 0);
    return;
  }
  while (monotonic_now_ns() < until_ns && !home.has_work_for(*this)) {
    for (int i = 0; i != 8; ++i) std_atomics::pause();
  }
}

void worker::park(time_ns linger_ns) {
  account_search();
  // What is over sooner is not worth being awake for: its owner is not asked for more soon (wake_throttle).
  constexpr time_ns k_worth_ns = 5 * k_ns_per_us;  // guess
  const bool is_worth_it = home.has_cpu_each && monotonic_now_ns() - stolen_ns_ >= k_worth_ns;
  may_await_due_ = home.has_cpu_each && linger_ns != 0;  // it has stolen since it parked the last time
  doze(k_never_ns, is_worth_it ? linger_ns : 0);
}

// It has announced its sleep and asked, and nobody has answered. It is awake still: it comes sooner than the monitor thread,
// and what it finds is its own.
void worker::press() {
  bool has_found = home.visit_for(*this);
  if (!has_found && !home.idle().is_chosen(self)) {
    home.call_monitor();
    has_found =
        !home.has_visitor() && home.visit_for(*this);  // there is no monitor thread, but visits are prepared now
  }
  if (has_found) (void)home.idle().notify_worker(self);
}

// It has announced its sleep, and is awake until it is chosen or the time is over. It does not yield meanwhile: on a
// busy machine the CPU would come back late, and whoever chose it would wait. What was deferred meanwhile it asks for
// itself, since the monitor thread would have to be woken, perhaps on the CPU of who owes. Returns when it has asked the last
// time; 0: never.
time_ns worker::linger(time_ns until_ns) {
  home.lingering.begin();
  time_ns asked_ns = 0;
  time_ns pay_ns = monotonic_now_ns();
  time_ns press_ns = pay_ns + k_answer_ns;
  time_ns latest_press_ns = press_ns + k_answer_ns;  // however often it pays meanwhile
  while (!home.idle().is_chosen(self)) {
    const time_ns now_ns = monotonic_now_ns();
    if (now_ns >= until_ns) break;
    if (now_ns >= pay_ns) {
      pay_ns = now_ns + k_between_payments_ns;
      if (home.flush_deferred_requests(*this)) {
        asked_ns = now_ns;
        press_ns = std::min(now_ns + k_answer_ns, latest_press_ns);
      }
    } else if (now_ns >= press_ns) {
      if (home.visit_for(*this)) (void)home.idle().notify_worker(self);
      else if (!home.has_deferred_requests() && home.is_work_withheld_from(*this)) home.call_monitor();
      press_ns = monotonic_now_ns() + k_answer_ns;
      latest_press_ns = press_ns + k_answer_ns;
    }
    for (int i = 0; i != 8; ++i) std_atomics::pause();
  }
  home.lingering.end();
  return asked_ns;
}

// Does it run a task on this CPU? What is out of date costs a move, or none is made.
bool worker::works_at(std::uint32_t cpu_number) const {
  return cpu_number != k_unknown_cpu && cpu.load(std::memory_order_relaxed) == cpu_number &&  // statistic
         state.load(std::memory_order_relaxed) == worker_state::running;                      // statistic
}

// Where the system puts a thread that is woken depends on where it ran before; two that share a CPU may stay so for
// long.
void worker::leave_crowded_cpu() {
  constexpr time_ns k_seldom_ns = k_ns_per_ms;  // guess: a move costs some tens of microseconds
  const time_ns now_ns = monotonic_now_ns();
  if (now_ns - moved_ns_ < k_seldom_ns) return;
  moved_ns_ = now_ns;
  home.leave_crowded_cpus(this);
}

// Announces its sleep, looks once more, lingers, sleeps. Returns counted as searching.
void worker::doze(time_ns deadline_ns, time_ns linger_ns) {
  woken_by = nullptr;
  home.idle().announce_sleep(self, is_searching_);
  is_searching_ = true;  // whoever ends the sleep counts this worker as searching
  // Whoever forks from now on finds a sleeper.
  bool is_crowded = false;
  time_ns due_ns = k_never_ns;  // when the first request that was deferred may be made
  const time_ns now_ns = monotonic_now_ns();
  const std::uint32_t here = home.keeps_apart ? current_cpu() : k_unknown_cpu;
  const bool has_place = home.has_place_for_sleeper();
  for (worker& other : home.workers) {
    if (&other == this) continue;
    if (has_place || other.point.has_coroutines()) other.point.request_before_sleep(now_ns);
    else other.point.owe();  // until the external thread that computes leaves its place
    if (other.point.has_deferred()) due_ns = std::min(due_ns, other.point.pace.not_before_ns());
    is_crowded |= other.works_at(here);
  }
  auto& keeper = home.sources.keeper;
  if (!is_keeper_ && !home.sources.is_empty()) is_keeper_ = keeper.try_take(self);
  const time_ns earliest_ns = is_keeper_ ? keeper.announce_sleep() : k_never_ns;
  if (home.has_work_for(*this) || must_leave() != leave::no || earliest_ns <= now_ns) {
    home.idle().retract_sleep(self);
    if (is_keeper_) keeper.wake_up();
    return;
  }
  home.note_idle();
  queues.trim();
  if (deadline_ns == k_never_ns) counters.add(trace::count::parks);
  trace->park();
  state.store(worker_state::sleeping, std::memory_order_relaxed);  // statistic
  time_ns began_ns = monotonic_now_ns();
  if (is_crowded && !home.idle().is_chosen(self)) leave_crowded_cpu();
  if (due_ns != k_never_ns && std::exchange(may_await_due_, false))
    linger_ns = std::max(linger_ns, due_ns + k_answered_ns - began_ns);
  const bool has_lingered = linger_ns > 0;
  time_ns asked_ns = now_ns;
  if (linger_ns > 0) {
    const time_ns paid_ns = linger(
        std::min({linger_ns < k_never_ns - began_ns ? began_ns + linger_ns : k_never_ns, deadline_ns, earliest_ns}));
    asked_ns = std::max(asked_ns, paid_ns);
    const time_ns lingered_ns = monotonic_now_ns() - began_ns;
    counters.add(trace::count::search_ns, static_cast<std::uint64_t>(lingered_ns));
    began_ns += lingered_ns;
  }
  // [L22] seq_cst fence: "ask, then look who runs" against "run, then look whether somebody asks" ↔ [L21].
  std_atomics::fence(std::memory_order_seq_cst);
  // As late as this: who has forked just before it was asked is seen now.
  if (!home.idle().is_chosen(self) && home.is_work_withheld_from(*this)) {
    const time_ns until_ns = std::min(deadline_ns, earliest_ns);
    const time_ns answered_ns = home.can_visit() ? std::min(asked_ns + k_answer_ns, until_ns) : 0;
    while (monotonic_now_ns() < answered_ns && !home.idle().is_chosen(self)) std_atomics::pause();
    press();
  }
  // Chosen, it resumes with something else, while others sleep: what was left to it is the monitor thread's affair again.
  if (has_lingered && home.idle().is_chosen(self) && home.idle().sleeping_hint() != 0 &&
      (home.has_deferred_requests() || home.is_work_withheld_from(*this))) {
    home.call_monitor();
  }
  home.sleep_apart(*this, std::min(deadline_ns, earliest_ns));
  if (woken_by != nullptr && woken_by->works_at(current_cpu())) leave_crowded_cpu();
  if (is_keeper_) keeper.wake_up();
  counters.add(trace::count::idle_ns, static_cast<std::uint64_t>(monotonic_now_ns() - began_ns));
  state.store(worker_state::searching, std::memory_order_relaxed);  // statistic
  trace->wake();
  search_began_ns_ = monotonic_now_ns();
}

}  // namespace filch::inline v0
