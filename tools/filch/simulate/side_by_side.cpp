#include "side_by_side.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "../text.hpp"
#include "in_parallel.hpp"

namespace filch::tool {

std::vector<figure_table> run_candidates(const std::vector<candidate>& all, seed_range seeds) {
  std::vector<figure_table> tables(all.size());
  for (figure_table& each : tables) each.runs.resize(seeds.count);
  in_parallel(all.size() * seeds.count, [&](std::uint64_t i) {
    const std::uint64_t seed = i % seeds.count;
    tables[i / seeds.count].runs[seed] = figures_of(all[i / seeds.count].what, seeds.first + seed);
  });
  return tables;
}

std::string side_by_side_text(std::string head, const std::vector<std::string>& names,
                              const std::vector<figure_table>& tables, const std::vector<figure>& columns) {
  bool has_incomplete = false;
  bool has_others = false;  // that did not get stuck
  for (const figure_table& each : tables) {
    has_incomplete = has_incomplete || each.incomplete() != 0;
    has_others = has_others || each.incomplete() != each.stuck();
  }
  std::vector<std::string> titles{std::move(head)};
  std::vector<time_unit> units;
  for (const figure which : columns) {
    double most = 0;
    for (const figure_table& each : tables) {
      const sample_summary of = each.summary(which);
      if (of.count != 0) most = std::max(most, std::abs(of.mean));
    }
    units.push_back(is_time(which) ? unit_for(most) : time_unit{1, ""});
    titles.emplace_back(figure_title(which));
    if (is_time(which)) titles.back().append(" ").append(units.back().name);
  }
  if (has_incomplete) titles.emplace_back(has_others ? "incomplete" : "stuck");
  text_table table{std::move(titles)};
  for (std::size_t row = 0; row != tables.size(); ++row) {
    std::vector<std::string> cells{names[row]};
    for (std::size_t c = 0; c != columns.size(); ++c) {
      sample_summary of = tables[row].summary(columns[c]);
      of.mean /= units[c].seconds;
      of.sd /= units[c].seconds;
      cells.push_back(of.count == 0 ? "·" : spread_text(of, is_time(columns[c]) ? 3 : 1));
    }
    if (has_incomplete) {
      const auto share = static_cast<double>(tables[row].incomplete()) / static_cast<double>(tables[row].runs.size());
      cells.push_back(fixed(100 * share, 1) + " %");
    }
    table.add(std::move(cells));
  }
  return table.text();
}

nlohmann::ordered_json figures_json(const figure_table& of) {
  nlohmann::ordered_json out;
  out["runs"] = of.runs.size();
  out["incomplete"] = of.incomplete();
  out["cut_off"] = of.cut_off();
  for (std::size_t i = 0; i != k_figures; ++i) {
    const sample_summary one = of.summary(static_cast<figure>(i));
    if (one.count == 0) continue;
    auto& into = out[std::string{figure_names()[i]}];
    into["mean"] = one.mean;
    into["sd"] = one.sd;
    if (std::isfinite(one.half_width)) into["half_width"] = one.half_width;
  }
  return out;
}

}  // namespace filch::tool
