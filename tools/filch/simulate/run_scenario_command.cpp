// filch run SCENARIO: what `filch sim SCENARIO` simulates, on real threads.
#include <cmath>
#include <filch/topology/usable_cpus.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "../json_report.hpp"
#include "../option_reading.hpp"
#include "../report.hpp"
#include "../trace_file.hpp"
#include "../workload.hpp"
#include "commands.hpp"
#include "joins_body.hpp"
#include "../output.hpp"
#include "outlook.hpp"
#include "scenario_settings.hpp"
#include "sharing_text.hpp"
#include "threads_body.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

// A scenario with less work than this runs in its own time, one with more a hundred times as fast.
constexpr time_ns k_short_work_ns = k_ns_per_s;
constexpr std::uint64_t k_most_threads_tasks = 10'000'000;

void require_no_kernel_options(const run_arguments& given) {
  if (given.size) throw bad_usage("--size: allowed only for kernels, not for scenarios");
  if (given.tree) throw bad_usage("--tree: allowed only for uts, not for scenarios");
  if (given.round_robin) throw bad_usage("--round-robin: allowed only for the workload demo, not for scenarios");
}

void take_policy(const policy::search_options& from, filch::options& into) {
  into.victims = from.victims;
  into.steal = from.steal;
  into.order = from.order;
  into.idle = from.idle;
  into.wake = from.wake;
  into.placement = from.placement;
  into.fairness_interval = from.fairness_interval;
  into.starvation_interval = from.starvation_interval;
  into.retry_lost = from.retry_lost;
}

double time_scale_of(const run_arguments& given, time_ns work_ns) {
  if (!given.time_scale) return work_ns < k_short_work_ns ? 1 : k_default_time_scale;
  const auto value = number_of<double>(*given.time_scale);
  if (!value || !std::isfinite(*value) || *value <= 0 || *value > 1000) {
    refuse("--time-scale", *given.time_scale,
           "a number above 0 and up to 1000: how many real seconds a second of the scenario takes");
  }
  return *value;
}

// How much there is to do, which only the simulator knows beforehand.
sim::run_result foresee(scenario::document what, std::uint64_t seed) {
  what.policy.idle = policy::idle::eco;
  what.deaf_waits = false;
  const sim::run_result seen = scenario::run(what, seed);
  if (is_cut_off(seen.end)) {
    const outlook known = outlook_of(what);
    throw bad_usage(what.name + " comes to " + limit_text(what, seen.end) + " without an end: allowed on threads are " +
                    std::to_string(k_most_threads_tasks) + " tasks" +
                    (known.endless.empty() ? "" : ". " + known.endless));
  }
  if (seen.tasks > k_most_threads_tasks) {
    throw bad_usage(what.name + " has " + std::to_string(seen.tasks) + " tasks: allowed on threads are " +
                    std::to_string(k_most_threads_tasks));
  }
  return seen;
}

// Whether threads wait in joins; none: --join was not given, and tasks are no coroutines.
std::optional<bool> read_join(const run_arguments& given, scenario::document& what) {
  if (!given.join) return std::nullopt;
  if (*given.join != "continuation" && *given.join != "blocking") {
    refuse("--join", *given.join, "continuation or blocking; helping joins can be simulated: filch sim");
  }
  apply({.join = "continuation"}, what);  // whether it has joins; what is foreseen is a run that ends
  return *given.join == "blocking";
}

// Reports which task waits for which, if the run got stuck.
void require_end(const joined_run& run, const std::string& name, bool as_json) {
  if (run.stuck.empty()) return;
  if (as_json) {
    std::cout << json_text(
                     json{{"workload", name}, {"version", FILCH_VERSION}, {"complete", false}, {"stuck", run.stuck}})
              << "\n";
  }
  std::string text = "the run is stuck at "s + duration_text(run.stuck_at_s) + " with " +
                     count_text(run.unfinished, "unfinished task") + ": a deadlock of joins";
  for (const std::string& each : run.stuck) text.append("\n  ").append(each);
  throw deadlock(text +
                 "\nEvery worker's thread waits, and no thread is left to run the children. With --join=continuation a "
                 "parent is suspended, and its worker runs other tasks.");
}

executed_plan run_once(const scenario::document& what, const run_settings& chosen, std::optional<bool> is_blocking,
                       std::uint64_t tasks, bool as_json) {
  if (!is_blocking) {
    return run_on_threads(what, {.runtime = chosen.runtime, .time_scale = chosen.time_scale, .tasks = tasks});
  }
  joined_run run = run_joins(
      what, {.runtime = chosen.runtime, .time_scale = chosen.time_scale, .is_blocking = *is_blocking, .tasks = tasks});
  require_end(run, what.name, as_json);
  if (run.done.tasks != tasks) {
    throw failure(what.name + ": " + std::to_string(run.done.tasks) + " tasks ended, expected are " +
                  std::to_string(tasks));
  }
  return std::move(run.done);
}

}  // namespace

void run_scenario_command(const run_arguments& given) {
  require_no_kernel_options(given);
  scenario::document what = find_scenario(given.workload, "run");
  if (is_shared(what)) {
    throw bad_usage(what.name +
                    ": allowed are scenarios of tasks; work that is shared on request is simulated only "
                    "(filch sim), and filch bench measures loops and joins on threads");
  }
  run_settings chosen;
  chosen.runtime.workers = what.worker_count();
  take_policy(what.policy, chosen.runtime);
  read_runtime(given, chosen);
  if (!given.seed) chosen.runtime.seed = what.seed;
  read_number<std::uint32_t>(given.repeat, "--repeat", 1, 100'000, chosen.repeat);
  if (given.trace_file) require_trace_name(*given.trace_file, "--trace");
  if (given.report_file) require_report_name(*given.report_file, "--report");
  apply({.workers = std::to_string(*chosen.runtime.workers), .placement = given.placement}, what);
  const std::optional<bool> is_blocking = read_join(given, what);
  const sim::run_result seen = foresee(what, chosen.runtime.seed);
  chosen.time_scale = time_scale_of(given, seen.total_use().work_ns);

  std::ostream nowhere{nullptr};
  std::ostream& out = given.json ? nowhere : std::cout;
  out << what.name << (what.title.empty() ? "" : ": ") << what.title << "\n"
      << count_text(*chosen.runtime.workers, "worker") << " on "
      << count_text(topology::usable_cpus().cpus.size(), "CPU") << "; seed " << chosen.runtime.seed
      << "; 1 s of the scenario takes " << duration_text(chosen.time_scale) << " here\n"
      << describe(chosen.runtime);
  if (is_blocking) out << " join=" << *given.join;
  out << "\n\n";
  json runs = json::array();
  for (std::uint32_t i = 0; i != chosen.repeat; ++i) {
    const bool is_last = i + 1 == chosen.repeat;
    const executed_plan done = run_once(what, chosen, is_blocking, seen.tasks, given.json);
    json one;
    context in{.runtime = chosen.runtime,
               .time_scale = chosen.time_scale,
               .log = given.log,
               .is_detailed = i == 0,
               .trace_file = is_last ? given.trace_file.value_or("") : "",
               .report_file = is_last ? given.report_file.value_or("") : "",
               .out = out,
               .json = one};
    const std::string outcome = outcome_text(done, {.time_scale = chosen.time_scale});
    report_executed(in, done, outcome, one);
    if (i != 0) out << outcome;
    runs.push_back(std::move(one));
  }
  if (!given.json) return;
  json all{{"workload", what.name},
           {"version", FILCH_VERSION},
           {"seed", chosen.runtime.seed},
           {"workers", *chosen.runtime.workers},
           {"usable_cpus", topology::usable_cpus().cpus.size()},
           {"time_scale", chosen.time_scale},
           {"policy", policy_json(chosen.runtime)},
           {"runs", std::move(runs)}};
  if (given.join) all["join"] = *given.join;
  std::cout << json_text(all) << "\n";
}

}  // namespace filch::tool
