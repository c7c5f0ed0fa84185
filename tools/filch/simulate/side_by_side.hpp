// Variants of a scenario over the same seeds, as a table and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <scenario.hpp>
#include <string>
#include <vector>

#include "figures.hpp"

namespace filch::tool {

struct candidate {
  std::string name;
  scenario::document what;
};

struct seed_range {
  std::uint64_t first = 1;
  std::uint32_t count = 1;
};

// One table per candidate; all runs at once, in parallel.
[[nodiscard]] std::vector<figure_table> run_candidates(const std::vector<candidate>& all, seed_range seeds);

// Rows of mean ± standard deviation. Incomplete runs get a column when there are any.
[[nodiscard]] std::string side_by_side_text(std::string head, const std::vector<std::string>& names,
                                            const std::vector<figure_table>& tables,
                                            const std::vector<figure>& columns);

// "time_s": {"mean": …, "sd": …, "half_width": …} for every figure there is, and how many runs did not complete.
[[nodiscard]] nlohmann::ordered_json figures_json(const figure_table& of);

}  // namespace filch::tool
