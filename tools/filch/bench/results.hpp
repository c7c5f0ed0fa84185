// The results as a table, as JSON, as a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <plot/chart.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "conditions.hpp"
#include "rounds.hpp"

namespace filch::tool {

// The data of a table. The rows point to the programs.
struct bench_results {
  bench_plan plan{};
  found_programs found{};
  std::vector<bench_row> rows{};
  std::uint32_t rounds_done = 0;
  std::string ended_in{};  // what ran when a signal ended the measurements; empty: all is done
  bench_conditions when{};
};

// Where a peer has a ratio lower by more than one per cent than filch by the same compiler, or by the first one for
// other languages.
struct not_ahead {
  const bench_row* own;
  const bench_row* peer;
};
[[nodiscard]] std::vector<not_ahead> where_not_ahead(const std::vector<bench_row>& rows);

// Rows that failed and programs that could not be queried.
[[nodiscard]] std::size_t failures(const bench_results& all);

[[nodiscard]] std::string results_text(const bench_results& all);
[[nodiscard]] nlohmann::ordered_json results_json(const bench_results& all);
// What a file says in its context that it is of.
inline constexpr std::string_view k_workloads_file = "workloads";
inline constexpr std::string_view k_async_file = "async";
// What results_json or async_json was made of. Throws nlohmann::json::exception or failure for anything else, and
// bad_usage for a measurement that is not known, or a file of the other one.
[[nodiscard]] bench_results saved_results(const nlohmann::ordered_json& saved, bool is_async);
// Bars of the ratios, a chart for each number of threads, one below the other. A row without values has no bar;
// `left_out` gets its name, and why.
[[nodiscard]] std::string results_svg(const bench_results& all, std::vector<std::string>& left_out);

// The first lines: when, where, and what was compared.
[[nodiscard]] std::string conditions_text(const bench_results& all);
// The same for a picture: one line of when and where, then one for each compiler and its flags.
[[nodiscard]] std::vector<std::string> notes_of(const bench_results& all);
[[nodiscard]] nlohmann::ordered_json context_json(const bench_results& all);
// The last lines: what failed, and how. Empty: nothing did.
[[nodiscard]] std::string failures_text(const bench_results& all);
// The text of a row without values; empty: it has some.
[[nodiscard]] std::string_view instead_of_values(const bench_row& row);
// What begins every row of a file.
[[nodiscard]] nlohmann::ordered_json row_head_json(const bench_row& row);
// "1 / 2 threads"
[[nodiscard]] std::string threads_text(const bench_plan& plan);
// Where the picture has no bar for a row, for `left_out`: "fib, 2 threads: rayon failed".
[[nodiscard]] std::string no_bar_text(const bench_row& row);
// As many charts as numbers of threads, without categories and series.
[[nodiscard]] std::vector<plot::bar_chart> empty_charts(const bench_results& all, const std::string& what,
                                                        const std::string& unit);
// Those that have a bar, one below the other, with notes below the last.
[[nodiscard]] std::string picture_of(std::vector<plot::bar_chart> charts, const bench_results& all);
// "1.07", "12.3", "123".
[[nodiscard]] std::string ratio_text(double ratio);

// ---- asynchronous shapes --------------------------------------------------------------------------------------------

[[nodiscard]] std::string async_text(const bench_results& all);
[[nodiscard]] nlohmann::ordered_json async_json(const bench_results& all);
// Bars of the times, likewise; what is no time is not in it either.
[[nodiscard]] std::string async_svg(const bench_results& all, std::vector<std::string>& left_out);

}  // namespace filch::tool
