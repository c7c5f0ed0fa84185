// Runs as one self-contained HTML page: the files of viewer/, the recordings themselves (.filch files in base64), and
// the figures that are computed here: critical path, work, span, bounds. The page loads nothing from anywhere.
//
// A page shows one run, or two one above the other on one axis of time, for example the measured and the simulated one.
// Two runs share colours, zoom and pointer.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filch::report {

struct shown_run {
  std::string label;                       // "measured"; may be empty when there is only one run
  const trace::recording* what = nullptr;  // outlives the call
};

// The time of a run, with the range over its repetitions or seeds; both ends 0: not known.
struct timed {
  time_ns makespan_ns = 0;
  time_ns low_ns = 0;
  time_ns high_ns = 0;
};

struct speed_up_point {
  std::uint32_t workers = 1;
  timed time;
};
struct speed_up_curve {
  std::string name;  // "simulated"
  std::vector<speed_up_point> points;
};
// Speed-up is work over makespan. The bounds of work, span, Graham and of the burdened span are added by the page.
struct speed_up_chart {
  time_ns work_ns = 0;  // T1
  time_ns span_ns = 0;  // T∞
  std::optional<time_ns> burdened_span_ns = {};
  std::vector<speed_up_curve> curves;
};

struct granularity_point {
  time_ns grain_ns = 1;  // the length of a task
  timed time;
};
struct granularity_curve {
  std::string name;
  std::vector<granularity_point> points;
};

struct page {
  std::string title;                            // text, not markup; empty: "filch report"
  std::vector<shown_run> runs;                  // one or two
  std::optional<speed_up_chart> speed_up = {};  // none: the runs themselves, each as one point
  std::vector<granularity_curve> granularity = {};
  std::vector<std::string> notes = {};  // text, one paragraph each
};

// Writes the page. Empty: done; else why not: there are none or more than two runs, a recording breaks one of its own
// rules, a figure is inconsistent (and nothing was written), or the stream failed.
[[nodiscard]] std::optional<std::string> write_page(const page& what, std::ostream& out);

// A page of one run.
[[nodiscard]] std::optional<std::string> write_report(const trace::recording& from, std::ostream& out,
                                                      std::string_view title);

}  // namespace filch::report
