#include "run_settings.hpp"

#include <cmath>
#include <filch/policy/options.hpp>
#include <filch/trace/schema.hpp>
#include <stdexcept>

#include "errors.hpp"
#include "option_reading.hpp"
#include "text.hpp"
#include "trace_file.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_max_repeat = 100'000;
constexpr double k_max_time_scale = 1000;

double read_time_scale(const run_arguments& given, const workload& what) {
  if (!given.time_scale) return k_default_time_scale;
  const auto value = number_of<double>(*given.time_scale);
  if (!value || !std::isfinite(*value) || *value <= 0 || *value > k_max_time_scale) {
    refuse("--time-scale", *given.time_scale,
           "a number above 0 and up to 1000: how many real seconds a second of the scenario takes");
  }
  if (!what.has_durations)
    refuse("--time-scale", *given.time_scale, "only for workloads with durations, not for "s + std::string{what.name});
  return *value;
}

std::uint64_t read_size(const run_arguments& given, const workload& what) {
  if (!given.size) return what.size.standard;
  if (what.size.most == 0) {
    refuse("--size", *given.size, "only for kernels such as fib, not for "s + std::string{what.name});
  }
  const auto value = number_of<std::uint64_t>(*given.size);
  if (!value || *value < what.size.least || *value > what.size.most) {
    refuse("--size", *given.size,
           "a whole number from "s + std::to_string(what.size.least) + " to " + std::to_string(what.size.most) + ": " +
               std::string{what.size.meaning});
  }
  return *value;
}

}  // namespace

void read_runtime(const run_arguments& given, run_settings& into) {
  filch::options& of = into.runtime;
  std::uint32_t workers = of.workers.value_or(1);
  read_number<std::uint32_t>(given.workers, "--workers", 1, trace::k_max_workers, workers);
  of.workers = workers;
  of.seed = k_default_seed;
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX, of.seed);
  read_name(given.victims, "--victims", of.victims);
  read_name(given.steal, "--steal", of.steal);
  read_name(given.order, "--order", of.order);
  read_name(given.idle, "--idle", of.idle);
  read_name(given.wake, "--wake", of.wake);
  into.placement_is_given = read_name(given.placement, "--placement", of.placement);
  if (read_name(given.deques, "--deques", of.deques)) into.given_deques = of.deques;
  read_name(given.pin == "true" ? std::optional{"spread"s} : given.pin, "--pin", of.pinning);  // a bare --pin
  try {
    require_valid(of, workers);
  } catch (const std::invalid_argument& problem) {
    throw bad_usage(problem.what());
  }
}

run_settings resolve(const run_arguments& given) {
  run_settings made;
  made.what = find_workload(given.workload.value_or(""));
  if (made.what == nullptr) {
    const std::vector<std::string_view> names = workload_names();
    if (given.workload) throw bad_usage(policy::unknown_name("workload", *given.workload, names));
    std::string text = "run needs a workload: ";
    for (std::size_t i = 0; i != names.size(); ++i) text.append(i == 0 ? "" : ", ").append(names[i]);
    throw bad_usage(text);
  }
  made.what->set_defaults(made.runtime);
  read_runtime(given, made);
  read_number<std::uint32_t>(given.repeat, "--repeat", 1, k_max_repeat, made.repeat);
  made.time_scale = read_time_scale(given, *made.what);
  if (given.trace_file) require_trace_name(*given.trace_file, "--trace");
  if (given.report_file) require_report_name(*given.report_file, "--report");
  if (!made.what->is_recorded && (given.trace_file || given.report_file || given.log || given.gantt)) {
    throw bad_usage(std::string{given.log          ? "--log"
                                : given.gantt      ? "--gantt"
                                : given.trace_file ? "--trace"
                                                   : "--report"} +
                    ": not allowed for " + std::string{made.what->name} +
                    ": recording its trivial tasks would measure the recording");
  }
  made.size = read_size(given, *made.what);
  if (given.tree && made.what->name != k_uts.name) {
    refuse("--tree", *given.tree, "only for the workload uts, not for "s + std::string{made.what->name});
  }
  made.tree = given.tree.value_or("");
  if (made.what->require != nullptr) made.what->require(made.size, made.tree);
  if (given.join) {
    refuse("--join", *given.join,
           "only for scenarios whose tasks wait for their children, such as joining, not for "s +
               std::string{made.what->name});
  }
  if (given.round_robin && made.what->name != k_demo.name) {
    throw bad_usage("--round-robin: allowed only for the workload demo, not for "s + std::string{made.what->name});
  }
  return made;
}

std::string describe(const filch::options& of) {
  return policy::describe(of.search()) + " deques=" + std::string{policy::to_string(of.deques)} +
         " pin=" + std::string{policy::to_string(of.pinning)};
}

}  // namespace filch::tool
