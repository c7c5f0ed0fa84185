// filch compare and filch sweep.
#include <algorithm>
#include <chart.hpp>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "../option_reading.hpp"
#include "commands.hpp"
#include "grid.hpp"
#include "../output.hpp"
#include "outlook.hpp"
#include "plot_file.hpp"

namespace filch::tool {
namespace {

constexpr std::string_view k_legend =
    "* better than every other; ≈ not distinguishable from the best. Judged by differences seed by seed, 95 % in "
    "all.\n";

// Shown beside the metric, as means.
constexpr figure k_beside[] = {figure::stolen, figure::efficiency, figure::failed_looks};

std::string metric_title(const grid& what, time_unit unit) {
  std::string out{figure_title(what.metric)};
  return is_time(what.metric) ? out.append(" ").append(unit.name) : out;
}

time_unit metric_unit(const grid& what, const grid_results& found) {
  double most = 0;
  for (const figure_table& each : found.tables) most = std::max(most, std::abs(each.summary(what.metric).mean));
  return is_time(what.metric) ? unit_for(most) : time_unit{1, ""};
}

sample_summary in_unit(sample_summary of, time_unit unit) {
  of.mean /= unit.seconds;
  of.sd /= unit.seconds;
  of.half_width /= unit.seconds;
  return of;
}

// "0.012 ± 0.004"; nothing for the best itself.
std::string behind_text(const comparison& of, time_unit unit) {
  if (of.difference == 0 && of.half_width == 0) return "";
  const std::string difference = fixed(of.difference / unit.seconds, 3);
  return std::isfinite(of.half_width) ? difference + " ± " + fixed(of.half_width / unit.seconds, 3) : difference;
}

std::string side_figure(const figure_table& of, figure which) {
  const sample_summary summary = of.summary(which);
  return summary.count == 0 ? "·" : fixed(summary.mean, 1);
}

void say_what_runs(const grid& what, std::ostream& out) {
  out << what.base.name << (what.base.title.empty() ? "" : ": ") << what.base.title << "\n"
      << count_text(what.seeds.count, "seed") << " from " << what.seeds.first
      << " on, the same for all; means with 95 % intervals\n\n";
}

std::string stuck_note(const grid_results& found) {
  std::uint64_t incomplete = 0;
  for (const figure_table& each : found.tables) incomplete += each.incomplete();
  if (incomplete == 0) return "";
  return count_text(incomplete, "run") +
         " did not complete (deadlocks, or cut off); only seeds with which all complete are compared.\n";
}

// The table of one or several cells. With one place, its workers and grain need no columns.
std::string table_text(const grid& what, const grid_results& found) {
  const time_unit unit = metric_unit(what, found);
  const bool has_places = what.cells() > 1;
  const bool has_grains = what.grains.front().has_value();
  std::vector<std::string> head{what.policies.size() > 1 ? "policy" : "scenario"};
  if (has_places) head.emplace_back("workers");
  if (has_grains) head.emplace_back("grain");
  const figure metric = what.metric;
  head.push_back(metric_title(what, unit));
  if (what.policies.size() > 1) head.emplace_back("behind the best");
  for (const figure which : k_beside) head.emplace_back(figure_title(which));
  text_table table{std::move(head)};
  for (std::size_t i = 0; i != what.points.size(); ++i) {
    const grid_point& point = what.points[i];
    const figure_table& of = found.tables[i];
    const std::string name = point.policy.empty() ? what.base.name : point.policy;
    const std::string mark = what.policies.size() > 1 ? padded_right(mark_of(found.standings[i].how), 2) : "";
    std::vector<std::string> row{mark + name};
    if (has_places) row.push_back(std::to_string(point.workers));
    if (has_grains) row.push_back(grain_text(point.grain_ns));
    row.push_back(of.values(metric).empty() ? "·" : interval_text(in_unit(of.summary(metric), unit), 3));
    if (what.policies.size() > 1) row.push_back(behind_text(found.standings[i], unit));
    for (const figure which : k_beside) row.push_back(side_figure(of, which));
    table.add(std::move(row));
  }
  return table.text() + (what.policies.size() > 1 ? std::string{k_legend} : "") + stuck_note(found);
}

// ---- pictures -------------------------------------------------------------------------------------------------------

std::string bars_svg(const grid& what, const grid_results& found) {
  const time_unit unit = metric_unit(what, found);
  plot::bar_series bars;
  for (const figure_table& each : found.tables) {
    const sample_summary of = in_unit(each.summary(what.metric), unit);
    plot::bar one{.value = of.mean};
    if (of.count > 1) {
      one.low = of.mean - of.half_width;
      one.high = of.mean + of.half_width;
    }
    bars.bars.push_back(one);
  }
  return plot::to_svg(plot::bar_chart{.title = what.base.name + ": policies side by side",
                                      .x_label = "policy",
                                      .y_label = metric_title(what, unit) + ", mean and 95 % interval",
                                      .categories = what.policies,
                                      .series = {std::move(bars)}});
}

// One line per policy, and per grain or number of workers that is not the axis.
std::string lines_svg(const grid& what, const grid_results& found) {
  const time_unit unit = metric_unit(what, found);
  const bool is_by_workers =
      std::ranges::count(what.workers, what.workers.front()) != static_cast<std::ptrdiff_t>(what.workers.size());
  const bool has_many_grains =
      std::ranges::count(what.grains, what.grains.front()) != static_cast<std::ptrdiff_t>(what.grains.size());
  std::vector<plot::series> lines;
  for (std::size_t i = 0; i != what.points.size(); ++i) {
    const grid_point& point = what.points[i];
    std::string name = point.policy.empty() && !(is_by_workers && has_many_grains) ? what.base.name : point.policy;
    if (is_by_workers && has_many_grains) name.append(name.empty() ? "" : ", ").append(grain_text(point.grain_ns));
    auto line = std::ranges::find(lines, name, &plot::series::name);
    if (line == lines.end()) line = lines.insert(lines.end(), {.name = name});
    const sample_summary of = in_unit(found.tables[i].summary(what.metric), unit);
    if (of.count == 0) continue;
    const double x = is_by_workers || !point.grain_ns ? static_cast<double>(point.workers)
                                                      : static_cast<double>(*point.grain_ns) * 1e-3;
    plot::point at{.x = x, .y = of.mean};
    if (of.count > 1) {
      at.low = of.mean - of.half_width;
      at.high = of.mean + of.half_width;
    }
    line->points.push_back(at);
  }
  return plot::to_svg(plot::chart{.title = what.base.name + (is_by_workers ? ": workers" : ": size of tasks"),
                                  .x_label = is_by_workers || !has_many_grains ? "workers" : "length of a task in µs",
                                  .y_label = metric_title(what, unit) + ", mean and 95 % interval",
                                  .series = std::move(lines),
                                  .log_x = true});
}

std::vector<outlook> outlooks(const grid& what) {
  std::vector<outlook> out;
  for (const grid_point& each : what.points) out.push_back(outlook_of(each.what));
  return out;
}

// The first sentence of all, and how many cases have one.
std::string unsettled_text(const grid& what, const std::vector<outlook>& seen) {
  const auto first = std::ranges::find_if(seen, [](const outlook& each) { return each.settled == false; });
  if (first == seen.end()) return "";
  const auto cases = std::ranges::count_if(seen, [](const outlook& each) { return each.settled == false; });
  if (what.cells() == 1) return wrapped(first->unsettled);
  return wrapped(std::to_string(cases) + " of " + std::to_string(seen.size()) +
                 " cases are not settled, first that of " +
                 count_text(what.points[static_cast<std::size_t>(first - seen.begin())].workers, "worker") + ". " +
                 first->unsettled);
}

void require_ends(const grid& what, const grid_results& found) {
  std::uint64_t cut = 0;
  for (const figure_table& each : found.tables) cut += each.cut_off();
  if (cut == 0) return;
  throw cut_off(count_text(cut, "run") + " of " + std::to_string(what.points.size() * what.seeds.count) +
                " were cut off: " + limits_text(what.base));
}

void show(const grid_arguments& given, const grid& what, bool is_sweep) {
  if (given.plot_file) require_plot_name(*given.plot_file, "--plot");
  if (given.csv && given.json) throw bad_usage("--csv: not allowed beside --json");
  const bool is_table = !given.json && !given.csv;
  if (is_table) say_what_runs(what, std::cout);
  const std::vector<outlook> seen = outlooks(what);
  const auto endless = std::ranges::find_if(seen, [](const outlook& each) { return !each.endless.empty(); });
  if (endless != seen.end()) say_at_once(endless->endless, !is_table);
  const grid_results found = run_grid(what);
  std::string wrote;
  if (given.plot_file)
    wrote = write_plot_file(is_sweep ? lines_svg(what, found) : bars_svg(what, found), *given.plot_file);
  if (given.json) {
    std::cout << json_text(grid_json(what, found)) << "\n";
  } else if (given.csv) {
    std::cout << csv_text(what, found);
  } else {
    std::cout << table_text(what, found) << unsettled_text(what, seen) << wrote;
  }
  require_ends(what, found);
}

}  // namespace

void compare_command(const grid_arguments& given) {
  grid_arguments asked = given;
  const bool has_lists = !given.victims.empty() || !given.steal.empty() || !given.order.empty() ||
                         !given.idle.empty() || !given.wake.empty() || !given.placement.empty() ||
                         !given.join.empty() || !given.demand.empty();
  if (!has_lists) {
    for (const std::string_view each : policy::names<policy::victims>::all) asked.victims.emplace_back(each);
  }
  const grid what = make_grid(asked, "compare");
  if (what.cells() > 1) throw bad_usage("--workers, --grain: compare takes one of each; sweep takes several");
  if (what.policies.size() < 2) {
    throw bad_usage(
        "compare needs at least two policies: give an option several names, such as --victims random,largest");
  }
  show(asked, what, false);
}

void sweep_command(const grid_arguments& given) {
  grid_arguments asked = given;
  if (given.workers.empty() && given.grain.empty()) asked.workers = {"1", "2", "4", "8", "16"};
  show(asked, make_grid(asked, "sweep"), true);
}

}  // namespace filch::tool
