// What a prediction from a large recording costs: a million tasks are read, analysed and replayed with sixteen numbers
// of workers, on one thread. Prints CPU time and memory of each step.
#include <filch/sim/replay.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <filch/trace/binary.hpp>

#include <sys/resource.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace {

using namespace filch;

double cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double memory_mb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

// The time since the call before.
double lap(const char* what) {
  static double before_s = cpu_s();
  const double now_s = cpu_s();
  const double took_s = now_s - before_s;
  std::printf("%-40s %7.2f s, %6.0f MB at most so far\n", what, took_s, memory_mb());
  before_s = cpu_s();
  return took_s;
}

sim::machine_model machine_with(std::uint32_t workers) {
  sim::machine_model out = sim::machine_model::free(workers);
  out.costs.wake_ns = 4000;
  out.costs.notify_ns = 2500;
  out.costs.steal = {{.success_ns = 120, .empty_ns = 40, .lost_ns = 80}};
  return out;
}

}  // namespace

int main() {
  std::string file;
  std::uint64_t tasks_made = 0;
  {
    sim::fork_join_tree tree{{.depth = 19, .before_ns = 300, .after_ns = 200, .leaf_ns = 2000}};
    tasks_made = tree.tasks();
    trace::recording made;
    (void)sim::simulate(sim::machine_model::free(1), {}, tree, {.record = &made});
    std::ostringstream out;
    if (trace::write_binary(made, out)) return EXIT_FAILURE;
    file = std::move(out).str();
  }
  std::printf("%.1f million tasks, a file of %.0f MB\n", static_cast<double>(tasks_made) * 1e-6,
              static_cast<double>(file.size()) * 1e-6);
  (void)lap("made");
  double all_s = 0;
  sim::recorded_tasks tasks;
  {
    std::istringstream in{std::move(file)};
    const trace::read_result got = trace::read_binary(in);
    all_s += lap("read");
    tasks = sim::recorded_tasks::from(got.value);
    all_s += lap("understood");
  }
  const time_ns work_ns = tasks.work_ns();
  const time_ns span_ns = tasks.span_ns();
  all_s += lap("work and span");
  for (const std::uint32_t workers : {1u, 2u, 3u, 4u, 6u, 8u, 10u, 12u, 16u, 20u, 24u, 32u, 40u, 48u, 56u, 64u}) {
    sim::replay load{tasks};
    const sim::run_result result = sim::simulate(machine_with(workers), {}, load);
    if (!result.is_complete || result.makespan_ns < span_ns) return EXIT_FAILURE;
    char text[80];
    std::snprintf(text, sizeof text, "%2u workers: speed-up %.2f", workers,
                  static_cast<double>(work_ns) / static_cast<double>(result.makespan_ns));
    all_s += lap(text);
  }
  std::printf("%-40s %7.2f s; acts take %.0f bytes for each task\n", "all", all_s,
              static_cast<double>(tasks.acts.size() * sizeof(tasks.acts[0])) / static_cast<double>(tasks.size()));
  return EXIT_SUCCESS;
}
