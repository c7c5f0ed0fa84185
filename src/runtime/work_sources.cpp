#include "work_sources.hpp"

#include "share/owner.hpp"

#include <algorithm>

namespace filch::inline v0 {

queue_entry* take_anything(worker& me) {
  for (const auto band : {policy::priority::high, policy::priority::normal, policy::priority::low}) {
    if (queue_entry* found = sources::counted(me, me.queues.pop_pinned(band)).item) return found;
    if (queue_entry* found = sources::take_local(me, band).item) return found;
    if (queue_entry* found = sources::take_injected(me, band).item) return found;
    for (worker& other : me.home.workers) {
      if (&other == &me || other.queues.stealable_hint() == 0) continue;
      if (queue_entry* found = steal_one(me, other, band)) return found;
    }
  }
  return nullptr;
}

// ---- what thieves requested -----------------------------------------------------------------------------------------

// While the worker is recorded all children become tasks, so that the record has them. Otherwise some of the oldest
// group: as many as a few thieves take before the next fork (guess). The request stands as long as another worker
// sleeps: the one that is woken may look before the next children are there, and no thief would request them again.
void share_pending(local_work& mine) noexcept {
  worker& me = static_cast<worker&>(mine);
  const bool is_recorded = me.trace.is_enabled();
  me.requested.store(is_recorded ? request_kind::recording : request_kind::none, std::memory_order_relaxed);  // hint
  me.changes.begin();
  bool is_shared = false;
  for (std::uint32_t left = is_recorded ? UINT32_MAX : 16; left != 0; --left) {
    coroutine_entry* const child = take_oldest_pending(me);
    if (child == nullptr) break;
    is_shared = true;
    dispatch::number(*child, me);
    me.home.queues->push_own_quietly(*child, me);
  }
  me.changes.end();
  if (!is_shared) return;
  me.home.wakes->notify(me.self, &me);
  if (me.home.wakes->sleeping_hint() == 0) return;
  if (me.point.throttle.value().may_wake(monotonic_now_ns())) me.request_work();
  else share_owner{me.point}.defer();
}

// One alone stays: its turn comes when what runs suspends or ends, and the monitor visits a worker where that takes
// long. Without a monitor that can, it does not stay.
void share_ready(worker& me) noexcept {
  constexpr std::uint64_t k_enough = 2;  // for a thief that comes and requests again
  me.changes.begin();
  const std::uint32_t size = me.ready.size();
  if (size == 0 || (size == 1 && me.home.shares->has_visitor())) {
    me.changes.end();
    if (size != 0) me.home.shares->call_monitor();
    return;
  }
  const std::uint32_t streak = me.point.throttle.value().streak();
  for (std::uint32_t left = policy::demand::shared_ready(size, streak); left != 0; --left) {
    me.home.queues->push_own_quietly(*me.ready.take_oldest(), me);
  }
  me.changes.end();
  if (me.queues.deque_hint(policy::priority::normal) >= k_enough) {
    const request_kind left = me.trace.is_enabled() ? request_kind::recording : request_kind::none;
    me.requested.store(left, std::memory_order_relaxed);  // statistic
  }
  me.home.wakes->notify(me.self, &me);
}

}  // namespace filch::inline v0
