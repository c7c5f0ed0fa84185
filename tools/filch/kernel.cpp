#include "kernel.hpp"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <filch/policy/options.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/topology/usable_cpus.hpp>
#include <filch/trace/session.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>

#include "errors.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

// If busy workers had a CPU for less than this part of their time, other programs used the CPUs.
constexpr double k_own_cpu_share = 0.9;

time_ns process_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<time_ns>(now.tv_sec) * k_ns_per_s + static_cast<time_ns>(now.tv_nsec);
}

void prepare(const kernel& what) {
  if (what.prepare) what.prepare();
}

std::uint64_t result_of(const kernel& what, std::uint64_t returned) { return what.result ? what.result() : returned; }

// Time inside tasks, of one worker: from each start or resumption to the next end or suspension.
time_ns busy_ns(const std::vector<trace::event>& events) {
  time_ns sum = 0;
  constexpr time_ns k_outside_ns = -1;
  time_ns since_ns = k_outside_ns;
  for (const trace::event& each : events) {
    switch (each.kind) {
      case trace::event_kind::start:
      case trace::event_kind::resume:
        if (since_ns == k_outside_ns) since_ns = each.time_ns;
        break;
      case trace::event_kind::end:
      case trace::event_kind::suspend:
        if (since_ns != k_outside_ns) sum += each.time_ns - since_ns;
        since_ns = k_outside_ns;
        break;
      default:
        break;
    }
  }
  return sum;
}

struct serial_run {
  std::uint64_t result = 0;
  time_ns cpu_ns = 0;
};

serial_run run_serial(const kernel& what) {
  prepare(what);
  const time_ns began_ns = process_cpu_ns();
  const std::uint64_t returned = what.serial();
  const time_ns cpu_ns = process_cpu_ns() - began_ns;
  return {result_of(what, returned), std::max<time_ns>(cpu_ns, 1)};
}

struct parallel_run {
  executed_plan done;
  std::uint64_t result = 0;
  time_ns cpu_ns = 0;  // of all threads
};

parallel_run run_parallel(context& in, std::string_view name, const kernel& what) {
  filch::options chosen = in.runtime;
  const std::uint32_t workers = worker_count(chosen);
  trace::session session{{.workers = workers,
                          .ring_events = ring_events(workers),
                          .about = {.seed = chosen.seed,
                                    .source = "threads",
                                    .policy = policy::describe(chosen.search()),
                                    .version = FILCH_VERSION,
                                    .extra = {{"workload", std::string{name}},
                                              {"time_scale", std::to_string(1.0)},
                                              {"processors", std::to_string(topology::usable_cpus().count)}}},
                          .thread_usage = true}};
  // With FILCH_TRACE the runtime records itself.
  if (std::getenv("FILCH_TRACE") == nullptr) chosen.trace = &session;
  parallel_run run;
  prepare(what);
  {
    runtime rt{chosen};
    run.done.workers = rt.workers();
    session.start();
    const time_ns cpu_ns = process_cpu_ns();
    const time_ns began_ns = monotonic_now_ns();
    const std::uint64_t returned = rt.submit([&what] { return what.parallel(); }, {.name = name.data()}).get();
    run.done.wall_ns = std::max<time_ns>(monotonic_now_ns() - began_ns, 1);
    run.cpu_ns = process_cpu_ns() - cpu_ns;
    rt.wait_idle();
    session.stop();
    run.done.statistics = rt.statistics();
    run.result = result_of(what, returned);
  }
  run.done.recording = session.collect();
  for (const worker_statistics& each : run.done.statistics.workers) {
    run.done.executed.push_back(each.counts[trace::count::executed]);
    run.done.tasks += each.counts[trace::count::executed];
  }
  for (const auto& events : run.done.recording.workers) run.done.busy_ns.push_back(busy_ns(events));
  run.done.busy_ns.resize(run.done.workers);
  return run;
}

void check(std::string_view name, const kernel& what, const serial_run& serial, const parallel_run& parallel) {
  const auto expect = [&](std::uint64_t is, std::uint64_t should, const char* whose, const char* against) {
    if (is == should) return;
    throw failure(std::string{name} + ": " + what.title + " gives " + std::to_string(is) + " " + whose +
                  " instead of " + std::to_string(should) + against);
  };
  if (what.known) expect(serial.result, *what.known, "by the serial code", ", which was published");
  expect(parallel.result, serial.result, "on the runtime", ", as the serial code says");
  const trace::count_values total = parallel.done.statistics.total();
  if (total[trace::count::stolen_by_me] != total[trace::count::stolen_from_me] ||
      parallel.done.statistics.unfinished() != 0) {
    throw failure(std::string{name} + ": the runtime's counts do not add up:\n" + to_string(parallel.done.statistics));
  }
}

std::string outcome_of(const kernel& what, const parallel_run& run) {
  const executed_plan& done = run.done;
  const double wall_s = static_cast<double>(done.wall_ns) * 1e-9;
  std::string out = what.title + " = " + std::to_string(run.result) + ", as the serial code says" +
                    (what.known ? " and as published" : "") + ".\nThe serial code took " +
                    duration_text(static_cast<double>(done.work_ns) * 1e-9) + ", the workers " + duration_text(wall_s) +
                    " (" + duration_text(static_cast<double>(run.cpu_ns) * 1e-9) + " of CPU time): speed-up " +
                    fixed(done.speedup(), 2) + ", efficiency " + fixed(100 * done.efficiency(), 1) + " %.\n";
  out += "Stacks: "s + std::to_string(done.statistics.stacks) + " made, at most " +
         std::to_string(done.statistics.suspended_stacks_max) + " suspended at once by joins that waited.\n";
  const auto cpus = static_cast<std::uint64_t>(topology::usable_cpus().cpus.size());
  if (cpus < done.workers) {
    out += "This process may use "s + count_text(cpus, "CPU") + " for its " + count_text(done.workers, "worker") +
           ", so the speed-up cannot exceed " + std::to_string(cpus) + ".\n";
  }
  const time_ns busy_ns = std::accumulate(done.busy_ns.begin(), done.busy_ns.end(), time_ns{0});
  const double share = static_cast<double>(run.cpu_ns) / static_cast<double>(std::max<time_ns>(busy_ns, 1));
  if (share < k_own_cpu_share * std::min(1.0, static_cast<double>(cpus) / done.workers)) {
    out += "Something else uses these CPUs too: while a worker was busy, it had one for only "s +
           fixed(100 * share, 0) + " % of the time.\n";
  }
  return out;
}

}  // namespace

void use_all_cpus(filch::options& of) { of.workers = topology::usable_cpus().count; }

std::vector<measurement> run_kernel(context& in, std::string_view name, const kernel& what) {
  in.time_scale = 1;  // a kernel is not scaled
  const serial_run serial = run_serial(what);
  parallel_run parallel = run_parallel(in, name, what);
  parallel.done.work_ns = serial.cpu_ns;
  check(name, what, serial, parallel);
  report_executed(in, parallel.done, outcome_of(what, parallel), in.json);
  in.json["kernel"] = {{"title", what.title},
                       {"result", parallel.result},
                       {"serial_cpu_s", static_cast<double>(serial.cpu_ns) * 1e-9},
                       {"cpu_s", static_cast<double>(parallel.cpu_ns) * 1e-9}};
  return {measure(std::string{name}, parallel.done)};
}

}  // namespace filch::tool
