// Runs a plan on a runtime, records it, and checks that every task ran exactly once.
//
// Tasks with a home are put there by a loading task pinned to that worker, so that they lie in its deque like tasks it
// spawned itself. Loading tasks are counted by the runtime but are no tasks of the plan; `loaders` says how many ran.
#pragma once

#include <cstdint>
#include <filch/runtime/options.hpp>
#include <filch/runtime/statistics.hpp>
#include <filch/trace/recording.hpp>
#include <filch/trace/session.hpp>
#include <string>
#include <vector>

#include "plan.hpp"

namespace filch::tool {

// The name of the loading tasks in traces.
inline constexpr const char* k_loader_name = "load";

struct executed_plan {
  bool is_simulated = false;  // times are virtual
  std::uint32_t workers = 0;
  std::size_t tasks = 0;
  std::uint64_t loaders = 0;
  time_ns work_ns = 0;                  // CPU time that the tasks burned, as planned
  time_ns wall_ns = 0;                  // from the first submission to the end of the last task
  std::vector<std::uint64_t> executed;  // tasks of the plan, by worker
  std::vector<time_ns> busy_ns;         // time inside tasks of the plan, by worker
  filch::statistics statistics;
  trace::recording recording;

  [[nodiscard]] double speedup() const { return static_cast<double>(work_ns) / static_cast<double>(wall_ns); }
  [[nodiscard]] double efficiency() const { return speedup() / workers; }
  [[nodiscard]] std::uint64_t stolen() const { return statistics.total()[trace::count::stolen_by_me]; }
  // Stolen tasks as a share of the plan's tasks.
  [[nodiscard]] double steal_rate() const { return static_cast<double>(stolen()) / static_cast<double>(tasks); }
};

struct execute_options {
  filch::options runtime;
  std::string workload;   // for messages and the recording
  double time_scale = 1;  // for the recording
};

// Throws `failure` when a task ran not exactly once or the statistics do not add up.
[[nodiscard]] executed_plan execute(plan& what, const execute_options& how);

// Events that one worker's ring keeps: all rings together take 32 MiB at most.
[[nodiscard]] std::size_t ring_events(std::uint32_t workers);

// The session that records a run with these options.
[[nodiscard]] trace::session_options session_for(const filch::options& chosen, const std::string& workload,
                                                 double time_scale);

// The workers that these options give.
[[nodiscard]] std::uint32_t worker_count(const filch::options& of);

}  // namespace filch::tool
