// A run for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "execute.hpp"
#include "view.hpp"

namespace filch::tool {

struct json_options {
  double time_scale = 1;
  bool log = false;
};

// tasks, loaders, work_s, wall_s, scenario_s, speedup, efficiency, stolen, steal_rate, executed, busy_s, matrix (of
// many workers stolen_pairs: thief, victim, tasks), lost_events, statistics and, when asked for, log.
void fill_json(nlohmann::ordered_json& into, const executed_plan& done, const run_view& view, const json_options& how);

// "victims": "random", …
[[nodiscard]] nlohmann::ordered_json policy_json(const filch::options& of);

}  // namespace filch::tool
