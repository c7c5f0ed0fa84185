#include "grid.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../option_reading.hpp"
#include "contrasts.hpp"
#include "outlook.hpp"
#include "scenario_settings.hpp"

namespace filch::tool {
namespace {

constexpr std::size_t k_most_points = 10'000;
constexpr std::uint64_t k_most_runs = 10'000'000;

// One choice among the values of an option.
struct axis_of_choice {
  std::optional<std::string> scenario_words::* field;
  const std::vector<std::string>* values;
};

struct named_words {
  std::string name;
  scenario_words words;
};

// All combinations; a name holds the values of the options that have more than one.
std::vector<named_words> combine(const std::vector<axis_of_choice>& axes) {
  std::vector<named_words> all{{}};
  for (const axis_of_choice& axis : axes) {
    if (axis.values->empty()) continue;
    std::vector<named_words> longer;
    for (const named_words& each : all) {
      for (const std::string& value : *axis.values) {
        named_words next = each;
        next.words.*axis.field = value;
        if (axis.values->size() > 1) next.name.append(next.name.empty() ? "" : " ").append(value);
        longer.push_back(std::move(next));
      }
    }
    if (longer.size() > k_most_points) {
      throw bad_usage("more than " + std::to_string(k_most_points) + " policies to try: name fewer");
    }
    all = std::move(longer);
  }
  return all;
}

figure read_metric(const std::optional<std::string>& text) {
  if (!text) return figure::time;
  const auto names = figure_names();
  const auto found = std::ranges::find(names, *text);
  if (found == names.end()) throw bad_usage(policy::unknown_name("--metric", *text, names));
  return static_cast<figure>(found - names.begin());
}

// The metric's values of every policy of a cell, with the seeds with which all of them completed.
std::vector<std::vector<double>> paired_values(const grid& what, const grid_results& found, std::size_t first) {
  const std::size_t policies = what.policies.size();
  std::vector<std::vector<double>> values(policies);
  for (std::uint32_t s = 0; s != what.seeds.count; ++s) {
    bool is_common = true;
    for (std::size_t p = 0; p != policies; ++p) {
      const run_figures& run = found.tables[first + p].runs[s];
      is_common = is_common && run.end == sim::run_end::complete && !std::isnan(run[what.metric]);
    }
    if (!is_common) continue;
    for (std::size_t p = 0; p != policies; ++p) {
      const double value = found.tables[first + p].runs[s][what.metric];
      values[p].push_back(more_is_better(what.metric) ? -value : value);
    }
  }
  return values;
}

const char* standing_name(standing how) {
  switch (how) {
    case standing::winner:
      return "winner";
    case standing::among_best:
      return "among_best";
    case standing::beaten:
      break;
  }
  return "beaten";
}

std::string csv_cell(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return std::string{text};
  return "\""s.append(text).append("\"");
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace

grid make_grid(const grid_arguments& given, const std::string& command) {
  grid made;
  made.base = find_scenario(given.scenario, command);
  made.metric = read_metric(given.metric);
  made.seeds.first = made.base.seed;
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX - k_most_seeds, made.seeds.first);
  read_number<std::uint32_t>(given.seeds, "--seeds", 1, k_most_seeds, made.seeds.count);
  const std::vector<named_words> policies = combine({{&scenario_words::victims, &given.victims},
                                                     {&scenario_words::steal, &given.steal},
                                                     {&scenario_words::order, &given.order},
                                                     {&scenario_words::idle, &given.idle},
                                                     {&scenario_words::wake, &given.wake},
                                                     {&scenario_words::placement, &given.placement},
                                                     {&scenario_words::join, &given.join},
                                                     {&scenario_words::demand, &given.demand}});
  for (const named_words& each : policies) made.policies.push_back(each.name);
  const std::vector<named_words> places =
      combine({{&scenario_words::workers, &given.workers}, {&scenario_words::grain, &given.grain}});
  for (const named_words& place : places) {
    for (const named_words& each : policies) {
      scenario_words words = each.words;
      words.workers = place.words.workers;
      words.grain = place.words.grain;
      words.machine = given.machine;
      grid_point point{.policy = each.name, .what = made.base};
      apply(words, point.what);
      point.workers = point.what.worker_count();
      if (words.grain) point.grain_ns = read_duration(*words.grain, "--grain");
      made.points.push_back(std::move(point));
    }
    made.workers.push_back(made.points.back().workers);
    made.grains.push_back(made.points.back().grain_ns);
  }
  if (made.points.size() * made.seeds.count > k_most_runs) {
    throw bad_usage("--seeds: " + std::to_string(made.points.size()) + " cases with " +
                    std::to_string(made.seeds.count) + " seeds are more than " + std::to_string(k_most_runs) + " runs");
  }
  return made;
}

grid_results run_grid(const grid& what) {
  std::vector<candidate> all;
  for (const grid_point& each : what.points) all.push_back({each.policy, each.what});
  grid_results found{.tables = run_candidates(all, what.seeds), .standings = {}, .common = {}};
  for (std::size_t cell = 0; cell != what.cells(); ++cell) {
    const auto values = paired_values(what, found, cell * what.policies.size());
    found.common.push_back(static_cast<std::uint32_t>(values.front().size()));
    for (const comparison& each : compare_paired(values)) found.standings.push_back(each);
  }
  return found;
}

std::string csv_text(const grid& what, const grid_results& found) {
  std::string out = "scenario,workers,grain_ns,victims,steal,order,idle,wake,placement,seeds,incomplete,standing";
  for (const std::string_view name : figure_names())
    out.append(",").append(name).append(",").append(name).append("_hw");
  out += "\n";
  for (std::size_t i = 0; i != what.points.size(); ++i) {
    const grid_point& point = what.points[i];
    const policy::search_options& policy = point.what.policy;
    out += csv_cell(what.base.name) + "," + std::to_string(point.workers) + ",";
    if (point.grain_ns) out += std::to_string(*point.grain_ns);
    for (const std::string& value :
         {std::string{policy::to_string(policy.victims)}, policy::to_string(policy.steal),
          std::string{policy::to_string(policy.order)}, policy::to_string(policy.idle),
          std::string{policy::to_string(policy.wake)}, policy::to_string(policy.placement)}) {
      out.append(",").append(csv_cell(value));
    }
    out.append(",").append(std::to_string(what.seeds.count)).append(",");
    out.append(std::to_string(found.tables[i].incomplete())).append(",").append(standing_name(found.standings[i].how));
    for (std::size_t f = 0; f != k_figures; ++f) {
      const sample_summary of = found.tables[i].summary(static_cast<figure>(f));
      out.append(",").append(of.count == 0 ? "" : number_text(of.mean));
      out.append(",").append(of.count < 2 ? "" : number_text(of.half_width));
    }
    out += "\n";
  }
  return out;
}

nlohmann::ordered_json grid_json(const grid& what, const grid_results& found) {
  nlohmann::ordered_json out{{"scenario", what.base.name},
                             {"first_seed", what.seeds.first},
                             {"seeds", what.seeds.count},
                             {"metric", figure_names()[static_cast<std::size_t>(what.metric)]}};
  auto& cases = out["cases"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i != what.points.size(); ++i) {
    const grid_point& point = what.points[i];
    const comparison& stands = found.standings[i];
    nlohmann::ordered_json one{{"workers", point.workers}};
    if (point.grain_ns) one["grain_ns"] = *point.grain_ns;
    one["policy"] = policy::describe(point.what.policy);
    one["name"] = point.policy;
    one["standing"] = standing_name(stands.how);
    one["behind_best"] = stands.difference;
    if (std::isfinite(stands.half_width)) one["behind_best_half_width"] = stands.half_width;
    const outlook seen = outlook_of(point.what);
    one["settled"] = seen.settled ? nlohmann::ordered_json(*seen.settled) : nlohmann::ordered_json(nullptr);
    if (!seen.unsettled.empty()) one["note"] = seen.unsettled;
    one["common_seeds"] = found.common[i / what.policies.size()];
    one.update(figures_json(found.tables[i]));
    cases.push_back(std::move(one));
  }
  return out;
}

std::string mark_of(standing how) {
  if (how == standing::winner) return "*";
  return how == standing::among_best ? "≈" : "";
}

std::string grain_text(const std::optional<time_ns>& grain_ns) {
  return grain_ns ? duration_text(static_cast<double>(*grain_ns) * 1e-9) : "";
}

}  // namespace filch::tool
