// How a worker takes work from others.
#include "core.hpp"
#include "worker.hpp"

#include <new>
#include <utility>

namespace filch::inline v0 {
namespace {

// For the record.
task_id id_of(const queue_entry* entry) {
  if (entry == nullptr) return task_id::none();  // never; g++ does not know
  switch (entry->kind) {
    case entry_kind::task:
      return static_cast<const task_base*>(entry)->id;
    case entry_kind::coroutine:
    case entry_kind::spawned:
      return static_cast<const coroutine_entry*>(entry)->id;
    case entry_kind::stack:
      break;
  }
  return task_id::none();
}

}  // namespace

worker_queues::look worker::rob(worker_id victim, policy::priority band) {
  start_searching();
  trace->steal_attempt(victim);
  worker& robbed = home.workers[victim.value];
  if (batch_.from != nullptr) judge_batch(monotonic_now_ns());
  worker_queues::look result{};
  try {
    result = robbed.queues.rob(band, search_.options().steal, queues);
  } catch (const std::bad_alloc&) {
    // No memory for the loot: nothing was taken; one task fits always.
    result = robbed.queues.rob(band, policy::steal::one, queues);
  }
  if (result.status == steal_status::empty && (home.has_place_here() || robbed.point.has_coroutines())) {
    if (robbed.point.has_aged_offer()) result = take_offer(robbed.point);
    if (result.item != nullptr || !robbed.point.cell.has_offer()) ask(robbed.point, result.item != nullptr);
    else note_not_aged(robbed.point.offered_ns());
  } else if (result.item != nullptr && robbed.queues.deque_hint(band) == 0 && may_have_more(robbed, *result.item)) {
    ask(robbed.point, true);
  }
  if (result.item != nullptr) pass_on(robbed);
  switch (result.status) {
    case steal_status::taken:
      stolen_ns_ = monotonic_now_ns();
      counters.add(trace::count::stolen_by_me, result.moved + 1);
      robbed.counters.robbed(result.moved + 1);
      trace->steal_success(victim, id_of(result.item), result.moved + 1);
      counters.raise(trace::count::queue_max, queues.deque_hint(band));
      if (is_coroutine(*result.item)) {
        batch_ = {&robbed.point, stolen_ns_, result.moved + 1};
        keep_ready(result.moved);
      }
      break;
    case steal_status::lost:
      trace->steal_lost(victim);
      break;
    case steal_status::empty:
      trace->steal_empty(victim);
      break;
  }
  return result;
}

// It has taken the last of what lay in a deque. Coroutines come there because somebody has asked, and that request is
// over: who forks more of them keeps them, while others sleep.
bool worker::may_have_more(const worker& robbed, const queue_entry& taken) const {
  return has_pending(robbed) || (is_coroutine(taken) && home.idle().sleeping_hint() != 0);
}

// A frame becomes a task only now: it is counted where it will run.
worker_queues::look worker::take_offer(share_point& from) {
  queue_entry* const taken = from.cell.take();
  if (taken == nullptr) return {};
  if (taken->kind != entry_kind::task) {
    auto& offered = static_cast<coroutine_entry&>(*taken);
    if (!offered.id.is_some()) home.number(offered, *this);  // else it could go on before, and was counted then
    return {steal_status::taken, taken, 0};
  }
  auto& offered = static_cast<offered_task&>(*taken);
  const task_id fresh{(std::uint64_t{self.value} + 1) << 44 | books.made()};
  counters.add(trace::count::spawned);
  if (!offered.id.is_some()) {  // else it was noted by who forked it
    offered.id = fresh;
    trace->spawn(offered.id, offered.parent, trace::name_id::none());
  }
  return {steal_status::taken, taken, 0};
}

// A external thread that keeps its work to itself is the monitor thread's affair; one that has begun to share is asked for more.
worker_queues::look worker::take_from_external() {
  worker_queues::look result{};
  if (!home.has_place_here()) return result;
  home.external().for_each([&](external_slot& slot) {
    if (result.item != nullptr) return;
    if (slot.point.has_aged_offer()) result = take_offer(slot.point);
    if (result.item != nullptr) ask(slot.point, true);
  });
  return result;
}

// So many were moved into the own deque: those that are coroutines become private again.
void worker::keep_ready(std::uint32_t moved) {
  for (; moved != 0; --moved) {
    queue_entry* const item = queues.pop(policy::priority::normal, policy::order::lifo).item;
    if (item == nullptr) return;
    if (!is_coroutine(*item)) return home.push_own_quietly(*item, *this);
    changes.begin();
    ready.put_behind(static_cast<coroutine_entry&>(*item));
    changes.end();
  }
}

// Coroutines that were over sooner than their frames came from one cache to the other are better left where they are:
// they are asked for less and less often, and fewer are given.
void worker::judge_batch(time_ns now_ns) {
  constexpr time_ns k_tiny_ns = 300;  // guess: a few cache lines
  const bool was_tiny = (now_ns - batch_.taken_ns) / batch_.count < k_tiny_ns;
  batch_.from->pace.note(was_tiny ? 0 : k_never_ns, now_ns);
  pace_.judge(was_tiny, now_ns);
  batch_.from = nullptr;
}

// An offer that is not aged is one of tiny children, too; each is counted once.
void worker::note_not_aged(time_ns offered_ns) {
  if (std::exchange(not_aged_ns_, offered_ns) != offered_ns) pace_.judge(true, monotonic_now_ns());
}

void worker::ask(share_point& robbed, bool has_taken) {
  const time_ns now_ns = monotonic_now_ns();
  if (has_taken ? pace_.take(now_ns) : pace_.may_ask(now_ns)) (void)robbed.ask();
  else if (has_taken && home.idle().sleeping_hint() != 0) robbed.owe();
}

// It has taken work while others sleep, and will ask for nothing soon: should the robbed one have more, and come to no
// fork or join, only the monitor thread notices.
void worker::pass_on(const worker& robbed) {
  if (home.idle().sleeping_hint() == 0) return;
  if (robbed.point.withholds() || robbed.awaits_join()) home.call_monitor();
  else if (robbed.point.has_deferred()) home.announce_deferred();
}

queue_entry* worker::look_everywhere() {
  for (const auto band : {policy::priority::high, policy::priority::normal, policy::priority::low}) {
    if (queue_entry* found = counted(queues.pop_pinned(band)).item) return found;
    if (queue_entry* found = take_local(band).item) return found;
    if (queue_entry* found = take_injected(band).item) return found;
    for (worker& other : home.workers) {
      if (&other == this || other.queues.stealable_hint() == 0) continue;
      const auto result = other.queues.rob(band, policy::steal::one, queues);
      counters.add(trace::count::steal_attempts);
      if (result.item == nullptr) {
        counters.add(trace::count::steal_failures);
        continue;
      }
      counters.add(trace::count::stolen_by_me);
      other.counters.robbed(1);
      trace->steal_success(other.self, id_of(result.item), 1);
      return result.item;
    }
  }
  return nullptr;
}

}  // namespace filch::inline v0
