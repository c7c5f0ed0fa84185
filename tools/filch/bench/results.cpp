#include "results.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <plot/chart.hpp>
#include <set>

#include "medians.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

// A difference of less than one per cent does not count.
constexpr double k_noise = 0.99;

const bench_row* find_row(const std::vector<bench_row>& rows, std::string_view kind, const bench_program* program,
                          std::uint32_t threads) {
  for (const bench_row& each : rows) {
    if (each.kind.name == kind && each.program == program && each.threads == threads) return &each;
  }
  return nullptr;
}

// The row of filch that a peer's row is compared with.
const bench_row* own_row(const std::vector<bench_row>& rows, const bench_row& peer) {
  const bench_row* first = nullptr;
  for (const bench_row& each : rows) {
    if (each.program->runtime != k_own_runtime || each.kind.name != peer.kind.name || each.threads != peer.threads)
      continue;
    if (each.program->compiler == peer.program->compiler) return &each;
    if (first == nullptr) first = &each;
  }
  return first;
}

// As it stands above a column and in a picture.
std::string title_of(const bench_program& program) {
  return program.runtime == k_serial_runtime ? "serial copies" : program.runtime;
}

bool is_in_turns(const bench_row& row) { return row.is_measured() && row.least_ratio.has_value(); }

// Of the rounds that count.
std::vector<double> ratios_of(const bench_row& row) { return counted(row.ratios, row.is_disturbed); }
double ratio_of(const bench_row& row) { return median(ratios_of(row)); }
double median_ns_of(const bench_row& row) { return median(counted(row.ns, row.is_disturbed)); }

bool has_range(const bench_row& row) {
  return row.program->runtime == k_own_runtime && row.is_measured() && median_range(ratios_of(row)).has_value();
}

// The text of a row with values: the median, with a star where a peer is faster;
struct median_ratio {
  const std::set<const bench_row*>& starred;

  std::string operator()(const bench_row& row) const {
    return ratio_text(ratio_of(row)) + (starred.contains(&row) ? "*" : "");
  }
};
// the least;
std::string least_ratio(const bench_row& row) { return is_in_turns(row) ? ratio_text(*row.least_ratio) : ""; }
// or the median with its confidence interval.
std::string ratio_with_range(const bench_row& row) {
  const std::optional<value_range> range = median_range(ratios_of(row));
  return ratio_text(ratio_of(row)) +
         (range ? " (" + ratio_text(range->low) + " to " + ratio_text(range->high) + ")" : "");
}

// "1.07 / 0.54": one ratio for each number of threads.
template <class Text>
std::string cell(const std::vector<bench_row>& rows, const measurement_kind& kind, const bench_program& program,
                 const bench_plan& plan, const Text& shown) {
  std::string text;
  for (const std::uint32_t threads : plan.threads) {
    const bench_row* const row = find_row(rows, kind.name, &program, threads);
    if (!text.empty()) text += " / ";
    if (program.runtime == k_serial_runtime && program.has(kind.workload) && threads == 1) {
      text += "1";
      continue;
    }
    if (row == nullptr) return "";
    text += row->is_measured() ? shown(*row) : std::string{instead_of_values(*row)};
  }
  return text;
}

// One column per runtime of one compiler; the other languages stand in the first table.
template <class Text>
std::string table_of(const std::vector<const bench_program*>& columns, const std::vector<bench_row>& rows,
                     const bench_plan& plan, const Text& shown) {
  std::vector<std::string> head{threads_text(plan)};
  for (const bench_program* each : columns) head.push_back(title_of(*each));
  text_table table{std::move(head)};
  for (const measurement_kind& kind : plan.kinds) {
    std::vector<std::string> line{std::string{kind.name}};
    for (const bench_program* each : columns) line.push_back(cell(rows, kind, *each, plan, shown));
    table.add(std::move(line));
  }
  return table.text();
}

// The same of those measurements that have such a row, below a title. Empty: none has.
template <class Text>
std::string lower_table(const std::string& title, const std::vector<const bench_program*>& columns,
                        const std::vector<bench_row>& rows, bench_plan plan, bool (*is_such)(const bench_row&),
                        const Text& shown) {
  std::erase_if(plan.kinds, [&](const measurement_kind& kind) {
    const auto is_of_it = [&](const bench_row& row) { return row.kind.name == kind.name && is_such(row); };
    return std::ranges::none_of(rows, is_of_it);
  });
  return plan.kinds.empty() ? "" : title + "\n" + table_of(columns, rows, plan, shown) + "\n";
}

// Below the table of a compiler: what was measured in turns, and how far filch's medians can be trusted.
std::string lower_tables(std::vector<const bench_program*> columns, const std::vector<bench_row>& rows,
                         const bench_plan& plan) {
  const std::string least =
      lower_table("Least time as a ratio to the least of serial code: the time without disturbances", columns, rows,
                  plan, is_in_turns, least_ratio);
  std::erase_if(columns, [](const bench_program* each) { return each->runtime != k_own_runtime; });
  if (columns.empty()) return least;
  return least +
         lower_table("Median and its 95 % confidence interval", columns, rows, plan, has_range, ratio_with_range);
}

std::string not_ahead_text(const std::vector<not_ahead>& all, const bench_plan& plan) {
  if (all.empty()) return "";
  std::string text = "* another runtime has a lower ratio than filch there:\n";
  const char* const clock = plan.clock == bench_clock::cpu ? " of CPU time" : "";
  for (const auto& [own, peer] : all) {
    text += "  "s + std::string{own->kind.name} + ", " + count_text(own->threads, "thread") + ": " +
            peer->program->runtime + " " + ratio_text(ratio_of(*peer)) + " (" +
            duration_text(median_ns_of(*peer) * 1e-9) + clock + ") against " + ratio_text(ratio_of(*own)) + " (" +
            duration_text(median_ns_of(*own) * 1e-9) + clock + "; " + own->program->compiler + ")" +
            (peer->size != own->size ? ", at size "s + std::to_string(peer->size) : "") + "\n";
  }
  return text;
}

// "7 rounds", "3 of 7 rounds", "7 to 51 rounds, in turns".
std::string rounds_text(const bench_results& all) {
  if (std::ranges::none_of(all.rows, is_in_turns)) {
    return (all.rounds_done == all.plan.rounds ? "" : std::to_string(all.rounds_done) + " of ") +
           count_text(all.plan.rounds, "round");
  }
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::size_t most = 0;
  bool are_all = true;
  for (const bench_row& each : all.rows) {
    if (!each.is_measured()) continue;
    least = std::min(least, each.ns.size());
    most = std::max(most, each.ns.size());
    are_all = are_all && is_in_turns(each);
  }
  return (least == most ? "" : std::to_string(least) + " to ") + count_text(most, "round") +
         (are_all ? ", in turns" : ", some in turns");
}

// How many ratios were disturbed, and how many of these were left out.
struct disturbed_ratios {
  std::size_t all = 0;  // and those that were not, of all that were measured in turns
  std::size_t left_out = 0;
  std::size_t kept = 0;
};

disturbed_ratios disturbed_of(const std::vector<bench_row>& rows) {
  disturbed_ratios sum;
  for (const bench_row& each : rows) {
    if (!each.is_measured() || each.is_disturbed.empty()) continue;
    const std::size_t left_out = each.ratios.size() - ratios_of(each).size();
    sum.all += each.ratios.size();
    sum.left_out += left_out;
    if (left_out == 0) sum.kept += static_cast<std::size_t>(std::ranges::count(each.is_disturbed, true));
  }
  return sum;
}

// The time that the host of a virtual machine took; empty where it took nothing.
std::string host_text(const bench_results& all) {
  const auto [ratios, left_out, kept] = disturbed_of(all.rows);
  if (all.when.host_share < 0.0005 && left_out + kept == 0) return "";
  std::string text = "; the host took " + fixed(100 * all.when.host_share, 1) + " % of the CPUs";
  if (left_out + kept == 0) return text;
  text += "; of " + count_text(ratios, "ratio") + " " + std::to_string(left_out) + (left_out == 1 ? " was" : " were") +
          " left out because of it";
  if (kept == 0) return text;
  return text + ", and " + std::to_string(kept) + " kept where fewer than " + std::to_string(k_enough_rounds) +
         " others are";
}

// When, where, and how much was going on there.
std::string circumstances(const bench_results& all) {
  const bench_conditions& when = all.when;
  return when.date + ", " + when.cpu + ", " + count_text(when.cpus, "CPU") + ", Linux " + when.kernel + "; " +
         rounds_text(all) + host_text(all) + "; others used " + fixed(when.foreign_cpus, 2) + " CPUs meanwhile, load " +
         fixed(when.load_before, 2) + " before and " + fixed(when.load_after, 2) + " after";
}

json row_json(const bench_row& row) {
  json out = row_head_json(row);
  if (!row.is_measured()) return out;
  out["median_ns"] = median_ns_of(row);
  out["ratio"] = ratio_of(row);
  if (const std::optional<value_range> range = median_range(ratios_of(row))) {
    out["ratio_low"] = range->low;
    out["ratio_high"] = range->high;
  }
  out["ratio_least"] = std::ranges::min(ratios_of(row));
  out["ratio_most"] = std::ranges::max(ratios_of(row));
  if (row.least_ratio) out["least_ratio"] = *row.least_ratio;
  if (!row.to_own.empty()) out["time_to_filch"] = median(row.to_own);
  out["ns"] = row.ns;
  out["ratios"] = row.ratios;
  if (!row.is_disturbed.empty()) out["disturbed"] = row.is_disturbed;
  return out;
}

}  // namespace

std::string ratio_text(double ratio) { return fixed(ratio, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0); }

std::string threads_text(const bench_plan& plan) {
  std::string text;
  for (const std::uint32_t each : plan.threads) text += (text.empty() ? "" : " / ") + std::to_string(each);
  return text + (plan.threads == std::vector<std::uint32_t>{1} ? " thread" : " threads");
}

std::string_view instead_of_values(const bench_row& row) {
  if (!row.problem.empty()) return "failed";
  if (row.is_too_slow) return "> limit";
  return row.ns.empty() ? "not run" : "";
}

json row_head_json(const bench_row& row) {
  json out{{"measurement", row.kind.name},
           {"workload", row.kind.workload},
           {"size", row.size},
           {"runtime", row.program->runtime},
           {"language", row.program->language},
           {"compiler", row.program->compiler},
           {"flags", row.program->flags},
           {"threads", row.threads}};
  if (!row.problem.empty()) out["failure"] = row.problem;
  if (row.is_too_slow) out["is_too_slow"] = true;
  return out;
}

std::size_t failures(const bench_results& all) {
  const auto has_failed = [](const bench_row& each) { return !each.problem.empty(); };
  return static_cast<std::size_t>(std::ranges::count_if(all.rows, has_failed)) + all.found.unusable.size();
}

std::string failures_text(const bench_results& all) {
  if (failures(all) == 0) return "";
  std::string text = "Failed:\n";
  for (const unusable_program& each : all.found.unusable) text += "  " + each.path.string() + " " + each.problem + "\n";
  for (const bench_row& each : all.rows) {
    if (each.problem.empty()) continue;
    text += "  "s + std::string{each.kind.name} + ", " + count_text(each.threads, "thread") + ": " +
            each.program->runtime + " (" + each.program->compiler + ") " + each.problem + "\n";
  }
  return text;
}

std::vector<std::string> notes_of(const bench_results& all) {
  std::vector<std::string> notes{circumstances(all)};
  for (const bench_program& each : all.found.programs) {
    std::string note = each.compiler + ": " + each.flags;
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

std::string conditions_text(const bench_results& all) {
  std::string out = circumstances(all) + "\n";
  for (const bench_program& each : all.found.programs) {
    out += each.runtime + ": " + each.compiler + ", " + each.flags + "\n";
  }
  for (const missing_peer& each : all.found.missing) out += "left out: " + each.runtime + ": " + each.why + "\n";
  return out;
}

json context_json(const bench_results& all) {
  const auto& [plan, found, rows, rounds_done, ended_in, when] = all;
  json context{{"kind", plan.is_async ? k_async_file : k_workloads_file},
               {"date", when.date},
               {"version", FILCH_VERSION},
               {"cpu", when.cpu},
               {"cpus", when.cpus},
               {"kernel", when.kernel},
               {"threads", plan.threads},
               {"rounds", plan.rounds},
               {"rounds_done", rounds_done},
               {"repetitions", plan.repetitions},
               {"limit_s", plan.limit_s},
               {"clock", plan.clock == bench_clock::cpu ? "cpu" : "wall"},
               {"is_quick", plan.is_quick},
               {"load_before", when.load_before},
               {"load_after", when.load_after},
               {"foreign_cpus", when.foreign_cpus},
               {"host_share", when.host_share},
               {"ratios_left_out", disturbed_of(rows).left_out}};
  if (!ended_in.empty()) context["ended_in"] = ended_in;
  for (const bench_program& each : found.programs) {
    context["programs"].push_back(
        {{"runtime", each.runtime}, {"language", each.language}, {"compiler", each.compiler}, {"flags", each.flags}});
  }
  for (const unusable_program& each : found.unusable) {
    context["unusable_programs"].push_back({{"path", each.path.string()}, {"failure", each.problem}});
  }
  for (const missing_peer& each : found.missing) {
    context["left_out"].push_back({{"runtime", each.runtime}, {"why", each.why}});
  }
  return context;
}

std::vector<not_ahead> where_not_ahead(const std::vector<bench_row>& rows) {
  std::vector<not_ahead> all;
  for (const bench_row& peer : rows) {
    if (peer.program->runtime == k_own_runtime || peer.program->runtime == k_serial_runtime || !peer.is_measured())
      continue;
    const bench_row* const own = own_row(rows, peer);
    if (own == nullptr || !own->is_measured() || ratio_of(peer) >= k_noise * ratio_of(*own)) continue;
    all.push_back({own, &peer});
  }
  return all;
}

std::string results_text(const bench_results& all) {
  const bench_plan& plan = all.plan;
  const std::vector<bench_row>& rows = all.rows;
  const std::vector<bench_program>& programs = all.found.programs;
  std::string out = conditions_text(all);
  out += plan.clock == bench_clock::cpu ? "CPU time" : "Time";
  out += " as a ratio to serial code by the same compiler; median over the rounds, lower is better\n";
  const std::vector<not_ahead> behind = where_not_ahead(rows);
  std::set<const bench_row*> starred;
  for (const not_ahead& each : behind) starred.insert(each.own);
  const bool has_copies =
      std::ranges::any_of(rows, [](const bench_row& row) { return row.program->runtime == k_serial_runtime; });
  if (has_copies) out += "serial copies: as many serial programs at once as threads; the limit of the machine\n";
  out += "\n";
  std::vector<std::string> compilers;
  for (const bench_program& each : programs) {
    if (each.runtime == k_serial_runtime) compilers.push_back(each.compiler);
  }
  for (const std::string& compiler : compilers) {
    std::vector<const bench_program*> columns;
    for (const bench_program& each : programs) {
      if (each.runtime == k_serial_runtime && !has_copies) continue;
      if (each.compiler == compiler || (each.language != "C++" && compiler == compilers.front()))
        columns.push_back(&each);
    }
    if (compilers.size() > 1) out += compiler + "\n";
    out += table_of(columns, rows, plan, median_ratio{starred}) + "\n" + lower_tables(columns, rows, plan);
  }
  return out + not_ahead_text(behind, plan) + failures_text(all);
}

json results_json(const bench_results& all) {
  json out;
  out["context"] = context_json(all);
  out["rows"] = json::array();
  for (const bench_row& each : all.rows) out["rows"].push_back(row_json(each));
  out["not_ahead"] = json::array();
  for (const auto& [own, peer] : where_not_ahead(all.rows)) {
    out["not_ahead"].push_back({{"measurement", own->kind.name},
                                {"threads", own->threads},
                                {"compiler", own->program->compiler},
                                {"filch", ratio_of(*own)},
                                {"runtime", peer->program->runtime},
                                {"ratio", ratio_of(*peer)}});
  }
  return out;
}

std::string no_bar_text(const bench_row& row) {
  return std::string{row.kind.name} + ", " + count_text(row.threads, "thread") + ": " + title_of(*row.program) + ", " +
         row.program->compiler + ": " + std::string{instead_of_values(row)};
}

std::vector<plot::bar_chart> empty_charts(const bench_results& all, const std::string& what, const std::string& unit) {
  std::vector<plot::bar_chart> charts;
  for (const std::uint32_t threads : all.plan.threads) {
    charts.push_back({.title = what + ", " + count_text(threads, "thread"),
                      .x_label = "",
                      .y_label = unit + ", lower is better",
                      .categories = {},
                      .series = {},
                      .log_y = true,
                      .notes = {}});
  }
  return charts;
}

std::string picture_of(std::vector<plot::bar_chart> charts, const bench_results& all) {
  const auto has_no_bar = [](const plot::bar_chart& chart) {
    return std::ranges::all_of(chart.series, [](const plot::bar_series& each) {
      return std::ranges::all_of(each.bars, &plot::bar::is_absent);
    });
  };
  std::erase_if(charts, has_no_bar);
  if (!charts.empty()) {
    charts.back().notes = notes_of(all);
    charts.back().notes.emplace_back("No bar: the runtime has no such measurement, failed, or took too long.");
  }
  return plot::to_svg(charts);
}

std::string results_svg(const bench_results& all, std::vector<std::string>& left_out) {
  const bench_plan& plan = all.plan;
  std::vector<plot::bar_chart> charts = empty_charts(all, "Time as a ratio to serial code", "ratio");
  for (const bench_row& each : all.rows) {
    if (!each.is_measured()) left_out.push_back(no_bar_text(each));
  }
  for (std::size_t i = 0; i != charts.size(); ++i) {
    for (const measurement_kind& kind : plan.kinds) charts[i].categories.emplace_back(kind.name);
    for (const bench_program& program : all.found.programs) {
      // All charts have the same series, in the same colours.
      const auto is_its = [&](const bench_row& row) { return row.program == &program && row.is_measured(); };
      if (std::ranges::none_of(all.rows, is_its)) continue;
      plot::bar_series series{.name = title_of(program) + (program.language == "C++" ? ", "s + program.compiler : ""),
                              .bars = {}};
      for (const measurement_kind& kind : plan.kinds) {
        const bench_row* const row = find_row(all.rows, kind.name, &program, plan.threads[i]);
        const bool is_there = row != nullptr && row->is_measured();
        if (!is_there) {
          series.bars.push_back({.is_absent = true});
          continue;
        }
        const auto [least, most] = std::ranges::minmax(ratios_of(*row));
        series.bars.push_back({ratio_of(*row), least, most});
      }
      charts[i].series.push_back(std::move(series));
    }
  }
  return picture_of(std::move(charts), all);
}

}  // namespace filch::tool
