// What is known of a scenario before it runs: that its tasks may never end, and that its arrivals do not go on for long
// enough, or are too many, for waits like those of a steady state.
#pragma once

#include <optional>
#include <scenario.hpp>
#include <string>
#include <vector>

namespace filch::tool {

struct outlook {
  // Waits are about those of arrivals that go on like this for ever; none: no tasks arrive in a stream.
  std::optional<bool> settled{};
  std::string unsettled{};  // why not, as a sentence; empty unless settled is false
  std::string endless{};    // that the run may be cut off at the limit of tasks, as a sentence; empty: it cannot
};

[[nodiscard]] outlook outlook_of(const scenario::document& what);

// Before a run that may take its time: on standard output, or on standard error when that is for JSON alone.
void say_at_once(const std::string& sentence, bool as_json);

// "complete", "until", "task_limit", … for JSON.
[[nodiscard]] std::string_view name_of(sim::run_end end);
[[nodiscard]] bool is_cut_off(sim::run_end end);
// "allowed are 10000000 tasks and 2000000000 events per run"
[[nodiscard]] std::string limits_text(const scenario::document& what);
// "10000000 tasks" or "2000000000 events": at what a run that was cut off ended.
[[nodiscard]] std::string limit_text(const scenario::document& what, sim::run_end end);

}  // namespace filch::tool
