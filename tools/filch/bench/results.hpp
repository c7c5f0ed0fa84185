// What was measured: as a table, as JSON, as a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "rounds.hpp"

namespace filch::tool {

// Under which conditions.
struct bench_conditions {
  std::string date;
  std::string cpu;
  std::size_t cpus = 0;
  std::string kernel;
  double load_before = 0;  // the system's load average of the last minute
  double load_after = 0;
  double foreign_cpus = 0;  // CPUs that other processes used meanwhile
};

// Where a peer has a ratio lower by more than one per cent than filch by the same compiler, or by the first one for other languages.
struct not_ahead {
  const bench_row* own;
  const bench_row* peer;
};
[[nodiscard]] std::vector<not_ahead> where_not_ahead(const std::vector<bench_row>& rows);

[[nodiscard]] std::string results_text(const std::vector<bench_program>& programs, const std::vector<bench_row>& rows,
                                       const bench_plan& plan, const bench_conditions& when);
[[nodiscard]] nlohmann::ordered_json results_json(const std::vector<bench_program>& programs,
                                                  const std::vector<bench_row>& rows, const bench_plan& plan,
                                                  const bench_conditions& when);
// Bars of the ratios with the most threads. Runtimes that have less than half of the measurements are not in it, nor
// are measurements that one of the others lacks; `left_out` gets their names.
[[nodiscard]] std::string results_svg(const std::vector<bench_row>& rows, const bench_plan& plan,
                                      std::vector<std::string>& left_out);

// The first lines: when, where, and what was compared.
[[nodiscard]] std::string conditions_text(const std::vector<bench_program>& programs, const bench_plan& plan,
                                          const bench_conditions& when);
[[nodiscard]] nlohmann::ordered_json context_json(const std::vector<bench_program>& programs, const bench_plan& plan,
                                                  const bench_conditions& when);
// "1 / 2 threads"
[[nodiscard]] std::string threads_text(const bench_plan& plan);
// "1.07", "12.3", "123".
[[nodiscard]] std::string ratio_text(double ratio);

// ---- asynchronous shapes --------------------------------------------------------------------------------------------

[[nodiscard]] std::string async_text(const std::vector<bench_program>& programs, const std::vector<bench_row>& rows,
                                     const bench_plan& plan, const bench_conditions& when);
[[nodiscard]] nlohmann::ordered_json async_json(const std::vector<bench_program>& programs,
                                                const std::vector<bench_row>& rows, const bench_plan& plan,
                                                const bench_conditions& when);
// Bars of the times with the most threads; `left_out` gets the names of what is no time.
[[nodiscard]] std::string async_svg(const std::vector<bench_row>& rows, const bench_plan& plan,
                                    std::vector<std::string>& left_out);

}  // namespace filch::tool
