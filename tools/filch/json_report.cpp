#include "json_report.hpp"

#include <nlohmann/json.hpp>

#include "report.hpp"
#include "run_settings.hpp"

namespace filch::tool {
namespace {

// The table of all pairs takes workers² numbers; of more workers the pairs that occur are listed.
constexpr std::uint32_t k_most_matrix_workers = 256;

void fill_stolen(nlohmann::ordered_json& into, std::uint32_t workers, const steal_counts& stolen) {
  if (workers > k_most_matrix_workers) {
    auto& pairs = into["stolen_pairs"] = nlohmann::ordered_json::array();
    for (const auto& [pair, tasks] : stolen.pairs()) pairs.push_back({pair.first, pair.second, tasks});
    return;
  }
  std::vector<std::vector<std::uint64_t>> matrix(workers, std::vector<std::uint64_t>(workers));
  for (const auto& [pair, tasks] : stolen.pairs()) matrix[pair.first][pair.second] = tasks;
  into["matrix"] = std::move(matrix);
}

}  // namespace

void fill_json(nlohmann::ordered_json& into, const executed_plan& done, const run_view& view, const json_options& how) {
  const double to_s = 1.0 / static_cast<double>(k_ns_per_s);
  into["workers"] = done.workers;
  into["tasks"] = done.tasks;
  into["loaders"] = done.loaders;
  into["work_s"] = static_cast<double>(done.work_ns) * to_s;
  into["wall_s"] = static_cast<double>(done.wall_ns) * to_s;
  into["scenario_s"] = static_cast<double>(done.wall_ns) * to_s / how.time_scale;
  into["speedup"] = done.speedup();
  into["efficiency"] = done.efficiency();
  into["stolen"] = done.stolen();
  into["steal_rate"] = done.steal_rate();
  into["executed"] = done.executed;
  auto& busy = into["busy_s"] = nlohmann::ordered_json::array();
  for (const time_ns each : done.busy_ns) busy.push_back(static_cast<double>(each) * to_s);
  fill_stolen(into, done.workers, view.stolen);
  into["lost_events"] = view.dropped;
  into["statistics"] = nlohmann::ordered_json::parse(to_json(done.statistics));
  if (!how.log) return;
  auto& log = into["log"] = nlohmann::ordered_json::array();
  for (const log_line& line : view.log) log.push_back(log_line_text(line, {.time_scale = how.time_scale}));
}

nlohmann::ordered_json policy_json(const filch::options& of) {
  nlohmann::ordered_json out;
  out["victims"] = policy::to_string(of.victims);
  out["steal"] = policy::to_string(of.steal);
  out["order"] = policy::to_string(of.order);
  out["idle"] = policy::to_string(of.idle);
  out["wake"] = policy::to_string(of.wake);
  out["placement"] = policy::to_string(of.placement);
  out["deques"] = policy::to_string(of.deques);
  out["pin"] = policy::to_string(of.pinning);
  return out;
}

}  // namespace filch::tool
