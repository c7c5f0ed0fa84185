// The worker's loop: asks the policy for the next step, carries it out, and runs what was found.
//
//   work_sources.hpp  where work comes from
//   stealing.hpp      how it is taken from others
//   sleeping.hpp      what a worker does that finds nothing
//   running.hpp       how what was found is run
//   wakeups.hpp       who wakes whom
//
// Who may call what: `run_worker` on a stack of the pool, by a thread of the crew that holds a worker.
#pragma once

#include "core.hpp"

namespace filch::inline v0 {

// Runs tasks until the runtime stops or the worker is given away. On return the thread holds no worker.
void run_worker() noexcept;
// What a thread of the crew does, and what the core calls of the modules above it.
[[nodiscard]] const thread_actions& actions_of_threads();

}  // namespace filch::inline v0
