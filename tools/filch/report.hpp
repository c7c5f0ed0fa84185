// A run for people: the log and the statistics in the form of the work-stealing lessons, and what only a recording can
// show. Every function returns whole lines.
#pragma once

#include <cstddef>
#include <string>

#include "execute.hpp"
#include "view.hpp"

namespace filch::tool {

struct report_options {
  double time_scale = 1;  // times of the scenario are real times divided by it
};

// One line per worker along time: own tasks, stolen tasks, nothing.
[[nodiscard]] std::string timeline_text(const executed_plan& done, const run_view& view, const report_options& how);
// How many tasks each thief took from each victim; the largest pairs only when there are many workers.
[[nodiscard]] std::string matrix_text(const executed_plan& done, const run_view& view);
// "=== Statistics ===" and one line per worker.
[[nodiscard]] std::string statistics_text(const executed_plan& done);
// What the runtime counted, per worker.
[[nodiscard]] std::string worker_table_text(const executed_plan& done);
// Work, time, speed-up and efficiency, and what this machine allows.
[[nodiscard]] std::string outcome_text(const executed_plan& done, const report_options& how);
// Why the speed-up is low, if the reason is known: fewer CPUs than workers, or a busy machine.
[[nodiscard]] std::string cpu_note_text(const executed_plan& done);
// "[1.234] Worker 2: Stole T7 from Worker 0", times in seconds of the scenario.
[[nodiscard]] std::string log_text(const run_view& view, const report_options& how);
// "[1.234] …" of one line.
[[nodiscard]] std::string log_line_text(const log_line& line, const report_options& how);

}  // namespace filch::tool
