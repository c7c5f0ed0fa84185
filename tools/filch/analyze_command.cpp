#include "analyze_command.hpp"

#include <findings.hpp>
#include <html_report.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <output_file.hpp>
#include <run_picture.hpp>
#include <simulated_again.hpp>
#include <words.hpp>

#include "errors.hpp"
#include "output.hpp"
#include "text.hpp"
#include "trace_file.hpp"

namespace filch::tool {
namespace {

using analysis::findings;
using analysis::percent_text;
using analysis::time_text;
using json = nlohmann::ordered_json;

struct share_of_time {
  const char* key;   // in JSON
  const char* name;  // for people
  time_ns analysis::time_use::* value;
};
constexpr share_of_time k_shares[] = {
    {"work", "work", &analysis::time_use::work_ns},
    {"spawn", "making and taking tasks", &analysis::time_use::spawn_ns},
    {"steal", "stealing", &analysis::time_use::steal_ns},
    {"idle_ready", "idle, tasks ready", &analysis::time_use::idle_ready_ns},
    {"idle_no_work", "idle, no work", &analysis::time_use::idle_no_work_ns},
    {"blocked_lock", "waits for a lock", &analysis::time_use::blocked_lock_ns},
    {"blocked_outside", "waits outside", &analysis::time_use::blocked_outside_ns},
};

double share(time_ns part_ns, time_ns whole_ns) { return findings::ratio(part_ns, whole_ns); }

const char* whose_text(analysis::fault whose) {
  switch (whose) {
    case analysis::fault::program:
      return "program";
    case analysis::fault::scheduler:
      return "scheduler";
    case analysis::fault::machine:
      return "machine";
    case analysis::fault::none:
      break;
  }
  return "nobody";
}

// ---- words ----

std::string figures_text(const findings& found) {
  text_table table{{"Figures", "", ""}};
  table.end_with_text();
  const auto add = [&](const char* name, const std::string& value, const std::string& meaning) {
    table.add({name, value, meaning});
  };
  add("tasks", std::to_string(found.tasks), "of " + time_text(found.mean_task_ns()) + " on average");
  add("time", time_text(found.makespan_ns), "on " + count_text(found.workers, "worker"));
  if (found.outside.is_much(found.makespan_ns)) {
    add("outside", time_text(found.outside.total_ns()), found.outside.text() + ": not part of the time");
  }
  add("work", time_text(found.work_ns), "the sum of all tasks");
  const bool is_sure = found.doubts.empty();
  add("span", time_text(found.span_ns),
      is_sure ? "the longest chain of tasks: no number of workers is faster"
              : "the longest recorded chain of tasks: see the warning");
  add("burdened span", time_text(found.burdened_span_ns),
      "the same with " + time_text(analysis::k_burden_ns) + " for every spawn, join and wake on it");
  add("parallelism", analysis::number_text(found.parallelism()),
      "work over span; " + analysis::number_text(found.burdened_parallelism()) + " burdened" +
          (is_sure ? "" : ": see the warning"));
  return table.text(0);
}

std::string shares_text(const findings& found) {
  text_table table{{"Time of the workers", "", ""}};
  const analysis::time_use use = found.shares();
  for (const share_of_time& each : k_shares) {
    table.add({each.name, time_text(use.*each.value), percent_text(share(use.*each.value, use.total_ns()))});
  }
  return table.text(0);
}

// How the threads spent the time in tasks; empty when the recording has no samples.
std::string threads_text(const findings& found) {
  const analysis::thread_use& threads = found.threads;
  if (threads.all.tasks_ns == 0) return {};
  text_table table{{"Threads in tasks", "", ""}};
  const auto add = [&](const char* name, time_ns value_ns) {
    table.add({name, time_text(value_ns), percent_text(share(value_ns, threads.all.tasks_ns))});
  };
  add("on a processor", threads.all.on_cpu_ns());
  add("asleep in the kernel", threads.all.blocked_ns);
  add("without a processor", threads.all.taken_ns);
  std::string out = "\n" + table.text(0);
  const analysis::counted_work& many = threads.all.beside_many;
  const analysis::counted_work& few = threads.all.beside_few;
  const std::uint64_t instructions = many.instructions + few.instructions;
  if (threads.has_counters && instructions != 0) {
    const auto each = [&](std::uint64_t amount) {
      return analysis::number_text(static_cast<double>(amount) / static_cast<double>(instructions));
    };
    out += each(many.cycles + few.cycles) + " cycles an instruction, " +
           each(1000 * (many.cache_misses + few.cache_misses)) + " cache misses in a thousand\n";
  }
  return out;
}

std::string omissions_text(const findings& found) {
  std::string out;
  for (const analysis::omission& each : found.not_looked_at) {
    out += (out.empty() ? "\nNot looked at\n  "s : "  "s) + each.id + "\n    " + each.text + "\n";
  }
  return out;
}

std::string groups_text(const findings& found) {
  constexpr std::size_t k_most_rows = 12;
  text_table table{{"Tasks by name", "count", "work", "share", "mean", "median", "longest", "on the path", "merge"}};
  for (std::size_t i = 0; i != std::min(found.groups.size(), k_most_rows); ++i) {
    const analysis::task_group& each = found.groups[i];
    table.add({each.name, std::to_string(each.count), time_text(each.work_ns),
               percent_text(share(each.work_ns, found.work_ns)), time_text(each.mean_ns()), time_text(each.median_ns),
               time_text(each.most_ns), percent_text(share(each.path_ns, found.span_ns)),
               each.merge > 1 ? "≥ "s + std::to_string(each.merge) : "·"s});
  }
  std::string out = table.text(0);
  if (found.groups.size() > k_most_rows) {
    out += "and " + count_text(found.groups.size() - k_most_rows, "more name") + "\n";
  }
  return out;
}

std::string sizes_text(const findings& found) {
  std::uint64_t most = 1;
  for (const std::uint64_t each : found.sizes) most = std::max(most, each);
  text_table table{{"Sizes of the tasks", "", ""}};
  table.end_with_text();
  for (std::size_t i = 0; i != found.sizes.size(); ++i) {
    if (found.sizes[i] == 0) continue;
    constexpr std::uint64_t k_longest_bar = 40;
    const auto length = static_cast<std::size_t>((found.sizes[i] * k_longest_bar + most - 1) / most);
    table.add({analysis::size_class_text(i), std::to_string(found.sizes[i]), std::string(length, '#')});
  }
  return table.text(0);
}

std::string doubts_text(const findings& found) {
  std::string out;
  for (const analysis::doubt& each : found.doubts) {
    out += "Warning: "s + each.id + "\n    " + each.text + "\n    " + each.advice + "\n";
  }
  return out.empty() ? out : out + "\n";
}

std::string verdicts_text(const findings& found) {
  std::string out = "Verdicts\n";
  for (const analysis::verdict& each : found.verdicts) {
    out += "  "s + each.id;
    if (each.whose != analysis::fault::none) {
      out += " (the "s + whose_text(each.whose) + "'s, " + percent_text(each.share) + " of the workers' time)";
    }
    out += "\n    "s + each.text + "\n";
    if (!each.advice.empty()) out += "    "s + each.advice + "\n";
  }
  return out;
}

std::string inflation_text(const analysis::inflation& grown) {
  text_table table{{"Work against the baseline", "before", "now", "factor"}};
  for (const auto& each : grown.groups) {
    table.add({each.name, time_text(each.before_ns), time_text(each.now_ns), analysis::number_text(each.factor())});
  }
  table.add({"all", time_text(grown.before_ns), time_text(grown.now_ns), analysis::number_text(grown.factor())});
  return table.text(0);
}

void print(const findings& found, const std::optional<analysis::inflation>& grown) {
  std::cout << doubts_text(found) << verdicts_text(found) << "\n" << figures_text(found) << "\n" << shares_text(found);
  if (found.spent.policy_ns != 0) {
    std::cout << "of the idle time with tasks ready, "
              << percent_text(share(found.spent.policy_ns, found.spent.use.idle_ready_ns))
              << " is caused by the policy; the rest is latency\n";
  }
  std::cout << threads_text(found) << "\n" << groups_text(found) << "\n" << sizes_text(found);
  if (grown) std::cout << "\n" << inflation_text(*grown);
  std::cout << omissions_text(found);
  if (found.lost_events != 0) {
    std::cout << "\n"
              << count_text(found.lost_events, "event")
              << " of the recording were lost: the figures are those of the rest.\n";
  }
}

// ---- JSON ----

json verdict_json(const analysis::verdict& each) {
  json out;
  out["id"] = each.id;
  out["fault"] = whose_text(each.whose);
  out["subject"] = each.subject;
  out["cost_ns"] = each.cost_ns;
  out["share"] = each.share;
  out["text"] = each.text;
  out["advice"] = each.advice;
  return out;
}

json group_json(const analysis::task_group& each) {
  json out;
  out["name"] = each.name;
  out["count"] = each.count;
  out["work_ns"] = each.work_ns;
  out["mean_ns"] = each.mean_ns();
  out["median_ns"] = each.median_ns;
  out["least_ns"] = each.least_ns;
  out["most_ns"] = each.most_ns;
  out["path_ns"] = each.path_ns;
  out["alone_ns"] = each.alone_ns;
  out["handling_ns"] = each.handling_ns;
  out["blocked_ns"] = each.blocked_ns;
  out["taken_ns"] = each.taken_ns;
  out["merge"] = each.merge;
  return out;
}

json counted_json(const analysis::counted_work& each) {
  return json{{"cycles", each.cycles}, {"instructions", each.instructions}, {"cache_misses", each.cache_misses}};
}

// Null: the recording has no samples.
json threads_json(const analysis::thread_use& threads) {
  if (!threads.is_looked_at) return nullptr;
  json out;
  out["tasks_ns"] = threads.all.tasks_ns;
  out["on_cpu_ns"] = threads.all.on_cpu_ns();
  out["blocked_ns"] = threads.all.blocked_ns;
  out["taken_ns"] = threads.all.taken_ns;
  out["waits"] = threads.all.waits;
  out["run_queue_ns"] = threads.knows_run_queue ? json(threads.run_queue_ns) : json(nullptr);
  out["machine_ns"] = threads.machine_ns;
  if (threads.has_counters) {
    out["beside_few"] = counted_json(threads.all.beside_few);
    out["beside_many"] = counted_json(threads.all.beside_many);
  }
  return out;
}

json inflation_json(const analysis::inflation& grown) {
  json out;
  out["factor"] = grown.factor();
  out["before_ns"] = grown.before_ns;
  out["now_ns"] = grown.now_ns;
  auto& groups = out["names"] = json::array();
  for (const auto& each : grown.groups) {
    groups.push_back(
        json{{"name", each.name}, {"before_ns", each.before_ns}, {"now_ns", each.now_ns}, {"factor", each.factor()}});
  }
  return out;
}

json findings_json(const findings& found, const std::optional<analysis::inflation>& grown) {
  json out;
  out["workers"] = found.workers;
  out["tasks"] = found.tasks;
  out["strands"] = found.strands;
  out["lost_events"] = found.lost_events;
  out["makespan_ns"] = found.makespan_ns;
  out["before_ns"] = found.outside.before_ns;
  out["after_ns"] = found.outside.after_ns;
  out["work_ns"] = found.work_ns;
  out["span_ns"] = found.span_ns;
  out["burdened_span_ns"] = found.burdened_span_ns;
  out["elapsed_span_ns"] = found.elapsed_span_ns;
  out["parallelism"] = found.parallelism();
  out["burdened_parallelism"] = found.burdened_parallelism();
  out["mean_task_ns"] = found.mean_task_ns();
  out["spawn_cost_ns"] = found.spawn_cost_ns;
  const analysis::time_use use = found.shares();
  for (const share_of_time& each : k_shares) out["time"][each.key + "_ns"s] = use.*each.value;
  out["time"]["policy_ns"] = found.spent.policy_ns;
  for (const share_of_time& each : k_shares) {
    out["share"][each.key] = share(use.*each.value, use.total_ns());
  }
  auto& sizes = out["sizes"] = json::array();
  for (std::size_t i = 0; i != found.sizes.size(); ++i) {
    sizes.push_back(json{{"class", analysis::size_class_text(i)}, {"tasks", found.sizes[i]}});
  }
  auto& names = out["names"] = json::array();
  for (const analysis::task_group& each : found.groups) names.push_back(group_json(each));
  auto& verdicts = out["verdicts"] = json::array();
  for (const analysis::verdict& each : found.verdicts) verdicts.push_back(verdict_json(each));
  out["threads"] = threads_json(found.threads);
  auto& missing = out["not_looked_at"] = json::array();
  for (const analysis::omission& each : found.not_looked_at) {
    missing.push_back(json{{"id", each.id}, {"text", each.text}});
  }
  auto& doubts = out["doubts"] = json::array();
  for (const analysis::doubt& each : found.doubts) {
    doubts.push_back(json{{"id", each.id}, {"text", each.text}, {"advice", each.advice}});
  }
  if (grown) out["baseline"] = inflation_json(*grown);
  return out;
}

// ---- files ----

// The verdicts, then the run as it was measured and as it is simulated, on one axis of time.
report::page page_of(const trace::recording& what, const std::optional<trace::recording>& again, const findings& found,
                     const std::string& file) {
  report::page out{.title = "Analysis of " + file, .runs = {{"measured", &what}}};
  if (again) out.runs.push_back({"simulated, only the work takes time", &*again});
  if (what.about.source == "simulation") out.runs[0].label = "simulated, as recorded";
  for (const analysis::verdict& each : found.verdicts) {
    out.notes.push_back(each.id + ": " + each.text + (each.advice.empty() ? "" : " " + each.advice));
  }
  for (const analysis::omission& each : found.not_looked_at) out.notes.push_back("Not looked at: " + each.text);
  if (!again) out.notes.emplace_back(analysis::k_not_simulated_again);
  return out;
}

template <class Function>
void write_file(const std::string& file, const Function& write) {
  output_file out{file};
  out.finish(write(out.stream()));
}

void write_files(const analyze_arguments& given, const trace::recording& what, const analysis::dag& graph,
                 const findings& found) {
  if (!given.report.empty()) {
    const std::optional<trace::recording> again = analysis::simulated_again(what);
    if (!again) std::cerr << "filch: " << analysis::k_not_simulated_again << "\n";
    write_file(given.report,
               [&](std::ostream& out) { return report::write_page(page_of(what, again, found, given.file), out); });
  }
  if (!given.picture.empty()) {
    write_file(given.picture, [&](std::ostream& out) {
      out << report::run_picture(graph, found, given.file + ": " + found.verdicts.front().id);
      return std::optional<std::string>{};
    });
  }
}

}  // namespace

void analyze_command(const analyze_arguments& given) {
  if (!given.report.empty()) require_report_name(given.report, "--report");
  if (!given.picture.empty() && !given.picture.ends_with(".svg")) {
    throw bad_usage("--picture = \"" + given.picture + "\": allowed are names that end in .svg");
  }
  if (!given.picture.empty()) output_file::require(given.picture);
  const trace::recording what = read_trace_file(given.file);
  const analysis::dag graph = analysis::dag::from(what);
  findings found = analysis::findings_of(graph, what);
  std::optional<analysis::inflation> grown;
  if (!given.baseline.empty()) {
    const trace::recording before = read_trace_file(given.baseline);
    grown = analysis::compare_work(found, analysis::findings_of(analysis::dag::from(before), before));
  }
  write_files(given, what, graph, found);
  if (given.json) std::cout << json_text(findings_json(found, grown)) << "\n";
  else print(found, grown);
}

}  // namespace filch::tool
