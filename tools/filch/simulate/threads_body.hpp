// A scenario on real threads: the workload that the simulator would advise advises tasks of a runtime, which burn CPU
// time where the simulated ones let virtual time pass.
//
// Where it differs from the simulation: a task that comes for one worker and may be stolen is put into that worker's
// queue by a loading task pinned there, so it cannot be stolen before that worker has come to it. Joins are
// continuations, whatever the scenario says: the runtime has no other.
#pragma once

#include <filch/runtime/options.hpp>
#include <scenario.hpp>

#include "../execute.hpp"

namespace filch::tool {

struct threads_options {
  filch::options runtime;
  double time_scale = 1;    // real seconds per second of the scenario
  std::uint64_t tasks = 0;  // how many there will be, for the progress line
};

// Throws `failure` when a task did not run exactly once or the statistics do not add up.
[[nodiscard]] executed_plan run_on_threads(const scenario::document& what, const threads_options& how);

}  // namespace filch::tool
