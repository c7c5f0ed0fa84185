#include "report.hpp"

#include <algorithm>
#include <array>
#include <filch/topology/usable_cpus.hpp>
#include <numeric>
#include <tuple>

#include "text.hpp"

namespace filch::tool {
namespace {

using trace::count;

constexpr std::size_t k_timeline_columns = 60;
constexpr std::uint32_t k_matrix_workers = 16;
constexpr std::uint32_t k_shown_workers = 64;
constexpr std::size_t k_matrix_pairs = 10;
// If the workers had a CPU for less than this part of their tasks' time, other programs used the CPUs.
constexpr double k_own_cpu_share = 0.9;

double seconds(time_ns span) { return static_cast<double>(span) / static_cast<double>(k_ns_per_s); }

// What one worker did for most of the time of each column.
std::string timeline_bar(const run_view& view, worker_id worker, time_ns end_ns) {
  struct shares {
    double own = 0;
    double stolen = 0;
  };
  std::array<shares, k_timeline_columns> columns{};
  const double width_ns = static_cast<double>(std::max<time_ns>(end_ns, 1)) / static_cast<double>(k_timeline_columns);
  for (const seen_task& task : view.tasks) {
    if (task.is_loader || task.ran_on != worker || task.end_ns == 0) continue;
    for (std::size_t i = 0; i != k_timeline_columns; ++i) {
      const double from_ns = std::max(static_cast<double>(task.start_ns), static_cast<double>(i) * width_ns);
      const double to_ns = std::min(static_cast<double>(task.end_ns), static_cast<double>(i + 1) * width_ns);
      if (to_ns <= from_ns) continue;
      (task.was_moved() ? columns[i].stolen : columns[i].own) += (to_ns - from_ns) / width_ns;
    }
  }
  std::string bar;
  for (const shares& each : columns) {
    if (each.own + each.stolen < 0.5) bar += "·";
    else bar += each.own >= each.stolen ? "█" : "▒";
  }
  return bar;
}

std::string gap_note(const run_view& view) {
  if (view.dropped == 0) return "";
  return "  The recording has lost "s + count_text(view.dropped, "event") + ": this output is incomplete.\n";
}

std::string rest_note(std::uint32_t workers) {
  if (workers <= k_shown_workers) return "";
  return "  … and "s + count_text(workers - k_shown_workers, "worker") + " more; --json shows all.\n";
}

std::string pairs_text(const run_view& view) {
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [pair, tasks] : view.stolen.pairs()) pairs.emplace_back(tasks, pair.first, pair.second);
  std::ranges::sort(pairs, std::greater{});
  text_table table{{"thief", "victim", "tasks"}};
  for (std::size_t i = 0; i != std::min(pairs.size(), k_matrix_pairs); ++i) {
    const auto& [tasks, thief, victim] = pairs[i];
    table.add({std::to_string(thief), std::to_string(victim), std::to_string(tasks)});
  }
  return "The most steals by thief and victim ("s + count_text(pairs.size(), "pair") + ")\n" + table.text();
}

}  // namespace

std::string timeline_text(const executed_plan& done, const run_view& view, const report_options& how) {
  time_ns end_ns = 0;
  for (const seen_task& task : view.tasks) end_ns = std::max(end_ns, task.end_ns);
  const double end_s = seconds(end_ns) / how.time_scale;
  std::string out = "Who did what, from 0 to "s + (end_s >= 1 ? fixed(end_s, 2) + " s" : duration_text(end_s)) + "\n";
  for (std::uint32_t w = 0; w != std::min(done.workers, k_shown_workers); ++w) {
    const double busy = static_cast<double>(done.busy_ns[w]) / static_cast<double>(std::max<time_ns>(done.wall_ns, 1));
    out += "  worker "s + padded_right(std::to_string(w), 3) + timeline_bar(view, worker_id{w}, end_ns) + " " +
           padded_left(fixed(100 * busy, 0), 3) + " % busy\n";
  }
  return out + rest_note(done.workers) + "             █ a task of its own   ▒ a stolen task   · no task\n" +
         gap_note(view);
}

std::string matrix_text(const executed_plan& done, const run_view& view) {
  if (view.stolen_sum() == 0) return "No worker stole a task.\n"s + gap_note(view);
  if (done.workers > k_matrix_workers) return pairs_text(view) + gap_note(view);
  std::vector<std::string> head{"thief"};
  for (std::uint32_t victim = 0; victim != done.workers; ++victim) head.push_back("from "s + std::to_string(victim));
  head.emplace_back("all");
  text_table table{std::move(head)};
  std::vector<std::uint64_t> lost(done.workers);
  for (std::uint32_t thief = 0; thief != done.workers; ++thief) {
    std::vector<std::string> row{"worker "s + std::to_string(thief)};
    std::uint64_t sum = 0;
    for (std::uint32_t victim = 0; victim != done.workers; ++victim) {
      const std::uint64_t tasks = view.stolen.between(thief, victim);
      row.push_back(thief == victim ? "" : tasks == 0 ? "·" : std::to_string(tasks));
      sum += tasks;
      lost[victim] += tasks;
    }
    row.push_back(std::to_string(sum));
    table.add(std::move(row));
  }
  std::vector<std::string> last{"all"};
  for (const std::uint64_t each : lost) last.push_back(std::to_string(each));
  last.push_back(std::to_string(view.stolen_sum()));
  table.add(std::move(last));
  const auto moved = static_cast<std::uint64_t>(std::ranges::count_if(view.tasks, &seen_task::was_moved));
  const char* const again = view.stolen_sum() > moved ? "; a task that is stolen twice counts twice\n" : "\n";
  return "Who stole from whom, in tasks"s + again + table.text() + gap_note(view);
}

std::string statistics_text(const executed_plan& done) {
  std::string out = "=== Statistics ===\n";
  out += "Total tasks executed: "s + std::to_string(done.tasks) + "\n";
  out += "Total tasks stolen: "s + std::to_string(done.stolen()) + "\n";
  out += "Steal rate: "s + fixed(100 * done.steal_rate(), 1) + "%\n";
  for (std::uint32_t w = 0; w != std::min(done.workers, k_shown_workers); ++w) {
    const worker_statistics& each = done.statistics.workers[w];
    out += "Worker "s + std::to_string(w) + ": executed=" + std::to_string(done.executed[w]) +
           ", stolen=" + std::to_string(each.counts[count::stolen_by_me]) +
           ", queue=" + std::to_string(each.queue_length) + "\n";
  }
  return out + rest_note(done.workers);
}

std::string worker_table_text(const executed_plan& done) {
  text_table table{
      {"worker", "executed", "stole", "robbed", "looks", "in vain", "parks", "busy", "searching", "asleep"}};
  const auto time_text = [](std::uint64_t ns) { return duration_text(static_cast<double>(ns) * 1e-9); };
  const auto add = [&](std::string name, std::uint64_t executed, time_ns busy_ns, const trace::count_values& counts) {
    table.add({std::move(name), std::to_string(executed), std::to_string(counts[count::stolen_by_me]),
               std::to_string(counts[count::stolen_from_me]), std::to_string(counts[count::steal_attempts]),
               std::to_string(counts[count::steal_failures]), std::to_string(counts[count::parks]),
               time_text(static_cast<std::uint64_t>(busy_ns)), time_text(counts[count::search_ns]),
               time_text(counts[count::idle_ns])});
  };
  time_ns busy_ns = 0;
  for (std::uint32_t w = 0; w != done.workers; ++w) {
    if (w < k_shown_workers)
      add(std::to_string(w), done.executed[w], done.busy_ns[w], done.statistics.workers[w].counts);
    busy_ns += done.busy_ns[w];
  }
  add("all", done.tasks, busy_ns, done.statistics.total());
  std::string out = "What the workers did, in "s + (done.is_simulated ? "simulated" : "real") + " time\n" +
                    table.text() + rest_note(done.workers);
  if (done.loaders != 0) {
    out += "  "s + count_text(done.loaders, "task") + " that filled the queues " + (done.loaders == 1 ? "is" : "are") +
           " not counted.\n";
  }
  return out;
}

std::string cpu_note_text(const executed_plan& done) {
  const auto cpus = static_cast<std::uint64_t>(topology::usable_cpus().cpus.size());
  std::string out;
  if (cpus < done.workers) {
    out += "This process may use "s + count_text(cpus, "CPU") + " for its " + count_text(done.workers, "worker") +
           ", so the speed-up cannot exceed " + std::to_string(cpus) + ".\n";
  }
  const time_ns busy_ns = std::accumulate(done.busy_ns.begin(), done.busy_ns.end(), time_ns{0});
  const double share = static_cast<double>(done.work_ns) / static_cast<double>(std::max<time_ns>(busy_ns, 1));
  const double fair = std::min(1.0, static_cast<double>(cpus) / done.workers);
  if (share < k_own_cpu_share * fair) {
    out += "Something else uses these CPUs too: while a task ran, its worker had one for only "s +
           fixed(100 * share, 0) + " % of the time.\n";
  }
  return out;
}

std::string outcome_text(const executed_plan& done, const report_options& how) {
  const double wall_s = seconds(done.wall_ns);
  return count_text(done.tasks, "task") + " with " + fixed(seconds(done.work_ns) / how.time_scale, 2) +
         " s of work took " + fixed(wall_s / how.time_scale, 2) + " s (" + duration_text(wall_s) +
         " of real time): speed-up " + fixed(done.speedup(), 2) + ", efficiency " + fixed(100 * done.efficiency(), 1) +
         " %.\n" + cpu_note_text(done);
}

std::string log_line_text(const log_line& line, const report_options& how) {
  return "["s + fixed(seconds(line.at_ns) / how.time_scale, 3) + "] " + line.text;
}

std::string log_text(const run_view& view, const report_options& how) {
  std::string out;
  for (const log_line& line : view.log) out += log_line_text(line, how) + "\n";
  return out + gap_note(view);
}

}  // namespace filch::tool
