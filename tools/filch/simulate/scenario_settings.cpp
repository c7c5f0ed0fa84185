#include "scenario_settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "../option_reading.hpp"
#include "contrasts.hpp"

template <>
struct filch::policy::names<filch::sim::join_mode> {
  static constexpr std::string_view option = "join";
  static constexpr std::array<std::string_view, 3> all{"continuation", "helping", "blocking"};
};

namespace filch::tool {
namespace {

bool is_file(const std::string& name) { return name.ends_with(".json") || name.find('/') != std::string::npos; }

// Files fail; names are wrong usage.
template <class Read>
auto reading(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const scenario::error& problem) {
    if (is_file(name)) throw failure(problem.what());
    throw bad_usage(problem.what());
  }
}

void place_by_policy(scenario::document& in) {
  auto* const tasks = std::get_if<scenario::tasks_load>(&in.workload);
  if (tasks == nullptr) return;
  for (sim::task_group& each : tasks->groups) {
    if (each.where.what != sim::target::kind::pinned) each.where = sim::target::by_policy();
  }
}

void apply_machine(const std::optional<std::string>& name, scenario::document& to) {
  if (!name) return;
  if (!is_file(*name)) {
    const std::vector<std::string_view> known = scenario::machine_names();
    if (std::ranges::find(known, *name) == known.end()) {
      throw bad_usage(policy::unknown_name("--machine", *name, known) + ", or a file that ends in .json");
    }
  }
  to.machine = reading(*name, [&] { return scenario::find_machine(*name); });
}

}  // namespace

bool is_scenario(const std::string& name) {
  if (name.ends_with(".json")) return true;
  const std::vector<std::string_view> known = scenario::built_in_names();
  return std::ranges::find(known, name) != known.end();
}

scenario::document find_scenario(const std::optional<std::string>& name, const std::string& command) {
  const std::vector<std::string_view> known = scenario::built_in_names();
  if (!name) {
    std::string text = command + " needs a scenario: ";
    for (const std::string_view each : known) text.append(each).append(", ");
    throw bad_usage(text + "or a file that ends in .json");
  }
  if (!is_file(*name) && !is_scenario(*name)) {
    throw bad_usage(policy::unknown_name(command + ": scenario", *name, known) + ", or a file that ends in .json");
  }
  return reading(*name, [&] { return scenario::find(*name); });
}

time_ns read_duration(const std::string& text, const std::string& option) {
  struct unit {
    std::string_view name;
    double ns;
  };
  static constexpr std::array<unit, 4> k_units{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const unit& each : k_units) {
    if (!text.ends_with(each.name)) continue;
    const auto number = number_of<double>(std::string_view{text}.substr(0, text.size() - each.name.size()));
    if (!number) continue;
    const double value_ns = *number * each.ns;
    if (std::isfinite(value_ns) && value_ns >= 1 && value_ns <= 1e15)
      return static_cast<time_ns>(std::llround(value_ns));
  }
  refuse(option, text, "a time from 1ns to 1000000s, such as 20us, 1.5ms or 2s");
}

void apply(const scenario_words& changes, scenario::document& to) {
  apply_machine(changes.machine, to);
  read_number<std::uint32_t>(changes.workers, "--workers", 1, scenario::k_most_workers, to.workers);
  read_name(changes.victims, "--victims", to.policy.victims);
  read_name(changes.steal, "--steal", to.policy.steal);
  read_name(changes.order, "--order", to.policy.order);
  read_name(changes.idle, "--idle", to.policy.idle);
  read_name(changes.wake, "--wake", to.policy.wake);
  if (read_name(changes.placement, "--placement", to.policy.placement)) place_by_policy(to);
  if (read_name(changes.demand, "--demand", to.demand) &&
      !std::holds_alternative<scenario::sharing_load>(to.workload)) {
    throw bad_usage("--demand: allowed only for work that is shared on request, such as loops, not for " + to.name);
  }
  sim::join_mode join{};
  if (read_name(changes.join, "--join", join) && !set_join(to, join)) {
    throw bad_usage("--join: allowed only for scenarios whose tasks wait for their children, not for " + to.name);
  }
  if (changes.grain && !set_grain(to, read_duration(*changes.grain, "--grain"))) {
    throw bad_usage("--grain: allowed only for tasks that are all there at one time, or for divisible work, not for " +
                    to.name);
  }
  try {
    scenario::require_valid(to);
  } catch (const scenario::error& problem) {
    throw bad_usage(problem.what());
  }
}

}  // namespace filch::tool
