// filch without arguments: a load that begins in the wrong place, carried out twice on this machine with different
// policies, then simulated with the same policies on more workers, and a page that shows it all.
#include <algorithm>
#include <filch/policy/options.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <filch/topology/usable_cpus.hpp>
#include <fstream>
#include <html_report.hpp>
#include <iostream>
#include <machine_file.hpp>

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

constexpr std::uint32_t k_simulated_workers[] = {1, 2, 4, 8, 16, 64};
constexpr const char* k_machine = "two-socket-64";
constexpr const char* k_page = "report.html";

// The same tasks and the same policy objects, on so many workers that there need not be.
time_ns simulated_ns(const candidate& which, std::uint32_t workers, trace::recording* record) {
  sim::task_list load;
  for (const planned_task& each : make_plan().roots) load.add(each.cpu_ns, sim::target::at(worker_id{0}));
  filch::options chosen;
  chosen.victims = which.victims;
  chosen.steal = which.steal;
  const sim::machine_model machine = scenario::make_machine(scenario::find_machine(k_machine), workers);
  return sim::simulate(machine, chosen.search(), load, {.seed = k_default_seed, .record = record}).makespan_ns;
}

report::speed_up_curve simulate_more(const candidate& which) {
  report::speed_up_curve curve;
  curve.name = which.name;
  for (const std::uint32_t workers : k_simulated_workers) {
    curve.points.push_back({workers, {.makespan_ns = simulated_ns(which, workers, nullptr)}});
  }
  return curve;
}

void show_simulated(const std::vector<report::speed_up_curve>& curves, time_ns work_ns) {
  std::vector<std::string> head{"speed-up by workers"};
  for (const std::uint32_t workers : k_simulated_workers) head.push_back(std::to_string(workers));
  text_table table{head};
  for (const report::speed_up_curve& each : curves) {
    std::vector<std::string> row{each.name};
    for (const report::speed_up_point& at : each.points) {
      row.push_back(fixed(static_cast<double>(work_ns) / static_cast<double>(at.time.makespan_ns), 2));
    }
    table.add(row);
  }
  std::cout << "---- the same on a machine you may not have ----\n\n"
            << "Simulated on \"" << k_machine << "\" with the same policy objects, in virtual time:\n\n"
            << table.text() << "\n";
}

// Measured above simulated, with as many workers.
void write_page(const executed_plan& measured, const candidate& which, std::vector<report::speed_up_curve> curves) {
  trace::recording simulated;
  (void)simulated_ns(which, measured.workers, &simulated);
  const plan what = make_plan();
  const auto longest = std::ranges::max_element(what.roots, {}, &planned_task::cpu_ns);
  report::speed_up_chart chart{.work_ns = what.work_ns(), .span_ns = longest->cpu_ns, .curves = std::move(curves)};
  chart.curves.push_back({.name = "measured", .points = {{measured.workers, {.makespan_ns = measured.wall_ns}}}});
  std::ofstream out{k_page, std::ios::binary};
  const auto failed = report::write_page({.title = std::string{"filch: "} + which.name,
                                          .runs = {{"measured", &measured.recording}, {"simulated", &simulated}},
                                          .speed_up = std::move(chart)},
                                         out);
  out.close();
  if (failed || !out) {
    std::cout << k_page << " could not be written" << (failed ? ": " + *failed : "") << ".\n\n";
  } else {
    std::cout << "Wrote " << k_page << ": open it in a browser to see the measured and the simulated run side by side.\n\n";
  }
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
  std::vector<report::speed_up_curve> curves;
  for (const candidate& each : candidates) curves.push_back(simulate_more(each));
  show_simulated(curves, make_plan().work_ns());
  write_page(runs.back(), candidates.back(), std::move(curves));
  std::cout << "What to try next:\n"
               "  filch sim exercise 1              how many workers are worth their while?\n"
               "  filch run fib                     a fork at every node, without a cut-off\n"
               "  filch bench fib --quick           what a fork costs here, beside serial code\n"
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
