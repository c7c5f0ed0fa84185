// Results read back from their file.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "results.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

bench_conditions conditions_of(const json& context) {
  return {.date = context.at("date"),
          .cpu = context.at("cpu"),
          .cpus = context.at("cpus"),
          .kernel = context.at("kernel"),
          .load_before = context.at("load_before"),
          .load_after = context.at("load_after"),
          .foreign_cpus = context.at("foreign_cpus"),
          .host_share = context.value("host_share", 0.0)};
}

found_programs programs_of(const json& context) {
  found_programs found;
  for (const json& each : context.at("programs")) {
    found.programs.push_back({.path = {},
                              .runtime = each.at("runtime"),
                              .language = each.at("language"),
                              .compiler = each.at("compiler"),
                              .flags = each.at("flags"),
                              .workloads = {}});
  }
  for (const json& each : context.value("unusable_programs", json::array())) {
    found.unusable.push_back({std::string{each.at("path")}, each.at("failure")});
  }
  for (const json& each : context.value("left_out", json::array())) {
    found.missing.push_back({each.at("runtime"), each.at("why")});
  }
  return found;
}

// Files of older versions do not say what they are of; rows of shapes have always had a unit.
void check_is_of(bool is_async, const json& saved) {
  const auto has_unit = [](const json& row) { return row.contains("unit"); };
  const std::string guess{std::ranges::any_of(saved.at("rows"), has_unit) ? k_async_file : k_workloads_file};
  const std::string kind = saved.at("context").value("kind", guess);
  if (kind == (is_async ? k_async_file : k_workloads_file)) return;
  if (kind != k_async_file && kind != k_workloads_file) {
    throw failure("unknown kind of file: \"" + kind + "\"");
  }
  throw bad_usage("--from shows what the same command has written; this file is for filch bench"s +
                  (is_async ? "" : " async") + " --from");
}

measurement_kind kind_of(const std::string& name, bool is_async) {
  return chosen_kinds(is_async ? all_async_kinds() : all_measurement_kinds(), {name}).front();
}

template <class T>
void add_once(std::vector<T>& to, const T& value) {
  if (std::ranges::find(to, value) == to.end()) to.push_back(value);
}

// Every value has its ratio, and is disturbed or not, if the file says so. A shape may have fewer ratios: filch failed,
// or the command was ended inside a round.
void check_ratios(const bench_row& row, bool is_async) {
  const std::string has = std::string{row.kind.name} + ", " + count_text(row.threads, "thread") + ": " +
                          row.program->runtime + " has " + count_text(row.ns.size(), "value") + ", but ";
  if (is_async ? row.ratios.size() > row.ns.size() : row.ratios.size() != row.ns.size()) {
    throw failure(has + count_text(row.ratios.size(), "ratio"));
  }
  if (!row.is_disturbed.empty() && row.is_disturbed.size() != row.ns.size()) {
    throw failure(has + "marks " + std::to_string(row.is_disturbed.size()) + " as disturbed or not");
  }
}

bench_row row_of(const json& saved, bool is_async, std::vector<bench_program>& programs) {
  const std::string runtime = saved.at("runtime");
  const std::string compiler = saved.at("compiler");
  const std::string flags = saved.at("flags");
  const auto is_its = [&](const bench_program& each) {
    return each.runtime == runtime && each.compiler == compiler && each.flags == flags;
  };
  const auto program = std::ranges::find_if(programs, is_its);
  if (program == programs.end()) {
    throw failure("the file has rows of "s + runtime + ", but does not list it");
  }
  add_once<std::string>(program->workloads, saved.at("workload"));
  return {.kind = kind_of(saved.at("measurement"), is_async),
          .program = &*program,
          .threads = saved.at("threads"),
          .size = saved.at("size"),
          .is_too_slow = saved.value("is_too_slow", false),
          .problem = saved.value("failure", ""),
          .ns = saved.value(is_async ? "values" : "ns", std::vector<double>{}),
          .ratios = saved.value("ratios", std::vector<double>{}),
          .to_own = {},
          .is_disturbed = saved.value("disturbed", std::vector<bool>{}),
          .least_ratio = saved.contains("least_ratio") ? std::optional<double>{saved.at("least_ratio")} : std::nullopt};
}

}  // namespace

bench_results saved_results(const json& saved, bool is_async) {
  check_is_of(is_async, saved);
  const json& context = saved.at("context");
  bench_results all;
  all.plan = {.kinds = {},
              .threads = {},
              .rounds = context.at("rounds"),
              .repetitions = context.at("repetitions"),
              .limit_s = context.at("limit_s"),
              .is_quick = context.at("is_quick"),
              .clock = context.at("clock") == "cpu" ? bench_clock::cpu : bench_clock::wall,
              .is_async = is_async};
  all.found = programs_of(context);
  all.rounds_done = context.at("rounds_done");
  all.ended_in = context.value("ended_in", "");
  all.when = conditions_of(context);
  for (const std::uint32_t each : context.value("threads", std::vector<std::uint32_t>{})) {
    add_once(all.plan.threads, each);
  }
  const bool tells_threads = !all.plan.threads.empty();
  for (const json& each : saved.at("rows")) {
    bench_row row = row_of(each, is_async, all.found.programs);
    check_ratios(row, is_async);
    if (std::ranges::find(all.plan.kinds, row.kind.name, &measurement_kind::name) == all.plan.kinds.end()) {
      all.plan.kinds.push_back(row.kind);
    }
    add_once(all.plan.threads, row.threads);
    all.rows.push_back(std::move(row));
  }
  // A file of an older version: serial copies come first there, and have no row of one thread.
  if (!tells_threads) std::ranges::sort(all.plan.threads);
  if (all.rows.empty()) throw failure("the file has no rows");
  return all;
}

}  // namespace filch::tool
