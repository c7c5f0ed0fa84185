#include "run_shape.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace filch::report {
namespace {

// Strands of one task that follow each other without a break are one stretch.
void add(std::vector<stretch>& to, const analysis::dag& graph, const analysis::strand& next) {
  if (next.length_ns() == 0) return;
  const std::uint64_t id = graph.tasks[next.task].id;
  if (!to.empty() && to.back().task == id && to.back().worker == next.worker && to.back().end_ns == next.begin_ns) {
    to.back().end_ns = next.end_ns;
  } else {
    to.push_back({id, next.worker, next.begin_ns, next.end_ns});
  }
}

}  // namespace

run_shape shape_of(const analysis::dag& graph, time_ns burden_ns) {
  run_shape out;
  out.begin_ns = graph.begin_ns;
  out.end_ns = graph.end_ns;
  out.tasks = graph.ended_tasks();
  out.work_ns = graph.work_ns();
  out.burdened_span_ns = graph.span_ns(burden_ns);
  const analysis::chain path = graph.critical_path();
  out.span_ns = path.length_ns;
  for (const std::uint32_t each : path.strands) add(out.critical_path, graph, graph.strands[each]);
  // The strands of one worker stand in the order of time.
  std::vector<std::vector<stretch>> by_worker(graph.workers);
  for (const analysis::strand& each : graph.strands) add(by_worker[each.worker], graph, each);
  for (const auto& list : by_worker) out.stretches.insert(out.stretches.end(), list.begin(), list.end());
  return out;
}

run_shape shape_of(const trace::recording& from, time_ns burden_ns) {
  return shape_of(analysis::dag::from(from), burden_ns);
}

}  // namespace filch::report
