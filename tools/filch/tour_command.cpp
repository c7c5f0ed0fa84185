// filch without arguments: records a parallel program with a fault on this machine, analyzes and predicts it, and
// writes a page that shows both.
#include <algorithm>
#include <filch/algo/sort.hpp>
#include <filch/fork/scope.hpp>
#include <filch/runtime/label.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sim/replay.hpp>
#include <filch/topology/usable_cpus.hpp>
#include <filch/trace/binary.hpp>
#include <filch/trace/session.hpp>
#include <findings.hpp>
#include <html_report.hpp>
#include <iostream>
#include <output_file.hpp>
#include <machine_file.hpp>
#include <simulated_again.hpp>
#include <words.hpp>

#include "commands.hpp"
#include "errors.hpp"
#include "predict/forecast.hpp"
#include "report.hpp"
#include "run_settings.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

using analysis::percent_text;
using analysis::time_text;

constexpr std::size_t k_numbers = 2'000'000;
// Loading takes about a fourth of all work: what a reader of a file might take.
constexpr int k_rounds_per_number = 24;
constexpr std::uint32_t k_most_workers = 8;
constexpr std::uint32_t k_predicted_workers[] = {1, 2, 4, 8, 16, 64};
constexpr std::uint32_t k_seeds = 3;
constexpr const char* k_machine = "two-socket-64";
constexpr const char* k_page = "report.html";
constexpr const char* k_recording = "tour.filch";

// The planted fault: each number is computed from the one before.
void load(std::vector<std::uint64_t>& numbers) {
  std::uint64_t last = k_default_seed;
  for (std::uint64_t& each : numbers) {
    for (int i = 0; i != k_rounds_per_number; ++i) last = (last ^ (last >> 29)) * 0x9e3779b97f4a7c15u + 1;
    each = last;
  }
}

struct toured {
  std::uint32_t workers = 0;
  statistics counted = {};
  trace::recording recording = {};
};

toured run_program(std::uint32_t workers) {
  trace::session session{{.workers = workers,
                          .ring_events = std::size_t{1} << 17,
                          .about = {.source = "threads",
                                    .version = FILCH_VERSION,
                                    .extra = {{"processors", std::to_string(topology::usable_cpus().count)}}},
                          .forks = trace::fork_detail::beat,
                          .thread_usage = true}};
  std::vector<std::uint64_t> numbers(k_numbers);
  toured out{.workers = workers};
  {
    filch::options chosen;
    chosen.workers = workers;
    chosen.seed = k_default_seed;
    chosen.trace = &session;
    runtime rt{chosen};
    session.start();
    rt.submit(
          [&numbers] {
            scope([&](auto& phase) { phase.spawn(named("load", [&numbers] { load(numbers); })); });
            scope([&](auto& phase) { phase.spawn(named("sort", [&numbers] { filch::sort(numbers); })); });
          },
          {.name = "program"})
        .get();
    rt.wait_idle();
    session.stop();
    out.counted = rt.statistics();
  }
  out.recording = session.collect();
  if (!std::ranges::is_sorted(numbers)) throw failure("the tour's numbers are not sorted");
  return out;
}

void show_run(const toured& done, const analysis::findings& found) {
  const double speed_up = analysis::findings::ratio(found.work_ns, found.makespan_ns);
  executed_plan as_executed;
  as_executed.workers = done.workers;
  std::cout << "---- the program ----\n\n"
            << count_text(k_numbers, "number") << " are loaded, one after the other, and then sorted in parallel, on "
            << count_text(done.workers, "worker") << ".\nIt took " << time_text(found.makespan_ns) << " for "
            << time_text(found.work_ns) << " of work: " << fixed(speed_up, 2) << " times as fast as one worker.\n\n"
            << to_string(done.counted) << "\n"
            << matrix_text(as_executed, view_of(done.recording)) << "\n";
}

void show_limits(const analysis::findings& found) {
  std::cout << "---- what limits it ----\n\n"
            << "The longest chain of work takes " << time_text(found.span_ns) << ": no machine is faster than "
            << analysis::number_text(found.parallelism()) << " times one worker.\n";
  for (const analysis::verdict& each : found.verdicts) {
    std::cout << "  " << each.id << ": " << each.text << "\n";
    if (!each.advice.empty()) std::cout << "    " << each.advice << "\n";
  }
  for (const analysis::omission& each : found.not_looked_at) std::cout << "  not looked at: " << each.text << "\n";
  std::cout << "\n";
}

forecast show_forecast(const toured& done, const sim::recorded_tasks& tasks) {
  forecast_options how{.workers = {std::begin(k_predicted_workers), std::end(k_predicted_workers)},
                       .machine = scenario::find_machine(k_machine),
                       .policy = filch::options{}.search()};
  how.seeds = k_seeds;
  how.between_tasks_ns = look_at(done.recording).between_tasks_ns;
  forecast all = forecast_of(tasks, how);
  text_table table{{"workers", "time", "speed-up", "at best", "limited by"}};
  table.end_with_text();
  for (const forecast_point& at : all.points) {
    const double work = static_cast<double>(all.work_ns);
    table.add({std::to_string(at.workers), time_text(static_cast<time_ns>(at.mean_ns)), fixed(work / at.mean_ns, 2),
               fixed(work / static_cast<double>(std::max<time_ns>(at.least_ns, 1)), 2), name_of(at.limited_by)});
  }
  std::cout << "---- the same on a larger machine ----\n\n"
            << "The recorded tasks on \"" << k_machine << "\", simulated in virtual time with the same policies:\n\n"
            << table.text() << "\n"
            << limit_text(all, all.points.back());
  const auto ranked = rank_names(tasks, how, 64, 3);
  if (!ranked.empty()) {
    const virtual_speed_up& first = ranked.front();
    std::cout << "What would help most there: tasks named \"" << first.name
              << "\". If they took half as long, the run would take " << time_text(static_cast<time_ns>(first.half_ns))
              << " instead of " << time_text(static_cast<time_ns>(all.points.back().mean_ns)) << ".\n";
  }
  std::cout << "\n";
  return all;
}

report::page page_of(const toured& done, const std::optional<trace::recording>& again, const analysis::findings& found,
                     const forecast& all) {
  report::page out{.title = "filch: the tour", .runs = {{"measured", &done.recording}}};
  if (again) out.runs.push_back({"simulated, only the work takes time", &*again});
  report::speed_up_curve predicted;
  predicted.name = "predicted";
  for (const forecast_point& at : all.points) {
    predicted.points.push_back({at.workers,
                                {.makespan_ns = static_cast<time_ns>(at.mean_ns),
                                 .low_ns = static_cast<time_ns>(at.low_ns),
                                 .high_ns = static_cast<time_ns>(at.high_ns)}});
  }
  out.speed_up = {.work_ns = all.work_ns,
                  .span_ns = all.span_ns,
                  .burdened_span_ns = all.burdened_span_ns,
                  .curves = {std::move(predicted),
                             {.name = "measured", .points = {{done.workers, {.makespan_ns = found.makespan_ns}}}}}};
  for (const analysis::verdict& each : found.verdicts)
    out.notes.push_back(each.id + ": " + each.text + " " + each.advice);
  for (const analysis::omission& each : found.not_looked_at) out.notes.push_back("Not looked at: " + each.text);
  if (!again) out.notes.emplace_back(analysis::k_not_simulated_again);
  return out;
}

// Reports a failure and continues: a directory that cannot be written does not end the tour.
template <class Write>
void write_here(const char* file, const char* meaning, const Write& write) {
  try {
    output_file out{file};
    out.finish(write(out.stream()));
    std::cout << "Wrote " << file << ": " << meaning << ".\n";
  } catch (const output_refused& problem) {
    std::cout << problem.what() << ".\n";
  }
}

}  // namespace

void tour_command() {
  const topology::usable_cpus_result usable = topology::usable_cpus();
  const std::uint32_t workers = std::clamp<std::uint32_t>(usable.count, 2, k_most_workers);
  std::cout << "filch " FILCH_VERSION ": a work-stealing runtime for C++20.\n\n"
            << "This process may use " << count_text(usable.cpus.size(), "CPU") << " (" << usable.why() << ").\n\n";
  const toured done = run_program(workers);
  const analysis::findings found = analysis::findings_of(analysis::dag::from(done.recording), done.recording);
  show_run(done, found);
  show_limits(found);
  const forecast all = show_forecast(done, sim::recorded_tasks::from(done.recording));
  const std::optional<trace::recording> again = analysis::simulated_again(done.recording);
  write_here(k_page, "the measured and the simulated run side by side, for any browser",
             [&](std::ostream& out) { return report::write_page(page_of(done, again, found, all), out); });
  write_here(k_recording, "the recording, for the commands below",
             [&](std::ostream& out) { return trace::write_binary(done.recording, out); });
  std::cout
      << "\nWhat to try next:\n"
         "  filch analyze tour.filch          the full analysis of the recording\n"
         "  filch predict tour.filch --workers 1..64  the run with more workers, and which change would help most\n"
         "  FILCH_TRACE=run.filch ./program   a recording of your own program that uses filch\n"
         "  filch run fib                     a fork at every node, without a cut-off\n"
         "  filch bench fib --quick           the cost of a fork here, compared with serial code\n"
         "  filch sim exercise 1              how many workers help?\n"
         "  filch run adaptive --log          a lesson's unbalanced load, event by event\n"
         "  filch run granularity             how large should a task be?\n"
         "  filch policies                    all policies that can be chosen\n"
         "  filch topology                    this machine as filch sees it\n"
         "  filch --help                      all commands with examples\n";
}

}  // namespace filch::tool
