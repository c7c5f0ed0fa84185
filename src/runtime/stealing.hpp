// How a worker takes work from others, and how often it requests more.
//
// Who may call what: the thread that holds the worker `me`.
#pragma once

#include "worker.hpp"

namespace filch::inline v0 {

// From a victim's deque, its mail, or its cell. Where it finds nothing it requests work.
[[nodiscard]] worker_queues::look steal_from(worker& me, worker_id victim, policy::priority band);
// One entry of a victim's deque or mail, without a request.
[[nodiscard]] queue_entry* steal_one(worker& me, worker& victim, policy::priority band);
// What is offered there.
[[nodiscard]] worker_queues::look take_offer(worker& me, share_point& from);
// What an external thread offers.
[[nodiscard]] worker_queues::look take_from_external(worker& me);

}  // namespace filch::inline v0
