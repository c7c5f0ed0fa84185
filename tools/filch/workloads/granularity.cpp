// The same 50 s of work cut into tasks of 0.1, 0.5 and 2 s, each put to a random one of four workers: what small tasks
// cost and what large ones leave idle.
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "report.hpp"
#include "text.hpp"
#include "trace_file.hpp"
#include "view.hpp"
#include "workload.hpp"

namespace filch::tool {
namespace {

constexpr double k_work_s = 50;
constexpr double k_grains_s[] = {0.1, 0.5, 2.0};

plan make_plan(double grain_s, double time_scale) {
  plan made;
  const auto tasks = static_cast<std::uint64_t>(std::llround(k_work_s / grain_s));
  for (std::uint64_t i = 0; i != tasks; ++i) {
    made.roots.push_back({.name = numbered("T", i + 1), .cpu_ns = scaled_ns(grain_s, time_scale)});
  }
  return made;
}

std::string analysis_text(double grain_s, const executed_plan& done, double time_scale) {
  const double wall_s = static_cast<double>(done.wall_ns) / static_cast<double>(k_ns_per_s) / time_scale;
  return "=== Performance Analysis ===\nGranularity: "s + fixed(grain_s, 1) + "s\nTotal work: " + fixed(k_work_s, 1) +
         "s\nWall time: " + fixed(wall_s, 2) + "s\nSpeedup: " + fixed(done.speedup(), 2) +
         "x\nEfficiency: " + fixed(100 * done.efficiency(), 1) + "%\n";
}

// trace.json becomes trace-0.5s.json.
std::string file_of(const std::string& file, const std::string& grain) {
  const std::size_t dot = file.rfind('.');
  return file.substr(0, dot) + "-" + grain + file.substr(dot);
}

std::vector<measurement> run(context& in) {
  std::vector<measurement> all;
  text_table table{{"grain", "tasks", "wall", "speed-up", "efficiency", "stolen", "steal rate"}};
  auto& grains = in.json["grains"] = nlohmann::ordered_json::array();
  const bool is_detailed = in.is_detailed;
  const std::string trace_file = in.trace_file;
  const std::string report_file = in.report_file;
  in.is_detailed = false;
  executed_plan last;
  for (const double grain_s : k_grains_s) {
    const std::string name = fixed(grain_s, 1) + "s";
    if (!trace_file.empty()) in.trace_file = file_of(trace_file, name);
    if (!report_file.empty()) in.report_file = file_of(report_file, name);
    nlohmann::ordered_json json{{"grain_s", grain_s}};
    last = run_and_report(in, k_granularity.name, make_plan(grain_s, in.time_scale), json);
    grains.push_back(std::move(json));
    all.push_back(measure("grain "s + name, last));
    if (is_detailed) {
      if (in.log) in.out << log_text(view_of(last.recording), {.time_scale = in.time_scale}) << "\n";
      in.out << analysis_text(grain_s, last, in.time_scale) << "\n" << statistics_text(last) << "\n";
    }
    table.add({fixed(grain_s, 1) + " s", std::to_string(last.tasks), duration_text(all.back().wall_s),
               fixed(last.speedup(), 2), fixed(100 * last.efficiency(), 1) + " %", std::to_string(last.stolen()),
               fixed(100 * last.steal_rate(), 1) + " %"});
  }
  in.trace_file = trace_file;
  in.report_file = report_file;
  in.is_detailed = is_detailed;
  if (is_detailed) in.out << "Side by side, walls in real time\n" << table.text() << cpu_note_text(last);
  return all;
}

}  // namespace

constinit const workload k_granularity{
    .name = "granularity",
    .help = "50 s of work cut into tasks of 0.1, 0.5 and 2 s: speed-up and efficiency of each",
    .has_durations = true,
    .set_defaults =
        [](filch::options& of) {
          of.workers = 4;
          of.placement = placement::random;
        },
    .run = run};

}  // namespace filch::tool
