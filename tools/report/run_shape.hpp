// The shape of a run, read from its recording: where its tasks ran, its work, its span and the critical path.
//
// The tasks of a recording form a graph. A task comes after the part of its parent that lies before its spawn, and what a
// task does after a join comes after the ends of its children. The span is the longest chain of running time in that
// graph: no number of workers makes the run shorter. The chain itself is the critical path; where there is time between
// two of its stretches, it waited for a worker.
//
// Which children a task joins: all that had ended when it recorded a `join`. In a recording without any `join` a task
// joins, whenever it is resumed, the children that have ended by then, and at its end all of them if all have ended.
// Other dependencies (futures, timers, channels) are not in a recording; a chain goes through them along the task itself.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <vector>

namespace filch::report {

// A worker runs a task for so long without a break.
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

// What a steal costs a task on the critical path, in place of 15 000 cycles of Cilkview (a guess: 3 GHz).
inline constexpr time_ns k_burden_ns = 5'000;

[[nodiscard]] run_shape shape_of(const trace::recording& from, time_ns burden_ns = k_burden_ns);

}  // namespace filch::report
