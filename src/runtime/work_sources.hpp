// Where work comes from. `take_work` is the one ordered list of sources; the policy's search says which group comes
// next.
//
//   group       source, in this order                                                        file
//   inbox       entries pinned to this worker
//   local       an offer in the own cell that no thief has taken for long
//               a child that waits in the own list
//               a ready coroutine; every 16th time, and behind a yield, the deque comes first
//               the deque, then the mail, then the own cell
//   injector    the mail and the injector in turn, then offers of external threads
//   victim      another worker: its deque and mail, then its cell; a request if there is nothing   stealing.cpp
//
// Who may call what: the thread that holds the worker.
#pragma once

#include "core.hpp"
#include "ready.hpp"
#include "stealing.hpp"

#include <filch/base/assert.hpp>
#include <filch/policy/step.hpp>

#include <utility>

namespace filch::inline v0 {

// What a step of the search finds. Inline, as the loop runs coroutines of a few nanoseconds.
[[nodiscard]] inline worker_queues::look take_work(worker& me, const policy::step& now);
// One look at all queues, without waiting: for a thread that must wait and may not give its worker away.
[[nodiscard]] queue_entry* take_anything(worker& me);

// What a thief requested: children, or half of the ready coroutines, go into the deque.
void share_pending(local_work& mine) noexcept;
void share_ready(worker& me) noexcept;

namespace sources {

using look = worker_queues::look;
using policy::step_kind;

// Work that came from others goes into the counters.
inline look counted(worker& me, look result) {
  if (result.item != nullptr) me.counters.add(trace::count::injected);
  return result;
}

// A child that waits in the own list: it is a task from now on.
inline look take_child(worker& me) {
  pending_group& group = *me.newest.load(std::memory_order_relaxed);  // owner-only
  coroutine_entry* const child = &group != &me.bottom ? take_pending(me, group) : nullptr;
  if (child == nullptr) return {};  // there is none, or a visitor was quicker
  dispatch::number(*child, me);
  return {steal_status::taken, child, 0};
}

// A task that blocks, or a visitor, has put it into the own cell, and a thief was to come. All may have found something
// else since then.
inline bool is_overdue(worker& me, const queue_entry* offer) {
  const time_ns now_ns = monotonic_now_ns();
  source_state& seen = me.sources;
  if (offer != std::exchange(seen.offer_seen, offer)) seen.offer_seen_ns = now_ns;
  return offer != nullptr && now_ns - seen.offer_seen_ns >= me.point.rules.overdue_ns();
}

inline look take_own_offer(worker& me) {
  me.sources.offer_seen = nullptr;
  return take_offer(me, me.point);
}

inline look take_queued(worker& me, policy::priority band) {
  const look result = me.queues.pop(band, me.search.options().order);
  if (result.item != nullptr) return result;
  const look mailed = counted(me, me.queues.pop_mail(band));
  return mailed.status != steal_status::empty || band != policy::priority::normal ? mailed : take_own_offer(me);
}

inline look take_local(worker& me, policy::priority band) {
  constexpr std::uint32_t k_deque_first = 16;  // so that nothing waits in the deque for ever (guess)
  if (band != policy::priority::normal) return take_queued(me, band);
  if (const queue_entry* const offer = me.point.offers.peek(); offer != nullptr || me.sources.offer_seen != nullptr)
      [[unlikely]] {
    if (is_overdue(me, offer)) {
      if (const look overdue = take_own_offer(me); overdue.item != nullptr) return overdue;
    }
  }
  if (const look child = take_child(me); child.item != nullptr) return child;
  if (me.ready.size() == 0) return take_queued(me, band);
  source_state& turns = me.sources;
  const bool is_deque_first = turns.deque_turns != 0 || ++turns.turns % k_deque_first == 0;
  if (turns.deque_turns != 0) --turns.deque_turns;
  if (is_deque_first) {
    if (const look result = me.queues.pop(band, me.search.options().order); result.item != nullptr) return result;
    turns.deque_turns = 0;
  }
  coroutine_entry* const taken = take_ready(me);
  if (taken == nullptr) return {};  // a visitor was quicker
  return {steal_status::taken, taken, 0};
}

// A worker that has nothing else takes several coroutines at once, so that the many threads that fill the injector and
// the few that empty it meet less often. A plain task ends the batch: in the deque it could be passed by others for
// ever.
inline look pop_injected(worker& me, policy::priority band) {
  dispatch& queues = *me.home.queues;
  queue::injector<>& from = queues.injector_of(band);
  const bool is_idle = band == policy::priority::normal && me.ready.size() == 0 && me.queues.deque_hint(band) == 0;
  const std::uint64_t share =
      is_idle ? policy::demand::taken_from_injector(from.size_hint(), me.home.workers.size()) : 1;
  queue_entry* first = nullptr;
  queue_entry* last = nullptr;
  std::uint32_t count = 0;
  const auto status = from.pop_batch(static_cast<std::uint32_t>(share), [&](queue::link* each) {
    auto* const taken = static_cast<queue_entry*>(each);
    const bool is_one = is_coroutine(*taken);
    ++count;
    if (first == nullptr) first = taken;
    else if (is_one) put_ready(me, static_cast<coroutine_entry&>(*taken), ready_turn::last);  // others may have it now
    else last = taken;
    return is_one;
  });
  if (first == nullptr) return {status, nullptr, 0};
  if (last != nullptr) {
    me.queues.mail(*last);
    me.home.wakes->notify(me.self, &me);
  }
  me.home.submits->made_room();
  me.counters.add(trace::count::injected, count);
  return {steal_status::taken, first, 0};
}

// Which of mail and injector comes first in turn: so neither a flood of own tasks nor one of the injector can starve
// the mail, and a worker that was woken finds it.
inline look take_injected(worker& me, policy::priority band) {
  me.sources.mail_first = !me.sources.mail_first;
  if (me.sources.mail_first) {
    if (const look mailed = me.queues.pop_mail(band); mailed.item != nullptr) return counted(me, mailed);
  }
  const look result = pop_injected(me, band);
  if (result.item != nullptr) return result;
  if (const look mailed = me.queues.pop_mail(band); mailed.status != steal_status::empty) return counted(me, mailed);
  if (band == policy::priority::normal) {
    if (const look offered = take_from_external(me); offered.item != nullptr) return counted(me, offered);
  }
  return result;
}

}  // namespace sources

inline worker_queues::look take_work(worker& me, const policy::step& now) {
  switch (now.kind) {
    case policy::step_kind::inbox:
      return sources::counted(me, me.queues.pop_pinned(now.band));
    case policy::step_kind::local:
      return sources::take_local(me, now.band);
    case policy::step_kind::injector:
      return sources::take_injected(me, now.band);
    case policy::step_kind::victim:
      return steal_from(me, now.victim, now.band);
    case policy::step_kind::wait:
    case policy::step_kind::park:
      break;
  }
  FILCH_ASSERT(false, now.kind);
  return {};
}

}  // namespace filch::inline v0
