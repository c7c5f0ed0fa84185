// One simulated run in the form in which `filch run` reports real ones, so that both print the same.
#pragma once

#include <filch/sim/sharing_model.hpp>
#include <filch/sim/worker_model.hpp>
#include <optional>
#include <scenario.hpp>

#include "../execute.hpp"

namespace filch::tool {

struct simulated_run {
  sim::run_result result;
  std::optional<sim::sharing_result> sharing;  // of work that is shared on request
  executed_plan done;                          // its recording is empty unless the run was recorded
};

[[nodiscard]] simulated_run simulate_once(const scenario::document& what, std::uint64_t seed, bool is_recorded);

// Names for tasks that have none: "T3" for the third from outside, "T3.0" for its first child.
void name_tasks(trace::recording& in);

}  // namespace filch::tool
