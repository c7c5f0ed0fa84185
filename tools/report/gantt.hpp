// A run as a Gantt chart of characters, for a terminal or a log.
//
//             0 s         1 s         2 s         3 s
//   worker 0  [T1========][T4====][T7============]        83 %
//   worker 1  [T2####][T5###########].[T8####]            78 %
//   path      000000000000001111111111111100000
//
// `=` is a task from the worker's own queue or from outside, `#` a stolen one; `.` a worker that looks for work, blank
// one that sleeps, `?` a gap in the recording. Where a column holds more than one task it shows what most of its time
// was; `-` when less than two thirds of it were spent running. The last row says on which worker the critical path is.
#pragma once

#include <cstdint>
#include <filch/trace/recording.hpp>
#include <string>

namespace filch::report {

struct gantt_options {
  std::uint32_t width = 100;        // columns of the whole chart; at least 40
  bool colour = false;              // ANSI escape sequences
  std::uint32_t most_workers = 64;  // rows; the others are left out, and the chart says so
};

// Ends with a new line.
[[nodiscard]] std::string render_gantt(const trace::recording& what, const gantt_options& options = {});

// For the terminal behind standard output: its width, and colours unless NO_COLOR is set, TERM is "dumb" or standard
// output is no terminal (then 100 columns).
[[nodiscard]] gantt_options gantt_options_of_terminal();

}  // namespace filch::report
