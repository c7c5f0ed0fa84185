// The shape of a run for the charts: where its tasks ran, its work, its span and the critical path. The graph behind it
// is analysis::dag.
//
// The span is the longest chain of running time: no number of workers makes the run shorter. The chain itself is the
// critical path; where there is time between two of its stretches, it waited for a worker.
#pragma once

#include <cstdint>
#include <dag.hpp>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <vector>

namespace filch::report {

// The time in which a worker runs a task without a break.
struct stretch {
  std::uint64_t task = 0;
  std::uint32_t worker = 0;
  time_ns begin_ns = 0;
  time_ns end_ns = 0;

  friend bool operator==(const stretch&, const stretch&) = default;
};

struct run_shape {
  time_ns begin_ns = 0;  // the first spawn or start
  time_ns end_ns = 0;    // when the last task ended
  std::uint64_t tasks = 0;
  time_ns work_ns = 0;
  time_ns span_ns = 0;
  // The span when every step from a spawn to its child and from a child to its join takes `burden_ns` more.
  time_ns burdened_span_ns = 0;
  std::vector<stretch> stretches;      // all, by worker, in the order of time
  std::vector<stretch> critical_path;  // in the order of time; its lengths add up to the span

  [[nodiscard]] time_ns makespan_ns() const { return end_ns - begin_ns; }
};

[[nodiscard]] run_shape shape_of(const analysis::dag& graph, time_ns burden_ns = analysis::k_burden_ns);
[[nodiscard]] run_shape shape_of(const trace::recording& from, time_ns burden_ns = analysis::k_burden_ns);

}  // namespace filch::report
