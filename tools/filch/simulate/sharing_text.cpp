#include "sharing_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "../text.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

std::string span_text(double ns) { return duration_text(ns * 1e-9); }

double median_of(std::vector<time_ns> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 != 0) return static_cast<double>(values[middle]);
  return static_cast<double>(values[middle - 1] + values[middle]) / 2;
}

// Without repetition, in the order in which they come.
template <class T, class Of>
std::vector<T> distinct(const std::vector<phase_figures>& from, const Of& of) {
  std::vector<T> out;
  for (const phase_figures& each : from) {
    if (std::ranges::find(out, of(each)) == out.end()) out.push_back(of(each));
  }
  return out;
}

std::vector<time_ns> pauses_of(const std::vector<phase_figures>& from) {
  return distinct<time_ns>(from, [](const phase_figures& each) { return each.pause_ns; });
}

// Loops of several lengths, and nothing else?
bool are_loops(const scenario::document& what) {
  const auto& load = std::get<scenario::sharing_load>(what.workload);
  const bool are_all = std::ranges::all_of(load.groups, [&load](const scenario::shared_phases& each) {
    const sim::program_part& part = load.program[each.what];
    return part.what == sim::program_part::kind::loop && !part.element.is_some();
  });
  return are_all && load.groups.size() > 1;
}

std::string pause_text(time_ns pause_ns) {
  return pause_ns == 0 ? "in a row"s : "behind " + span_text(static_cast<double>(pause_ns));
}

std::string cell_text(const phase_figures& of) {
  return of.ended == 0 ? "·"s : span_text(of.median_ns) + "  × " + fixed(of.speed_up(), 2);
}

json counts_json(const sim::sharing_counts& counts) {
  return {{"forks", counts.forks},
          {"offers", counts.offers},
          {"taken", counts.taken},
          {"taken_back", counts.taken_back},
          {"requests", counts.requests},
          {"deferred", counts.deferred},
          {"visits", counts.visits},
          {"visits_found", counts.visits_found},
          {"looks", counts.looks},
          {"wakes_by_owner", counts.wakes_by_owner},
          {"wakes_by_thief", counts.wakes_by_thief},
          {"wakes_by_monitor", counts.wakes_by_monitor}};
}

std::string counts_text(const sim::sharing_counts& counts) {
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  return wrapped(count_text(counts.forks, "frame") + ", " + number(counts.requests) + " requests and " +
                 number(counts.deferred) + " deferred; " + count_text(counts.offers, "offer") + ", " +
                 number(counts.taken) + " taken and " + number(counts.taken_back) + " taken back; " +
                 count_text(counts.visits, "visit") + ", " + number(counts.visits_found) +
                 " of them found something; woken by owners " + number(counts.wakes_by_owner) + ", by thieves " +
                 number(counts.wakes_by_thief) + ", by the monitor thread " + number(counts.wakes_by_monitor) + ".");
}

}  // namespace

bool is_shared(const scenario::document& what) { return std::holds_alternative<scenario::sharing_load>(what.workload); }

std::vector<phase_figures> phase_figures_of(const scenario::document& what, const sim::sharing_result& result) {
  const auto& load = std::get<scenario::sharing_load>(what.workload);
  std::vector<phase_figures> out;
  for (const scenario::shared_phases& each : load.groups) {
    const auto ended = static_cast<std::uint32_t>(result.phase_ns.size());
    const auto from = result.phase_ns.begin() + std::min(each.first, ended);
    const auto to = result.phase_ns.begin() + std::min(each.first + each.count, ended);
    out.push_back({.name = each.name,
                   .pause_ns = each.pause_ns,
                   .serial_ns = load.program.work_ns(each.what),
                   .median_ns = median_of({from, to}),
                   .ended = static_cast<std::size_t>(to - from)});
  }
  return out;
}

double half_efficiency_ns(const std::vector<phase_figures>& of, time_ns pause_ns, std::uint32_t workers) {
  const double wanted = workers / 2.0;
  std::vector<std::pair<double, double>> found;  // serial length, speed-up
  for (const phase_figures& each : of) {
    if (each.pause_ns == pause_ns && each.ended != 0) {
      found.emplace_back(static_cast<double>(each.serial_ns), each.speed_up());
    }
  }
  std::ranges::sort(found);
  for (std::size_t i = 0; i != found.size(); ++i) {
    const auto [length_ns, speed_up] = found[i];
    if (speed_up < wanted) continue;
    if (i == 0) return length_ns;
    const auto [below_ns, below] = found[i - 1];
    const double share = (wanted - below) / (speed_up - below);
    return below_ns * std::pow(length_ns / below_ns, share);
  }
  return 0;
}

std::string sharing_text(const scenario::document& what, const sim::sharing_result& result) {
  const std::vector<phase_figures> all = phase_figures_of(what, result);
  const std::vector<time_ns> pauses = pauses_of(all);
  const auto names = distinct<std::string>(all, [](const phase_figures& each) { return each.name; });
  std::vector<std::string> head{"phases", "serial"};
  for (const time_ns pause_ns : pauses) head.push_back(pause_text(pause_ns));
  text_table table{std::move(head)};
  for (const std::string& name : names) {
    std::vector<std::string> row{name};
    for (const phase_figures& each : all) {
      if (each.name != name) continue;
      if (row.size() == 1) row.push_back(span_text(static_cast<double>(each.serial_ns)));
      const auto column = static_cast<std::size_t>(std::ranges::find(pauses, each.pause_ns) - pauses.begin()) + 2;
      if (row.size() <= column) row.resize(column + 1);
      row[column] = cell_text(each);
    }
    row.resize(pauses.size() + 2);
    table.add(std::move(row));
  }
  if (are_loops(what)) {
    std::vector<std::string> row{"half as fast as could be from", ""};
    for (const time_ns pause_ns : pauses) {
      const double half_ns = half_efficiency_ns(all, pause_ns, what.worker_count());
      row.push_back(half_ns == 0 ? "·" : span_text(half_ns));
    }
    table.add(std::move(row));
  }
  return "How long each phase took, median, and how many times as fast as serially\n" + table.text() + "\n" +
         counts_text(result.counts);
}

json sharing_json(const scenario::document& what, const sim::sharing_result& result) {
  const std::vector<phase_figures> all = phase_figures_of(what, result);
  json out{{"demand", policy::describe(what.demand)}, {"phases", json::array()}, {"half_efficiency", json::array()}};
  for (const phase_figures& each : all) {
    out["phases"].push_back(json{{"name", each.name},
                                 {"pause_ns", each.pause_ns},
                                 {"serial_ns", each.serial_ns},
                                 {"ended", each.ended},
                                 {"median_ns", each.median_ns},
                                 {"speed_up", each.speed_up()}});
  }
  for (const time_ns pause_ns : are_loops(what) ? pauses_of(all) : std::vector<time_ns>{}) {
    const double half_ns = half_efficiency_ns(all, pause_ns, what.worker_count());
    out["half_efficiency"].push_back(
        json{{"pause_ns", pause_ns}, {"serial_ns", half_ns == 0 ? json(nullptr) : json(half_ns)}});
  }
  out["counts"] = counts_json(result.counts);
  return out;
}

}  // namespace filch::tool
