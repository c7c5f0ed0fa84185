// Everything that a comparison or a sweep tries: policies × workers × grains, all with the same seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "figures.hpp"
#include "sample.hpp"
#include "side_by_side.hpp"

namespace filch::tool {

struct grid_point {
  std::string policy;  // "largest", or "largest half": what the policies of the grid differ in; empty: there is one
  std::uint32_t workers = 1;
  std::optional<time_ns> grain_ns{};
  scenario::document what;
};

struct grid {
  scenario::document base;
  std::vector<std::string> policies;  // in the order of the words
  std::vector<std::uint32_t> workers;
  std::vector<std::optional<time_ns>> grains;  // one that is empty: the scenario's own
  std::vector<grid_point> points;              // workers, then grains, then policies fastest
  seed_range seeds{.first = 1, .count = 100};
  figure metric = figure::time;

  [[nodiscard]] std::size_t cells() const { return points.size() / policies.size(); }
};

// `command` is what errors call the place. Throws as scenario_settings.hpp does.
[[nodiscard]] grid make_grid(const grid_arguments& given, const std::string& command);

struct grid_results {
  std::vector<figure_table> tables;   // by point
  std::vector<comparison> standings;  // by point, among the policies of the same workers and grain
  std::vector<std::uint32_t> common;  // by cell: seeds with which all its policies completed
};

[[nodiscard]] grid_results run_grid(const grid& what);

// One line per point, with a line of names first.
[[nodiscard]] std::string csv_text(const grid& what, const grid_results& found);
[[nodiscard]] nlohmann::ordered_json grid_json(const grid& what, const grid_results& found);
// "*", "≈" or "".
[[nodiscard]] std::string mark_of(standing how);
[[nodiscard]] std::string grain_text(const std::optional<time_ns>& grain_ns);

}  // namespace filch::tool
