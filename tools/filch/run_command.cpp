// filch run: one workload, once or several times.
#include <algorithm>
#include <filch/topology/usable_cpus.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "json_report.hpp"
#include "output.hpp"
#include "simulate/commands.hpp"
#include "simulate/scenario_settings.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

void say_what_runs(const run_settings& chosen, std::ostream& out) {
  out << chosen.what->name << ": " << chosen.what->help << "\n"
      << count_text(*chosen.runtime.workers, "worker") << " on "
      << count_text(topology::usable_cpus().cpus.size(), "CPU") << "; seed " << chosen.runtime.seed;
  if (chosen.what->has_durations) out << "; 1 s of the scenario takes " << duration_text(chosen.time_scale) << " here";
  out << "\n" << describe(chosen.runtime) << "\n";
  if (chosen.placement_is_given) out << "The given placement decides where tasks begin, not the scenario.\n";
  out << "\n";
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

// The spread over the repetitions: one row per label.
std::string spread_text(const std::vector<std::vector<measurement>>& runs) {
  text_table table{
      {"over "s + count_text(runs.size(), "run"), "tasks", "least", "median", "most", "tasks/s", "stolen"}};
  for (std::size_t row = 0; row != runs.front().size(); ++row) {
    std::vector<double> walls;
    std::vector<double> stolen;
    for (const auto& run : runs) {
      walls.push_back(run[row].wall_s);
      if (run[row].stolen) stolen.push_back(static_cast<double>(*run[row].stolen));
    }
    const measurement& first = runs.front()[row];
    const double median_s = quantile(walls, 0.5);
    const std::string thefts = stolen.empty()
                                   ? ""
                                   : fixed(quantile(stolen, 0), 0) + " / " + fixed(quantile(stolen, 0.5), 0) + " / " +
                                         fixed(quantile(stolen, 1), 0);
    table.add({first.label, std::to_string(first.tasks), duration_text(quantile(walls, 0)), duration_text(median_s),
               duration_text(quantile(walls, 1)), magnitude_text(static_cast<double>(first.tasks) / median_s), thefts});
  }
  return "Real time, and stolen tasks (least / median / most)\n"s + table.text();
}

}  // namespace

void run_command(const run_arguments& given) {
  if (given.workload && find_workload(*given.workload) == nullptr && is_scenario(*given.workload)) {
    run_scenario_command(given);
    return;
  }
  const run_settings chosen = resolve(given);
  std::ostream nowhere{nullptr};
  std::ostream& out = given.json ? nowhere : std::cout;
  say_what_runs(chosen, out);

  json runs = json::array();
  std::vector<std::vector<measurement>> measured;
  for (std::uint32_t i = 0; i != chosen.repeat; ++i) {
    json one;
    context in{.runtime = chosen.runtime,
               .placement_is_given = chosen.placement_is_given,
               .given_deques = chosen.given_deques,
               .time_scale = chosen.time_scale,
               .round_robin = given.round_robin,
               .size = chosen.size,
               .tree = chosen.tree,
               .log = given.log,
               .gantt = given.gantt && i == 0,
               .is_detailed = i == 0,
               .trace_file = i + 1 == chosen.repeat ? given.trace_file.value_or("") : "",
               .report_file = i + 1 == chosen.repeat ? given.report_file.value_or("") : "",
               .out = out,
               .json = one};
    measured.push_back(chosen.what->run(in));
    runs.push_back(std::move(one));
  }
  if (chosen.repeat > 1) out << "\n" << spread_text(measured);
  if (!given.json) return;
  json all;
  all["workload"] = chosen.what->name;
  all["version"] = FILCH_VERSION;
  all["seed"] = chosen.runtime.seed;
  all["workers"] = *chosen.runtime.workers;
  all["usable_cpus"] = topology::usable_cpus().cpus.size();
  if (chosen.what->has_durations) all["time_scale"] = chosen.time_scale;
  all["policy"] = policy_json(chosen.runtime);
  all["runs"] = std::move(runs);
  std::cout << json_text(all) << "\n";
}

}  // namespace filch::tool
