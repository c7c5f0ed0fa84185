#include "sleeping.hpp"

#include "core.hpp"
#include "holding.hpp"

#include "share/thief.hpp"

#include <algorithm>
#include <utility>

namespace filch::inline v0 {
namespace {

// A wait this long or longer is slept, a shorter one is spun: a futex sleep and its wake-up cost about as much.
[[nodiscard]] bool is_worth_sleeping(const worker& me, time_ns span_ns) {
  const policy::demand& costs = me.point.rules;
  return span_ns >= 2 * (costs.notify_ns + costs.wake_ns);
}

void pause_shortly() {
  for (int i = 0; i != 8; ++i) std_atomics::pause();
}

void stop_searching(worker& me) {
  if (!me.sleep.is_searching) return;
  me.sleep.is_searching = false;
  wakeups& wakes = *me.home.wakes;
  if (wakes.idle().stop_searching() == park::duty::none) return;
  if (me.home.has_work_for(me) || wakes.sources.keeper.needs_keeper()) wakes.notify(me.self, &me);
}

// A search that went beyond the own queues is over: its cost goes into the counters.
void account_search(worker& me) {
  if (me.sleep.search_began_ns == 0) return;
  me.counters.add(trace::count::search_ns, static_cast<std::uint64_t>(monotonic_now_ns() - me.sleep.search_began_ns));
  me.sleep.search_began_ns = 0;
  const policy::search_counters& now = me.search.counters();
  policy::search_counters& before = me.sleep.reported;
  me.counters.add(trace::count::steal_attempts, now.attempts - before.attempts);
  me.counters.add(trace::count::steal_failures, now.failures - before.failures);
  me.counters.add(trace::count::steal_lost, now.lost - before.lost);
  before = now;
}

// The worker runs something else: another sees to the sources, now or when it falls asleep.
void resign(worker& me) {
  me.sleep.is_keeper = false;
  me.home.wakes->sources.keeper.resign();
}

// The worker has announced its sleep and requested, and no owner has answered. It is awake still: it visits sooner than
// the monitor does, and what it finds is its own.
void visit_holdouts(worker& me) {
  sharing& shares = *me.home.shares;
  bool has_found = shares.visit_for(me);
  if (!has_found && !me.home.wakes->idle().is_chosen(me.self)) {
    shares.call_monitor();
    has_found = !shares.has_visitor() && shares.visit_for(me);  // there is no monitor, but visits are prepared now
  }
  if (has_found) (void)me.home.wakes->notify_worker(me.self);
}

// The worker has announced its sleep, and is awake until it is chosen or the time is over. It does not yield meanwhile:
// on a busy machine the CPU would come back late, and the thread that chose it would wait. Deferred requests it makes
// itself, since the monitor would have to be woken, perhaps on the CPU of the owner. Returns when it has requested the
// last time; 0: never.
time_ns linger(worker& me, time_ns until_ns) {
  wakeups& wakes = *me.home.wakes;
  sharing& shares = *me.home.shares;
  const policy::demand& rules = me.point.rules;
  wakes.lingering.begin();
  time_ns requested_ns = 0;
  time_ns flush_ns = monotonic_now_ns();
  time_ns visit_ns = flush_ns + rules.answer_ns();
  time_ns latest_visit_ns = visit_ns + rules.answer_ns();  // however often it requests meanwhile
  while (!wakes.idle().is_chosen(me.self)) {
    const time_ns now_ns = monotonic_now_ns();
    if (now_ns >= until_ns) break;
    if (now_ns >= flush_ns) {
      flush_ns = now_ns + rules.deferred_every_ns();
      if (shares.board.flush_deferred(me)) {
        requested_ns = now_ns;
        visit_ns = std::min(now_ns + rules.answer_ns(), latest_visit_ns);
      }
    } else if (now_ns >= visit_ns) {
      if (shares.visit_for(me)) (void)wakes.notify_worker(me.self);
      else if (!shares.board.has_deferred() && shares.board.is_work_withheld_from(me)) shares.call_monitor();
      visit_ns = monotonic_now_ns() + rules.answer_ns();
      latest_visit_ns = visit_ns + rules.answer_ns();
    }
    pause_shortly();
  }
  wakes.lingering.end();
  return requested_ns;
}

// Requests from all other workers, before the sleep. When the first of the deferred requests may be made.
struct requested {
  time_ns due_ns = k_never_ns;
  bool is_crowded = false;  // another worker runs on the CPU of this one
};
requested request_from_all(worker& me, time_ns now_ns) {
  requested found;
  const std::uint32_t here = me.home.cpus->keeps_apart() ? worker::current_cpu() : worker::k_unknown_cpu;
  const bool has_place = me.home.shares->board.has_place_for_sleeper();
  for (worker& other : me.home.workers) {
    if (&other == &me) continue;
    if (has_place || has_coroutines(other.point)) share_thief{other.point}.request_before_sleep(now_ns);
    else other.point.requests.defer();  // until the external thread that computes leaves its place
    if (other.point.requests.has_deferred())
      found.due_ns = std::min(found.due_ns, other.point.throttle.value().not_before_ns());
    found.is_crowded |= other.works_at(here);
  }
  return found;
}

[[nodiscard]] bool must_leave_search(const worker& me) {
  return me.home.threads->has_returners() || me.home.admits.now() == life::stopped;
}

// The worker lingers, and sees to it that what others withhold is offered, until it may sleep. Returns when it stopped
// lingering.
time_ns settle_requests(worker& me, time_ns began_ns, time_ns linger_ns, time_ns requested_ns, time_ns until_ns) {
  sharing& shares = *me.home.shares;
  park::idle<>& idle = me.home.wakes->idle();
  const bool has_lingered = linger_ns > 0;
  if (has_lingered) {
    const time_ns end_ns = std::min(linger_ns < k_never_ns - began_ns ? began_ns + linger_ns : k_never_ns, until_ns);
    requested_ns = std::max(requested_ns, linger(me, end_ns));
    const time_ns lingered_ns = monotonic_now_ns() - began_ns;
    me.counters.add(trace::count::search_ns, static_cast<std::uint64_t>(lingered_ns));
    began_ns += lingered_ns;
  }
  // [L22] seq_cst fence: "request, then look which workers run" against "run, then look whether a request stands" ↔
  // [L21].
  std_atomics::fence(std::memory_order_seq_cst);
  // As late as this: what was forked just before the request is seen now.
  if (!idle.is_chosen(me.self) && shares.board.is_work_withheld_from(me)) {
    const time_ns answered_ns =
        shares.visits.can_visit() ? std::min(requested_ns + me.point.rules.answer_ns(), until_ns) : 0;
    while (monotonic_now_ns() < answered_ns && !idle.is_chosen(me.self)) std_atomics::pause();
    visit_holdouts(me);
  }
  // Picked by a notifier: it will not flush deferred requests, so the monitor must.
  if (has_lingered && idle.is_chosen(me.self) && idle.sleeping_hint() != 0 &&
      (shares.board.has_deferred() || shares.board.is_work_withheld_from(me))) {
    shares.call_monitor();
  }
  return began_ns;
}

// Announces its sleep, looks once more, lingers, sleeps. Returns counted as searching.
void doze(worker& me, time_ns deadline_ns, time_ns linger_ns) {
  wakeups& wakes = *me.home.wakes;
  auto& keeper = wakes.sources.keeper;
  sleep_state& mine = me.sleep;
  me.woken_by = nullptr;
  wakes.idle().announce_sleep(me.self, mine.is_searching);
  mine.is_searching = true;  // the thread that ends the sleep counts this worker as searching
  // A fork from now on finds a sleeper.
  const time_ns now_ns = monotonic_now_ns();
  const requested asked = request_from_all(me, now_ns);
  if (!mine.is_keeper && !wakes.sources.is_empty()) mine.is_keeper = keeper.try_take(me.self);
  const time_ns earliest_ns = mine.is_keeper ? keeper.announce_sleep() : k_never_ns;
  if (me.home.has_work_for(me) || must_leave_search(me) || earliest_ns <= now_ns) {
    wakes.idle().retract_sleep(me.self);
    if (mine.is_keeper) keeper.wake_up();
    return;
  }
  me.home.admits.note_idle();
  me.queues.trim();
  if (deadline_ns == k_never_ns) me.counters.add(trace::count::parks);
  me.trace.events().park();
  me.enter(worker_state::sleeping);
  const time_ns began_ns = monotonic_now_ns();
  if (asked.is_crowded && !wakes.idle().is_chosen(me.self)) me.home.cpus->leave_crowded_cpus(&me, mine.moved_ns);
  if (asked.due_ns != k_never_ns && std::exchange(mine.may_await_deferred, false))
    linger_ns = std::max(linger_ns, me.point.rules.due_linger_ns(asked.due_ns, began_ns));
  const time_ns until_ns = std::min(deadline_ns, earliest_ns);
  const time_ns asleep_ns = settle_requests(me, began_ns, linger_ns, now_ns, until_ns);
  me.home.cpus->sleep_apart(me, wakes.idle(), until_ns);
  if (me.woken_by != nullptr && me.woken_by->works_at(worker::current_cpu()))
    me.home.cpus->leave_crowded_cpus(&me, mine.moved_ns);
  if (mine.is_keeper) keeper.wake_up();
  me.counters.add(trace::count::idle_ns, static_cast<std::uint64_t>(monotonic_now_ns() - asleep_ns));
  me.enter(worker_state::searching);
  me.trace.events().wake();
  mine.search_began_ns = monotonic_now_ns();
}

}  // namespace

void start_searching(worker& me) {
  if (me.sleep.search_began_ns == 0) {
    me.sleep.search_began_ns = monotonic_now_ns();
    me.enter(worker_state::searching);
  }
  if (!me.sleep.is_searching) me.sleep.is_searching = me.home.wakes->idle().try_start_searching();
}

void end_search(worker& me) {
  if (me.sleep.is_keeper) resign(me);
  stop_searching(me);
  account_search(me);
  if (me.home.cpus->keeps_apart()) me.note_cpu();
  me.enter(worker_state::running);
  note_running(me);
}

void wait_awake(worker& me, time_ns span_ns) {
  start_searching(me);
  me.home.admits.note_idle();
  const time_ns until_ns = monotonic_now_ns() + span_ns;
  if (is_worth_sleeping(me, span_ns) || !me.sleep.is_searching) return doze(me, until_ns, 0);
  while (monotonic_now_ns() < until_ns && !me.home.has_work_for(me)) pause_shortly();
}

void sleep_until_woken(worker& me, time_ns linger_ns) {
  account_search(me);
  const bool has_cpu_each = me.home.has_cpu_each;
  const time_ns since_theft_ns = monotonic_now_ns() - me.steals.stolen_ns;
  me.sleep.may_await_deferred = has_cpu_each && linger_ns != 0;  // it has stolen since it parked the last time
  doze(me, k_never_ns, me.point.rules.linger_ns(linger_ns, since_theft_ns, has_cpu_each));
}

// The next look comes after more tasks if they are short: a look costs as much as a short task.
void look_at_sources_in_turn(worker& me) {
  constexpr time_ns k_often_ns = 20 * k_ns_per_us;
  constexpr std::uint32_t k_most_tasks = 32;
  sleep_state& mine = me.sleep;
  if (--mine.tasks_to_look != 0) return;
  const time_ns now_ns = monotonic_now_ns();
  const bool is_often = now_ns - std::exchange(mine.looked_ns, now_ns) < k_often_ns;
  mine.tasks_per_look = is_often ? std::min(2 * mine.tasks_per_look, k_most_tasks) : 1;
  mine.tasks_to_look = mine.tasks_per_look;
  (void)me.home.wakes->poll_sources(&me);
}

}  // namespace filch::inline v0
