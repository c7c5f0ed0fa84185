#include "stealing.hpp"

#include "core.hpp"
#include "sleeping.hpp"

#include "share/offered_task.hpp"
#include "share/thief.hpp"

#include <new>
#include <utility>

namespace filch::inline v0 {
namespace {

using look = worker_queues::look;

// For the record.
task_id id_of(const queue_entry* entry) {
  if (entry == nullptr) return task_id::none();  // never; g++ does not know
  switch (entry->kind) {
    case entry_kind::task:
      return static_cast<const task_base*>(entry)->id;
    case entry_kind::coroutine:
    case entry_kind::spawned:
      return static_cast<const coroutine_entry*>(entry)->id;
    case entry_kind::offer:
      return static_cast<const offered_task*>(entry)->id;
    case entry_kind::stack:
      break;
  }
  return task_id::none();
}

// Coroutines that were over sooner than their frames came from one cache to the other are better left where they are:
// they are requested less and less often, and fewer are given.
void judge_batch(worker& me, time_ns now_ns) {
  auto& batch = me.steals.batch;
  const policy::demand& rules = me.point.rules;
  const bool was_tiny = rules.is_tiny_batch((now_ns - batch.taken_ns) / batch.count);
  batch.from->throttle.note(was_tiny ? 0 : k_never_ns, now_ns, rules);
  me.steals.pace.judge(was_tiny, now_ns, rules);
  batch.from = nullptr;
}

void request(worker& me, share_point& robbed, bool has_taken) {
  const time_ns now_ns = monotonic_now_ns();
  policy::request_pace& pace = me.steals.pace;
  if (has_taken ? pace.take(now_ns) : pace.may_request(now_ns, me.point.rules)) (void)share_thief{robbed}.request();
  else if (has_taken && me.home.wakes->sleeping_hint() != 0) robbed.requests.defer();
}

// An offer that has not lain long enough is one of tiny children, too; each is counted once.
void note_not_aged(worker& me, time_ns offered_ns) {
  if (std::exchange(me.steals.not_aged_ns, offered_ns) == offered_ns) return;
  me.steals.pace.judge(true, monotonic_now_ns(), me.point.rules);
}

// It has taken the last of what lay in a deque. Coroutines come there because of a request, and that request is over:
// an owner that forks more of them keeps them, while others sleep.
bool may_have_more(const worker& me, const worker& robbed, const queue_entry& taken) {
  return has_pending(robbed) || (is_coroutine(taken) && me.home.wakes->sleeping_hint() != 0);
}

// The victim may have forked in the very moment of the request: its change needs some time until it is seen.
[[nodiscard]] bool withholds_soon(const worker& robbed) {
  const time_ns until_ns = monotonic_now_ns() + robbed.point.rules.migrate_ns;
  while (monotonic_now_ns() < until_ns) std_atomics::pause();
  return withholds(robbed.point);
}

// The thief has taken work while others sleep, and will request nothing soon: should the victim have more, and come to
// no fork or join, only the monitor notices.
void pass_on(worker& me, const worker& robbed, const queue_entry& taken) {
  if (me.home.wakes->sleeping_hint() == 0) return;
  const bool was_forked = taken.kind == entry_kind::offer || is_coroutine(taken);
  if (robbed.awaits_join() || withholds(robbed.point)) me.home.shares->call_monitor();
  else if (robbed.point.requests.has_deferred()) me.home.shares->announce_deferred();
  else if (was_forked && withholds_soon(robbed)) me.home.shares->call_monitor();
}

// `moved` entries have come into the own deque: those that are coroutines become private again.
void keep_ready(worker& me, std::uint32_t moved) {
  for (; moved != 0; --moved) {
    queue_entry* const item = me.queues.pop(policy::priority::normal, policy::order::lifo).item;
    if (item == nullptr) return;
    if (!is_coroutine(*item)) return me.home.queues->push_own_quietly(*item, me);
    me.changes.begin();
    me.ready.put_behind(static_cast<coroutine_entry&>(*item));
    me.changes.end();
  }
}

void note_stolen(worker& me, worker& robbed, const look& taken, policy::priority band) {
  me.steals.stolen_ns = monotonic_now_ns();
  me.counters.add(trace::count::stolen_by_me, taken.moved + 1);
  robbed.counters.robbed(taken.moved + 1);
  me.trace.events().steal_success(robbed.self, id_of(taken.item), taken.moved + 1);
  me.counters.raise(trace::count::queue_max, me.queues.deque_hint(band));
  if (!is_coroutine(*taken.item)) return;
  me.steals.batch = {&robbed.point, me.steals.stolen_ns, taken.moved + 1};
  keep_ready(me, taken.moved);
}

}  // namespace

worker_queues::look steal_from(worker& me, worker_id victim, policy::priority band) {
  start_searching(me);
  me.trace.events().steal_attempt(victim);
  worker& robbed = me.home.workers[victim.value];
  if (me.steals.batch.from != nullptr) judge_batch(me, monotonic_now_ns());
  look result{};
  try {
    result = robbed.queues.rob(band, me.search.options().steal, me.queues);
  } catch (const std::bad_alloc&) {
    // No memory for the batch: nothing was taken; one task fits always.
    result = robbed.queues.rob(band, policy::steal::one, me.queues);
  }
  if (result.status == steal_status::empty &&
      (me.home.shares->board.has_place_awake() || has_coroutines(robbed.point))) {
    if (has_offer_worth_taking(robbed.point)) result = take_offer(me, robbed.point);
    if (result.item != nullptr || !robbed.point.offers.is_filled()) request(me, robbed.point, result.item != nullptr);
    else note_not_aged(me, robbed.point.offers.offered_ns());
  } else if (result.item != nullptr && robbed.queues.deque_hint(band) == 0 && may_have_more(me, robbed, *result.item)) {
    request(me, robbed.point, true);
  }
  if (result.item != nullptr) pass_on(me, robbed, *result.item);
  switch (result.status) {
    case steal_status::taken:
      note_stolen(me, robbed, result, band);
      break;
    case steal_status::lost:
      me.trace.events().steal_lost(victim);
      break;
    case steal_status::empty:
      me.trace.events().steal_empty(victim);
      break;
  }
  return result;
}

queue_entry* steal_one(worker& me, worker& victim, policy::priority band) {
  const look result = victim.queues.rob(band, policy::steal::one, me.queues);
  me.counters.add(trace::count::steal_attempts);
  if (result.item == nullptr) {
    me.counters.add(trace::count::steal_failures);
    return nullptr;
  }
  me.counters.add(trace::count::stolen_by_me);
  victim.counters.robbed(1);
  me.trace.events().steal_success(victim.self, id_of(result.item), 1);
  return result.item;
}

// A frame becomes a task only now: it is counted where it will run.
worker_queues::look take_offer(worker& me, share_point& from) {
  queue_entry* const taken = share_thief{from}.take();
  if (taken == nullptr) return {};
  if (taken->kind != entry_kind::offer) {
    auto& offered = static_cast<coroutine_entry&>(*taken);
    if (!offered.id.is_some()) dispatch::number(offered, me);  // else it was ready before, and was counted then
    return {steal_status::taken, taken, 0};
  }
  auto& offered = static_cast<offered_task&>(*taken);
  const task_id fresh = me.number_task();
  me.counters.add(trace::count::spawned);
  if (!offered.id.is_some()) {  // else it was recorded by its owner
    offered.id = fresh;
    me.trace.events().spawn(offered.id, offered.parent, trace::name_id::none());
  }
  return {steal_status::taken, taken, 0};
}

// An external thread that keeps its work to itself is the monitor's affair; one that has begun to share gets requests
// for more.
worker_queues::look take_from_external(worker& me) {
  look result{};
  sharing& shares = *me.home.shares;
  if (!shares.board.has_place_awake()) return result;
  shares.external.for_each([&](external_slot& slot) {
    if (result.item != nullptr) return;
    if (has_offer_worth_taking(slot.point)) result = take_offer(me, slot.point);
    if (result.item != nullptr) request(me, slot.point, true);
  });
  return result;
}

}  // namespace filch::inline v0
