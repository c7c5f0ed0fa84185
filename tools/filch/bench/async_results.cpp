// The results of asynchronous shapes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <plot/chart.hpp>

#include "medians.hpp"
#include "results.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

const bench_row* find_row(const std::vector<bench_row>& rows, const measurement_kind& kind,
                          const bench_program* program, std::uint32_t threads) {
  const auto at = std::ranges::find_if(rows, [&](const bench_row& each) {
    return each.kind.name == kind.name && each.program == program && each.threads == threads;
  });
  return at == rows.end() ? nullptr : &*at;
}

bool is_one_of_several(const std::vector<bench_program>& programs, const bench_program& one) {
  return std::ranges::count(programs, one.runtime, &bench_program::runtime) > 1;
}

std::string name_of(const std::vector<bench_program>& programs, const bench_program& one) {
  return one.runtime + (is_one_of_several(programs, one) ? ", " + one.compiler : "");
}

// One text for each number of threads; empty if there is none.
template <class Text>
std::string cell(const std::vector<bench_row>& rows, const measurement_kind& kind, const bench_program& program,
                 const bench_plan& plan, const Text& text) {
  std::string out;
  for (const std::uint32_t threads : plan.threads) {
    const bench_row* const row = find_row(rows, kind, &program, threads);
    if (row == nullptr) return "";
    out += (out.empty() ? "" : " / ") + (row->is_measured() ? text(*row) : std::string{instead_of_values(*row)});
  }
  return out;
}

std::string value_text(const bench_row& row) { return fixed(median(row.ns), median(row.ns) < 99.95 ? 1 : 0); }

std::string to_peer_text(const bench_row& row) { return row.ratios.empty() ? "" : ratio_text(median(row.ratios)); }

template <class Text>
std::string table_of(const std::vector<bench_program>& programs, const std::vector<bench_row>& rows,
                     const bench_plan& plan, bool with_own, const Text& text) {
  std::vector<std::string> head{threads_text(plan)};
  for (const bench_program& each : programs) {
    if (with_own || each.runtime != k_own_runtime) head.push_back(name_of(programs, each));
  }
  text_table table{std::move(head)};
  for (const measurement_kind& kind : plan.kinds) {
    std::vector<std::string> line{std::string{kind.name}};
    for (const bench_program& each : programs) {
      if (with_own || each.runtime != k_own_runtime) line.push_back(cell(rows, kind, each, plan, text));
    }
    table.add(std::move(line));
  }
  return table.text();
}

std::string_view unit_of(const measurement_kind& kind) { return kind.metric == bench_metric::memory ? "bytes" : "ns"; }

}  // namespace

std::string async_text(const bench_results& all) {
  const bench_plan& plan = all.plan;
  const std::vector<bench_program>& programs = all.found.programs;
  std::string out = conditions_text(all);
  const bool is_cpu = plan.clock == bench_clock::cpu;
  out += "Nanoseconds"s + (is_cpu ? " of CPU time" : "") +
         " per operation (memory: bytes); median over the rounds, lower is better\n\n" +
         table_of(programs, all.rows, plan, true, value_text);
  const auto is_peer = [](const bench_program& each) { return each.runtime != k_own_runtime; };
  if (std::ranges::any_of(programs, is_peer)) {
    out += "\nfilch as a ratio to each, inside a round; below 1 filch is faster\n\n" +
           table_of(programs, all.rows, plan, false, to_peer_text);
  }
  const std::string failed = failures_text(all);
  return out + (failed.empty() ? "" : "\n" + failed);
}

json async_json(const bench_results& all) {
  json out;
  out["context"] = context_json(all);
  out["rows"] = json::array();
  for (const bench_row& row : all.rows) {
    json one = row_head_json(row);
    one["unit"] = unit_of(row.kind);
    if (row.is_measured()) {
      one["median"] = median(row.ns);
      one["values"] = row.ns;
      if (!row.ratios.empty()) one["filch_to_this"] = median(row.ratios);
      if (!row.ratios.empty()) one["ratios"] = row.ratios;
    }
    out["rows"].push_back(std::move(one));
  }
  return out;
}

std::string async_svg(const bench_results& all, std::vector<std::string>& left_out) {
  const bench_plan& plan = all.plan;
  const std::vector<bench_program>& programs = all.found.programs;
  std::vector<plot::bar_chart> charts = empty_charts(all, "Time per operation", "ns");
  for (const bench_row& each : all.rows) {
    if (!each.is_measured()) left_out.push_back(no_bar_text(each));
  }
  for (const measurement_kind& kind : plan.kinds) {
    if (kind.metric == bench_metric::memory) left_out.emplace_back(std::string{kind.name} + ": it is not a time");
  }
  for (std::size_t i = 0; i != charts.size(); ++i) {
    for (const bench_program& each : programs) {
      charts[i].series.push_back({.name = name_of(programs, each), .bars = {}});
    }
    for (const measurement_kind& kind : plan.kinds) {
      if (kind.metric == bench_metric::memory) continue;
      charts[i].categories.emplace_back(kind.name);
      for (std::size_t p = 0; p != programs.size(); ++p) {
        const bench_row* const row = find_row(all.rows, kind, &programs[p], plan.threads[i]);
        const bool is_there = row != nullptr && row->is_measured();
        charts[i].series[p].bars.push_back(
            is_there ? plot::bar{median(row->ns), std::ranges::min(row->ns), std::ranges::max(row->ns)}
                     : plot::bar{.is_absent = true});
      }
    }
  }
  return picture_of(std::move(charts), all);
}

}  // namespace filch::tool
