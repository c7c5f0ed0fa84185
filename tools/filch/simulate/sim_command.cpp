// filch sim SCENARIO
#include <algorithm>
#include <charconv>
#include <filch/sim/lesson.hpp>
#include <gantt.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "../json_report.hpp"
#include "../option_reading.hpp"
#include "../report.hpp"
#include "../trace_file.hpp"
#include "../workload.hpp"
#include "commands.hpp"
#include "contrasts.hpp"
#include "../output.hpp"
#include "outlook.hpp"
#include "scenario_settings.hpp"
#include "sharing_text.hpp"
#include "side_by_side.hpp"
#include "simulated.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

// The number of seeds of a scenario with variants; one without variants runs with one seed.
constexpr std::uint32_t k_contrast_seeds = 100;
// A larger run is not recorded unless a file or the log asks for it, and not looked at task by task.
constexpr std::uint64_t k_recorded_tasks = 200'000;

// The lesson's own output and nothing else.
void repeat_lesson(const sim_arguments& given) {
  const auto known = sim::lesson::scenarios();
  bool is_known = false;
  for (const std::string_view each : known) is_known = is_known || each == given.scenario;
  if (!is_known) throw bad_usage(policy::unknown_name("sim --lesson: scenario", *given.scenario, known));
  std::uint64_t seed = sim::lesson::k_seed;
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX, seed);
  sim::lesson::run(*given.scenario, seed, std::cout);
}

void require_plain_lesson(const sim_arguments& given) {
  const scenario_words& changes = given.changes;
  const std::pair<const char*, bool> refused[] = {{"--workers", changes.workers.has_value()},
                                                  {"--victims", changes.victims.has_value()},
                                                  {"--steal", changes.steal.has_value()},
                                                  {"--order", changes.order.has_value()},
                                                  {"--idle", changes.idle.has_value()},
                                                  {"--wake", changes.wake.has_value()},
                                                  {"--join", changes.join.has_value()},
                                                  {"--placement", changes.placement.has_value()},
                                                  {"--grain", changes.grain.has_value()},
                                                  {"--machine", changes.machine.has_value()},
                                                  {"--demand", changes.demand.has_value()},
                                                  {"--seeds", given.seeds.has_value()},
                                                  {"--trace", given.trace_file.has_value()},
                                                  {"--report", given.report_file.has_value()},
                                                  {"--log", given.log},
                                                  {"--gantt", given.gantt},
                                                  {"--json", given.json}};
  for (const auto& [option, is_given] : refused) {
    if (is_given)
      throw bad_usage(option + ": not allowed with --lesson, which repeats runs that are fixed but for --seed"s);
  }
}

struct sim_settings {
  scenario::document what;
  seed_range seeds;
  const contrast* shows = nullptr;  // what to put side by side, if anything
};

// The words with which the user chose among the variants of a scenario.
bool is_chosen(const scenario_words& changes, std::string_view option) {
  if (option == "--victims") return changes.victims.has_value();
  if (option == "--steal") return changes.steal.has_value();
  if (option == "--idle") return changes.idle.has_value();
  if (option == "--wake") return changes.wake.has_value();
  if (option == "--join") return changes.join.has_value();
  return option == "--grain" && changes.grain.has_value();
}

// What needs a recording.
void require_recordable(const sim_arguments& given, std::uint32_t workers) {
  if (workers <= scenario::k_most_recorded_workers) return;
  const std::pair<const char*, bool> recorded[] = {{"--trace", given.trace_file.has_value()},
                                                   {"--report", given.report_file.has_value()},
                                                   {"--log", given.log},
                                                   {"--gantt", given.gantt}};
  for (const auto& [option, is_given] : recorded) {
    if (!is_given) continue;
    throw bad_usage("--workers = " + std::to_string(workers) + ": allowed with " + option + " are at most " +
                    std::to_string(scenario::k_most_recorded_workers) + ", as many as recordings can number");
  }
}

sim_settings resolve(const sim_arguments& given) {
  sim_settings made;
  made.what = find_scenario(given.scenario, "sim");
  apply(given.changes, made.what);
  // The side-by-side view belongs to the scenario of the program, not to a file of the same name.
  const contrast* const shows = given.scenario->ends_with(".json") ? nullptr : find_contrast(*given.scenario);
  if (shows != nullptr && !is_chosen(given.changes, shows->option)) made.shows = shows;
  made.seeds = {.first = made.what.seed, .count = made.shows != nullptr ? k_contrast_seeds : made.what.runs};
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX - k_most_seeds, made.seeds.first);
  read_number<std::uint32_t>(given.seeds, "--seeds", 1, k_most_seeds, made.seeds.count);
  require_recordable(given, made.what.worker_count());
  if (given.trace_file) require_trace_name(*given.trace_file, "--trace");
  if (given.report_file) require_report_name(*given.report_file, "--report");
  return made;
}

void say_what_runs(const sim_settings& chosen, std::ostream& out) {
  const scenario::document& what = chosen.what;
  out << what.name << (what.title.empty() ? "" : ": ") << what.title << "\n"
      << count_text(what.worker_count(), "simulated worker") << " on the machine \"" << what.machine.name << "\"; seed "
      << chosen.seeds.first << "\n"
      << policy::describe(what.policy) << (what.deaf_waits ? " deaf_waits=yes" : "") << "\n"
      << (is_shared(what) ? "demand: " + policy::describe(what.demand) + "\n" : "") << "\n";
}

std::string outcome_of(const scenario::document& what, const simulated_run& run) {
  const executed_plan& done = run.done;
  const double wall_s = static_cast<double>(done.wall_ns) * 1e-9;
  std::string out = count_text(done.tasks, "task") + " with " +
                    duration_text(static_cast<double>(done.work_ns) * 1e-9) + " of work took " + duration_text(wall_s);
  if (done.wall_ns != 0) {
    out += ": speed-up "s + fixed(done.speedup(), 2) + ", efficiency " + fixed(100 * done.efficiency(), 1) + " %";
  }
  out += ".\n";
  if (run.result.end == sim::run_end::until)
    out += "The run was stopped there: the scenario says until when it goes.\n";
  if (is_cut_off(run.result.end)) out += "The run was cut off there, at " + limit_text(what, run.result.end) + ".\n";
  return out;
}

json policy_fields(const scenario::document& what) {
  const policy::search_options& of = what.policy;
  return {{"victims", policy::to_string(of.victims)},
          {"steal", policy::to_string(of.steal)},
          {"order", policy::to_string(of.order)},
          {"idle", policy::to_string(of.idle)},
          {"wake", policy::to_string(of.wake)},
          {"placement", policy::to_string(of.placement)},
          {"deaf_waits", what.deaf_waits}};
}

const trace::event* find_spawn(const trace::recording& in, std::uint64_t task) {
  const auto is_birth = [task](const trace::event& e) { return e.kind == trace::event_kind::spawn && e.task == task; };
  for (const auto& events : in.workers) {
    if (const auto found = std::ranges::find_if(events, is_birth); found != events.end()) return &*found;
  }
  const auto found = std::ranges::find_if(in.outside, is_birth);
  return found == in.outside.end() ? nullptr : &*found;
}

// The first run in full.
simulated_run show_first(const sim_arguments& given, const sim_settings& chosen, std::ostream& out, json& into) {
  bool is_recorded = given.log || given.gantt || given.trace_file || given.report_file;
  simulated_run run = simulate_once(chosen.what, chosen.seeds.first, is_recorded);
  const bool is_recordable = chosen.what.worker_count() <= scenario::k_most_recorded_workers;
  if (!is_recorded && is_recordable && run.result.tasks <= k_recorded_tasks &&
      run.result.recorded_events() <= sim::k_most_shown_events) {
    is_recorded = true;
    run = simulate_once(chosen.what, chosen.seeds.first, is_recorded);
  }
  const filch::options no_threads;
  context in{.runtime = no_threads,
             .log = given.log,
             .is_detailed = is_recorded,
             .trace_file = given.trace_file.value_or(""),
             .report_file = given.report_file.value_or(""),
             .out = out,
             .json = into};
  const std::string outcome = outcome_of(chosen.what, run);
  report_executed(in, run.done, outcome, into);
  if (!is_recorded) {
    into.erase("matrix");
    into.erase("stolen_pairs");
    out << statistics_text(run.done) << "\n"
        << worker_table_text(run.done) << "\n"
        << outcome << "The run is too large to be shown task by task"
        << (is_recordable ? "; --gantt, --trace and --report do so all the same.\n" : ".\n");
  }
  if (run.sharing) {
    out << "\n" << sharing_text(chosen.what, *run.sharing);
    into["sharing"] = sharing_json(chosen.what, *run.sharing);
  }
  if (given.gantt) {
    put_unguarded(out, "\n" + report::render_gantt(run.done.recording, report::gantt_options_of_terminal()));
  }
  return run;
}

// "task 7" becomes the name that the log has for it.
std::string with_names(const std::string& text, const trace::recording& from) {
  constexpr std::string_view k_task = "task ";
  std::string out;
  for (std::size_t at = 0; at != text.size();) {
    std::uint64_t number = 0;
    const std::string_view rest = std::string_view{text}.substr(at);
    const trace::event* birth = nullptr;
    const char* end = nullptr;
    if (rest.starts_with(k_task)) {
      end = std::from_chars(rest.data() + k_task.size(), rest.data() + rest.size(), number).ptr;
      birth = find_spawn(from, number);
    }
    if (birth == nullptr || from.find_name(birth->detail) == nullptr) {
      out += text[at++];
      continue;
    }
    out += from.find_name(birth->detail)->text;
    at = static_cast<std::size_t>(end - text.data());
  }
  return out;
}

// How many runs were cut off.
std::uint32_t show_seeds(const sim_settings& chosen, std::ostream& out, json& into) {
  std::vector<candidate> all;
  std::vector<figure> columns{figure::time, figure::stolen, figure::steal_rate, figure::efficiency, figure::wait};
  if (chosen.shows == nullptr) {
    all.push_back({"all", chosen.what});
  } else {
    columns = chosen.shows->columns;
    for (const variant& each : chosen.shows->variants) {
      all.push_back({std::string{each.name}, chosen.what});
      each.change(all.back().what);
    }
  }
  const std::vector<figure_table> tables = run_candidates(all, chosen.seeds);
  std::uint32_t cut = 0;
  std::vector<std::string> names;
  for (const candidate& each : all) names.push_back(each.name);
  out << "\nOver " << count_text(chosen.seeds.count, "seed") << " from " << chosen.seeds.first
      << " on, mean ± standard deviation\n"
      << side_by_side_text(chosen.shows != nullptr ? "side by side" : "runs", names, tables, columns);
  if (chosen.shows != nullptr) out << chosen.shows->lesson << "\n";
  for (std::size_t i = 0; i != all.size(); ++i) {
    json one{{"name", names[i]}};
    one.update(figures_json(tables[i]));
    into.push_back(std::move(one));
    cut += tables[i].cut_off();
  }
  return cut;
}

// Throws when the run did not end by itself: the text says why.
void require_end(const simulated_run& run, const scenario::document& what, const outlook& seen) {
  const std::string when = duration_text(static_cast<double>(run.result.makespan_ns) * 1e-9);
  const std::string left = count_text(run.result.unfinished, "unfinished task");
  if (is_cut_off(run.result.end)) {
    std::string text = "the run was cut off at "s + when + " with " + left + ": allowed are " +
                       limit_text(what, run.result.end) + " per run";
    if (!seen.endless.empty()) {
      text += "; fewer than one child per task on average would end (workload.probability, workload.most_children)";
    }
    throw cut_off(text);
  }
  if (run.result.end != sim::run_end::stuck) return;
  std::string text = "the run is stuck at "s + when + " with " + left + ": a deadlock of joins";
  for (const sim::stuck_join& each : run.result.stuck) {
    text.append("\n  ").append(with_names(to_string(each), run.done.recording));
  }
  throw deadlock(text);
}

json outlook_json(const outlook& seen) {
  json notes = json::array();
  if (!seen.endless.empty()) notes.push_back(seen.endless);
  if (!seen.unsettled.empty()) notes.push_back(seen.unsettled);
  return {{"settled", seen.settled ? json(*seen.settled) : json(nullptr)}, {"notes", std::move(notes)}};
}

}  // namespace

void sim_command(const sim_arguments& given) {
  if (given.lesson && given.scenario) {
    require_plain_lesson(given);
    repeat_lesson(given);
    return;
  }
  const sim_settings chosen = resolve(given);
  std::ostream nowhere{nullptr};
  std::ostream& out = given.json ? nowhere : std::cout;
  const outlook seen = outlook_of(chosen.what);
  say_what_runs(chosen, out);
  if (!seen.endless.empty()) say_at_once(seen.endless, given.json);
  json first;
  const simulated_run run = show_first(given, chosen, out, first);
  json seeds = json::array();
  const bool is_cut = is_cut_off(run.result.end);
  const std::uint32_t cut_seeds = chosen.seeds.count > 1 && !is_cut ? show_seeds(chosen, out, seeds) : 0;
  if (chosen.seeds.count > 1 && is_cut) out << "The other seeds were left out.\n";
  if (!seen.unsettled.empty()) out << wrapped(seen.unsettled);
  if (given.json) {
    json all{{"scenario", chosen.what.name},
             {"version", FILCH_VERSION},
             {"seed", chosen.seeds.first},
             {"seeds", chosen.seeds.count},
             {"workers", chosen.what.worker_count()},
             {"machine", chosen.what.machine.name},
             {"policy", policy_fields(chosen.what)},
             {"complete", run.result.is_complete},
             {"end", name_of(run.result.end)}};
    all.update(outlook_json(seen));
    all["run"] = std::move(first);
    for (const sim::stuck_join& each : run.result.stuck) {
      all["stuck"].push_back(with_names(to_string(each), run.done.recording));
    }
    if (!seeds.empty()) all["over_seeds"] = std::move(seeds);
    std::cout << json_text(all) << "\n";
  }
  require_end(run, chosen.what, seen);
  if (cut_seeds != 0) throw cut_off(count_text(cut_seeds, "run") + " were cut off: " + limits_text(chosen.what));
}

}  // namespace filch::tool
