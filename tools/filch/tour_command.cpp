// filch without arguments: a load that begins in the wrong place, carried out twice on this machine with different
// policies, and what to look at next.
#include <algorithm>
#include <filch/policy/options.hpp>
#include <filch/topology/usable_cpus.hpp>
#include <iostream>

#include "commands.hpp"
#include "report.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_tasks = 24;
constexpr double k_time_scale = 0.02;
// Fewer than four hardly have a choice of victims; more than eight fill the screen.
constexpr std::uint32_t k_least_workers = 4;
constexpr std::uint32_t k_most_workers = 8;

plan make_plan() {
  plan made;
  random_stream random{k_default_seed};
  for (std::uint32_t i = 0; i != k_tasks; ++i) {
    made.roots.push_back({.name = numbered("T", i + 1),
                          .cpu_ns = scaled_ns(random.uniform(0.5, 3.0), k_time_scale),
                          .home = worker_id{0}});
  }
  return made;
}

struct candidate {
  const char* name;
  filch::victims victims;
  policy::steal steal;
};

executed_plan show(const candidate& which, std::uint32_t workers) {
  filch::options chosen;
  chosen.workers = workers;
  chosen.victims = which.victims;
  chosen.steal = which.steal;
  chosen.seed = k_default_seed;
  plan what = make_plan();
  executed_plan done = execute(what, {.runtime = chosen, .workload = "tour", .time_scale = k_time_scale});
  const run_view view = view_of(done.recording);
  const report_options how{.time_scale = k_time_scale};
  std::cout << "---- " << which.name << " ----\n\n"
            << timeline_text(done, view, how) << "\n"
            << matrix_text(done, view) << "\n"
            << statistics_text(done) << "\n";
  return done;
}

void compare(const std::vector<candidate>& candidates, const std::vector<executed_plan>& runs) {
  text_table table{{"policy", "time", "speed-up", "steals", "tasks stolen", "looks in vain"}};
  for (std::size_t i = 0; i != runs.size(); ++i) {
    const executed_plan& done = runs[i];
    const trace::count_values total = done.statistics.total();
    const std::uint64_t steals = total[trace::count::steal_attempts] - total[trace::count::steal_failures];
    table.add({candidates[i].name, duration_text(static_cast<double>(done.wall_ns) * 1e-9), fixed(done.speedup(), 2),
               std::to_string(steals), std::to_string(done.stolen()),
               std::to_string(total[trace::count::steal_failures])});
  }
  std::cout << "---- side by side ----\n\n" << table.text() << cpu_note_text(runs.front()) << "\n";
}

}  // namespace

void tour_command() {
  const topology::usable_cpus_result usable = topology::usable_cpus();
  const std::uint32_t workers = std::clamp<std::uint32_t>(usable.count, k_least_workers, k_most_workers);
  const double work_s = static_cast<double>(make_plan().work_ns()) / static_cast<double>(k_ns_per_s);
  std::cout << "filch " FILCH_VERSION ": a work-stealing runtime for C++20.\n\n"
            << "This process may use " << count_text(usable.cpus.size(), "CPU") << " (" << usable.why() << ").\n"
            << k_tasks << " tasks of 0.5 to 3 s (" << fixed(1000 * k_time_scale, 0)
            << " ms here for each second) lie in "
            << "the queue of worker 0;\nthe other " << workers - 1 << " workers can only steal. "
            << "Worker 0 alone would need " << duration_text(work_s) << ".\n\n";
  const std::vector<candidate> candidates{{"random victim, one task at a time", victims::random, steal::one},
                                          {"longest queue first, half of it at a time", victims::largest, steal::half}};
  std::vector<executed_plan> runs;
  for (const candidate& each : candidates) runs.push_back(show(each, workers));
  compare(candidates, runs);
  std::cout << "What to try next:\n"
               "  filch run adaptive --log          a lesson's unbalanced load, event by event\n"
               "  filch run granularity             how large should a task be?\n"
               "  filch run counter                 what does a task cost, with and without locks?\n"
               "  filch run demo --report run.html  a page that shows the run, for any browser\n"
               "  filch run demo --trace demo.json  a recording for any viewer of Chrome traces\n"
               "  filch policies                    everything that can be chosen\n"
               "  filch topology                    this machine as filch sees it\n"
               "  filch --help                      all commands with examples\n";
}

}  // namespace filch::tool
