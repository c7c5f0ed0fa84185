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

#include "worker.hpp"

#include <filch/policy/step.hpp>

namespace filch::inline v0 {

// What a step of the search finds.
[[nodiscard]] worker_queues::look take_work(worker& me, const policy::step& now);
// One look at all queues, without waiting: for a thread that must wait and may not give its worker away.
[[nodiscard]] queue_entry* take_anything(worker& me);

// What a thief requested: children, or half of the ready coroutines, go into the deque.
void share_pending(local_work& mine) noexcept;
void share_ready(worker& me) noexcept;

}  // namespace filch::inline v0
