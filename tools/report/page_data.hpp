// The figures of a page as JSON, for the viewer.
//
//   { "notes": ["…"],                    doubts of the runs' spans first: each begins with "Warning: "
//     "runs": [{ "label": "…", "work_ns": 1, "span_ns": 1, "burdened_span_ns": 1, "makespan_ns": 1,
//                "path": [worker, begin, end, worker, begin, end, …] }],        times as the recording has them
//     "speed_up": { "work_ns": 1, "span_ns": 1, "burdened_span_ns": 1 or null,
//                   "curves": [{ "name": "…", "points": [[workers, makespan, low, high], …] }],
//                   "bounds": [[workers, least, Graham, burdened or null], …] } or null,
//     "granularity": [{ "name": "…", "points": [[grain, makespan, low, high], …] }] }
#pragma once

#include <string>

#include "html_report.hpp"

namespace filch::report {

// The problem of the figures of a page; empty when there is none.
[[nodiscard]] std::string problem_of(const page& what);

// Only for a page without a problem. No character in it ends a script element.
[[nodiscard]] std::string page_data(const page& what);

}  // namespace filch::report
