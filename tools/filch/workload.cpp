#include "workload.hpp"

#include <array>
#include <gantt.hpp>
#include <nlohmann/json.hpp>
#include <ostream>

#include "json_report.hpp"
#include "output.hpp"
#include "report.hpp"
#include "trace_file.hpp"
#include "view.hpp"

namespace filch::tool {
std::span<const workload> all_workloads() {
  static const std::array<workload, 14> k_all{k_basic,   k_spawning, k_adaptive,   k_granularity, k_demo,
                                              k_counter, k_fib,      k_nqueens,    k_skynet,      k_mergesort,
                                              k_matmul,  k_uts,      k_mandelbrot, k_tree_sum};
  return k_all;
}

const workload* find_workload(std::string_view name) {
  for (const workload& each : all_workloads()) {
    if (each.name == name || (!each.alias.empty() && each.alias == name)) return &each;
  }
  return nullptr;
}

std::vector<std::string_view> workload_names() {
  std::vector<std::string_view> names;
  for (const workload& each : all_workloads()) {
    names.push_back(each.name);
    if (!each.alias.empty()) names.push_back(each.alias);
  }
  return names;
}

executed_plan run_and_report(context& in, std::string_view name, plan what, nlohmann::ordered_json& json) {
  if (in.placement_is_given) {
    for (planned_task& root : what.roots) root.home = worker_id::none();
  }
  executed_plan done =
      execute(what, {.runtime = in.runtime, .workload = std::string{name}, .time_scale = in.time_scale});
  report_executed(in, done, outcome_text(done, {.time_scale = in.time_scale}), json);
  return done;
}

void report_executed(context& in, const executed_plan& done, const std::string& outcome, nlohmann::ordered_json& json) {
  const run_view view = view_of(done.recording);
  fill_json(json, done, view, {.time_scale = in.time_scale, .log = in.log});
  if (in.is_detailed) {
    const report_options how{.time_scale = in.time_scale};
    if (in.log) in.out << log_text(view, how) << "\n";
    in.out << timeline_text(done, view, how) << "\n"
           << matrix_text(done, view) << "\n"
           << statistics_text(done) << "\n"
           << worker_table_text(done) << "\n"
           << outcome;
  }
  if (in.gantt) {
    put_unguarded(in.out, "\n" + report::render_gantt(done.recording, report::gantt_options_of_terminal()));
  }
  if (!in.trace_file.empty()) {
    in.out << write_trace_file(done.recording, in.trace_file);
    json["trace_file"] = in.trace_file;
  }
  if (!in.report_file.empty()) {
    in.out << write_report_file(done.recording, in.report_file);
    json["report_file"] = in.report_file;
  }
}

measurement measure(std::string label, const executed_plan& done) {
  const double wall_s = static_cast<double>(done.wall_ns) / static_cast<double>(k_ns_per_s);
  return {.label = std::move(label),
          .tasks = done.tasks,
          .wall_s = wall_s,
          .tasks_per_s = static_cast<double>(done.tasks) / wall_s,
          .stolen = done.stolen()};
}

}  // namespace filch::tool
