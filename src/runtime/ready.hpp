// The ready coroutines of a worker, which stay with it until work is requested
// (docs/decisions/0014-ready-coroutines-stay-private.md).
//
// Who may call what: the thread that holds the worker.
#pragma once

#include "worker.hpp"

#include <algorithm>
#include <cstdint>

namespace filch::inline v0 {

enum class ready_turn : std::uint8_t { next, last };

// Of a coroutine of normal priority that is ready here: as the next, or after all others. Others may get it first.
inline void put_ready(worker& me, coroutine_entry& entry, ready_turn when) noexcept {
  me.changes.begin();
  if (when == ready_turn::last || me.search.options().order == policy::order::fifo) me.ready.put_behind(entry);
  else me.ready.put(entry);
  me.changes.end();
  // hint: a stale read only delays the answer
  if (me.requested.load(std::memory_order_relaxed) == request_kind::work) [[unlikely]]
    me.share_ready(me);
}

// Null: there is none, or a visitor was quicker.
[[nodiscard]] inline coroutine_entry* take_ready(worker& me) noexcept {
  // hint: a stale read only delays the answer
  if (me.requested.load(std::memory_order_relaxed) == request_kind::work && me.ready.size() > 1) [[unlikely]]
    me.share_ready(me);
  me.changes.begin();
  coroutine_entry* const taken = me.ready.take();
  me.changes.end();
  return taken;
}

// What lies in the deque now comes before ready coroutines.
inline void look_at_deque_first(worker& me) noexcept {
  me.sources.deque_turns = std::max(me.sources.deque_turns, me.queues.deque_hint(policy::priority::normal));
}

}  // namespace filch::inline v0
