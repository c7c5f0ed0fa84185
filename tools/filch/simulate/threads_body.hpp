// A scenario on real threads: the same workload drives tasks of a runtime. A task burns CPU time where a simulated one
// lets virtual time pass.
//
// Differences from the simulation: a task for one worker that may be stolen is put into that worker's queue by a
// loading task pinned there, so it cannot be stolen before that worker has run the loading task. Joins are always
// continuations; joins_body.hpp has blocking ones.
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
