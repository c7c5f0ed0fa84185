// A scenario whose tasks wait for their children, as coroutines on real threads, with joins of two kinds.
//
//   continuation  the parent is suspended, and its worker runs other tasks; the last child makes it ready
//   blocking      the worker's thread waits, as in the lesson
//
// When every worker's thread waits in a join, no thread is left to run a child. The run notices this at once, without a
// time limit, because each worker announces its wait. It then drops the remaining tasks.
//
// Tasks from outside begin where the placement policy says, even if the scenario gives them to one worker.
#pragma once

#include <filch/runtime/options.hpp>
#include <scenario.hpp>
#include <string>
#include <vector>

#include "../execute.hpp"

namespace filch::tool {

struct joined_run {
  executed_plan done;
  std::vector<std::string> stuck;  // which task waits for which, a line for each worker; empty: all tasks have ended
  std::size_t unfinished = 0;
  double stuck_at_s = 0;  // in seconds of the scenario
};

struct joins_options {
  filch::options runtime;
  double time_scale = 1;  // real seconds per second of the scenario
  bool is_blocking = false;
  std::uint64_t tasks = 0;  // how many there will be, for the progress line
};

// Throws `failure` when a task did not run exactly once.
[[nodiscard]] joined_run run_joins(const scenario::document& what, const joins_options& how);

}  // namespace filch::tool
