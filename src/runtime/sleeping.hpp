// How a worker searches, waits and sleeps, and how it sees to the wait sources.
//
// Who may call what: the thread that holds the worker.
#pragma once

#include "worker.hpp"

namespace filch::inline v0 {

// It looks beyond its own queues; and the search is over, with work or without.
void start_searching(worker& me);
void end_search(worker& me);
// A wait of the search. It counts as searching, so a submission does not wake another worker.
void wait_awake(worker& me, time_ns span_ns);
// The search has found nothing: it sleeps until it is woken. `linger_ns`: how long it may stay awake before.
void sleep_until_woken(worker& me, time_ns linger_ns);
// A task ends while a wait source has a deadline: looks at the clock now and then.
void look_at_sources_in_turn(worker& me);

}  // namespace filch::inline v0
