// filch predict.
#include <algorithm>
#include <chart.hpp>
#include <cmath>
#include <doubts.hpp>
#include <filch/sim/what_if.hpp>
#include <filch/trace/binary.hpp>
#include <fstream>
#include <html_report.hpp>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <output_file.hpp>
#include <system_error>

#include "../option_reading.hpp"
#include "../simulate/plot_file.hpp"
#include "../trace_file.hpp"
#include "commands.hpp"
#include "forecast.hpp"
#include "../output.hpp"
#include "words.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_most_workers = 65534;
constexpr std::uint32_t k_default_seeds = 10;
constexpr std::uint64_t k_tasks_per_point = 2'000'000;  // over all seeds, by default
constexpr std::size_t k_ranked_names = 10;
constexpr time_ns k_part_worth_a_word = 10;             // of the span
constexpr std::size_t k_most_curve_events = 1'000'000;  // of a recording that a page can show

// A measured run.
struct measured_run {
  std::string file;
  recorded_run run;
};

struct plan {
  trace::recording recording;
  recorded_run itself;
  sim::recorded_tasks tasks;    // as recorded
  sim::recorded_tasks changed;  // … and with all changes
  std::vector<analysis::doubt> doubts;
  std::vector<sim::change> changes;
  forecast_options how;
  std::vector<measured_run> measured;
  std::uint32_t rank_at = 0;
};

trace::recording read_recording(const std::string& file, const std::string& option) {
  if (!file.ends_with(".filch")) refuse(option, file, "a recording, a name that ends in .filch");
  std::ifstream in{file, std::ios::binary};
  if (!in) throw failure(file + " cannot be read: " + std::generic_category().message(errno));
  trace::read_result result = trace::read_binary(in);
  if (result.error && !result.is_usable) throw failure(file + ": " + result.error->text());
  if (result.error) std::cerr << "filch: " << file << ": " << result.error->text() << "; the part before is used\n";
  return std::move(result.value);
}

sim::recorded_tasks tasks_of(const trace::recording& recording, const std::string& file) {
  sim::recorded_tasks out;
  try {
    out = sim::recorded_tasks::from(recording);
  } catch (const std::invalid_argument& problem) {
    throw failure(file + ": " + problem.what());
  }
  if (out.work_ns() == 0) throw failure(file + ": no prediction is possible: no task of it took any time");
  return out;
}

void read_policy(const predict_arguments& given, policy::search_options& into) {
  read_name(given.victims, "--victims", into.victims);
  read_name(given.steal, "--steal", into.steal);
  read_name(given.order, "--order", into.order);
  read_name(given.idle, "--idle", into.idle);
  read_name(given.wake, "--wake", into.wake);
}

// Checks first what needs no reading of a large file.
plan make_plan(const predict_arguments& given) {
  plan out;
  out.how.workers = read_workers(given.workers.value_or("1..64"), "--workers", k_most_workers);
  out.how.machine = read_machine_name(given.machine.value_or("two-core-vm"), "--machine");
  read_policy(given, out.how.policy);
  out.how.inflation = read_inflation(given.inflation);
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX / 2, out.how.seed);
  out.rank_at = out.how.workers.back();
  read_number<std::uint32_t>(given.rank_at, "--rank-at", 1, k_most_workers, out.rank_at);
  std::uint32_t seeds = 0;
  read_number<std::uint32_t>(given.seeds, "--seeds", 1, 10'000, seeds);
  for (const std::string& each : given.what_if) out.changes.push_back(read_change(each));
  if (given.plot_file) require_plot_name(*given.plot_file, "--plot");
  if (given.report_file) require_report_name(*given.report_file, "--report");
  require_json_name(given.json);

  out.recording = read_recording(given.recording, "recording");
  out.tasks = tasks_of(out.recording, given.recording);
  out.doubts = analysis::doubts_of(out.recording, out.tasks.work_ns(), out.tasks.span_ns());
  std::ranges::copy(analysis::doubts_of_arrivals(out.recording, out.tasks), std::back_inserter(out.doubts));
  for (const analysis::doubt& each : out.doubts) {
    if (each.forbids_prediction()) throw failure(given.recording + ": no prediction is possible. " + each.sentence());
  }
  out.itself = look_at(out.recording);
  out.how.between_tasks_ns = out.itself.between_tasks_ns;
  out.changed = out.tasks;
  const sim::machine_costs& costs = out.how.machine.costs;
  for (const sim::change& each : out.changes) {
    try {
      out.changed = each.apply(out.changed, costs.spawn_ns + costs.push_ns);
    } catch (const std::invalid_argument& problem) {
      throw bad_usage("--what-if = "s + problem.what());
    }
  }
  const auto fitting =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(k_tasks_per_point / out.changed.size(), 1, k_default_seeds));
  out.how.seeds = seeds != 0 ? seeds : fitting;
  out.measured.push_back({given.recording, out.itself});
  for (const std::string& each : given.measured)
    out.measured.push_back({each, look_at(read_recording(each, "--measured"))});
  return out;
}

// ---- for people -----------------------------------------------------------------------------------------------------

std::string seconds(double span_ns) { return duration_text(span_ns * 1e-9); }
std::string seconds(time_ns span_ns) { return seconds(static_cast<double>(span_ns)); }

// Speed-ups are relative to this: the recorded work on one worker, with the time outside of tasks.
double base_ns(const plan& what) {
  return static_cast<double>(std::max<time_ns>(1, what.tasks.work_ns() + what.tasks.outside_ns()));
}

// Work over span: how many times as fast the program can be.
double parallelism_of(const forecast& found) {
  return static_cast<double>(found.work_ns + found.outside_ns) /
         static_cast<double>(std::max<time_ns>(1, found.span_ns));
}

std::string measured_text(const plan& what, std::uint32_t workers) {
  std::string out;
  for (const measured_run& each : what.measured) {
    if (each.run.workers == workers) out.append(out.empty() ? "" : ", ").append(seconds(each.run.makespan_ns));
  }
  return out;
}

std::string head_text(const plan& what, const forecast& found, const predict_arguments& given) {
  const sim::recorded_tasks& tasks = what.changed;
  std::string out = given.recording + ": " + count_text(found.tasks, "task") + ", work " + seconds(found.work_ns) +
                    ", span " + seconds(found.span_ns) + ", parallelism " + fixed(parallelism_of(found), 1) +
                    "; recorded with " + count_text(what.itself.workers, "worker") + " in " +
                    seconds(what.itself.makespan_ns) + "\n";
  for (const sim::change& each : what.changes) out += "What if: " + each.text() + "\n";
  out += "machine " + what.how.machine.name + ", " + policy::describe(what.how.policy) + ", " +
         count_text(what.how.seeds, "seed") + " from " + std::to_string(what.how.seed) + " on\n";
  if (what.itself.outside.is_much(what.itself.makespan_ns)) {
    out += "The program also ran for " + what.itself.outside.text() + ", which no time below includes\n";
  }
  if (found.outside_ns > found.span_ns / k_part_worth_a_word) {
    out += "Between tasks it did serial work for " + seconds(found.outside_ns) + ", which every time below includes\n";
  }
  for (const analysis::doubt& each : what.doubts) out += "Warning: " + each.sentence() + "\n";
  if (tasks.gaps != 0) {
    out += "Warning: " + count_text(tasks.gaps, "event") + " of the recording were lost and are missing here.\n";
  }
  if (tasks.waits_left_out != 0) {
    out += "Warning: " + count_text(tasks.waits_left_out, "wait") +
           " for events outside the recording (timers, files, other threads) are left out.\n";
  }
  return out + "\n";
}

std::string table_text(const plan& what, const forecast& found) {
  const bool has_measured = std::ranges::any_of(
      found.points, [&](const forecast_point& each) { return !measured_text(what, each.workers).empty(); });
  std::vector<std::string> head{"workers",         "time",     "seeds from", "to",   "speed-up", "at most",
                                "greedy at least", "burdened", "steals",     "limit"};
  if (has_measured) head.insert(head.begin() + 4, "measured");
  text_table table{head};
  const double base = base_ns(what);
  const auto speed = [base](double span_ns) { return fixed(base / std::max(1.0, span_ns), 2); };
  for (const forecast_point& each : found.points) {
    std::vector<std::string> row{std::to_string(each.workers),
                                 seconds(each.mean_ns),
                                 seconds(each.low_ns),
                                 seconds(each.high_ns),
                                 speed(each.mean_ns),
                                 speed(static_cast<double>(each.least_ns)),
                                 speed(static_cast<double>(each.greedy_ns)),
                                 speed(static_cast<double>(each.burdened_ns)),
                                 fixed(each.steals, 0),
                                 name_of(each.limited_by)};
    if (has_measured) row.insert(row.begin() + 4, measured_text(what, each.workers));
    table.add(std::move(row));
  }
  return table.text();
}

std::string other_measured_text(const plan& what, const forecast& found) {
  std::string out;
  for (const measured_run& each : what.measured) {
    const bool is_listed = std::ranges::any_of(
        found.points, [&](const forecast_point& point) { return point.workers == each.run.workers; });
    if (!is_listed) {
      out += "Measured with " + count_text(each.run.workers, "worker") + ": " + seconds(each.run.makespan_ns) + " (" +
             each.file + ")\n";
    }
  }
  return out;
}

std::string rank_text(const plan& what, const std::vector<virtual_speed_up>& ranked, double now_ns) {
  if (ranked.size() < 2) return "";
  text_table table{{"name", "of the work", "half as long", "no time at all"}};
  const auto saved = [now_ns](double span_ns) {
    return seconds(span_ns) + " (" + fixed(100 * (span_ns / now_ns - 1), 1) + " %)";
  };
  for (const virtual_speed_up& each : ranked) {
    table.add({each.name.empty() ? "(no name)"s : each.name, fixed(100 * each.work_share, 1) + " %",
               saved(each.half_ns), saved(each.none_ns)});
  }
  return "\nWhich change would help most, with " + count_text(what.rank_at, "worker") + ":\n" + table.text();
}

// ---- files ----------------------------------------------------------------------------------------------------------

std::string chart_of(const plan& what, const forecast& found, const std::string& title) {
  const double base = base_ns(what);
  const auto speed = [base](double span_ns) { return base / std::max(1.0, span_ns); };
  plot::series predicted{.name = "predicted"};
  plot::series least{.name = "work and span", .is_dashed = true};
  plot::series greedy{.name = "greedy (Graham)", .is_dashed = true};
  plot::series burdened{.name = "burdened", .is_dashed = true};
  for (const forecast_point& each : found.points) {
    const auto x = static_cast<double>(each.workers);
    predicted.points.push_back({x, speed(each.mean_ns), std::min(speed(each.high_ns), speed(each.mean_ns)),
                                std::max(speed(each.low_ns), speed(each.mean_ns))});
    least.points.push_back({x, speed(static_cast<double>(each.least_ns))});
    greedy.points.push_back({x, speed(static_cast<double>(each.greedy_ns))});
    burdened.points.push_back({x, speed(static_cast<double>(each.burdened_ns))});
  }
  plot::series measured{.name = "measured"};
  for (const measured_run& each : what.measured) {
    measured.points.push_back(
        {static_cast<double>(each.run.workers), speed(static_cast<double>(each.run.makespan_ns))});
  }
  std::ranges::sort(measured.points, {}, &plot::point::x);
  return plot::to_svg(plot::chart{.title = title,
                                  .x_label = "workers",
                                  .y_label = "speed-up over the recorded work",
                                  .series = {predicted, measured, least, greedy, burdened},
                                  .log_x = true});
}

std::string write_report_page(const plan& what, const forecast& found, const std::vector<std::string>& notes,
                              const std::string& file) {
  if (what.recording.event_count() > k_most_curve_events) {
    throw failure("--report: the recording has " + count_text(what.recording.event_count(), "event") +
                  ", too many for a page; --plot draws the speed-ups alone");
  }
  report::speed_up_curve predicted{.name = "predicted", .points = {}};
  for (const forecast_point& each : found.points) {
    // After a change a run may take no time.
    const time_ns mean_ns = std::max<time_ns>(1, static_cast<time_ns>(each.mean_ns));
    const time_ns high_ns = std::max(mean_ns, static_cast<time_ns>(std::ceil(each.high_ns)));
    const time_ns low_ns = std::clamp<time_ns>(static_cast<time_ns>(each.low_ns), 1, mean_ns);
    predicted.points.push_back({each.workers, {mean_ns, low_ns, high_ns}});
  }
  report::speed_up_curve measured{.name = "measured", .points = {}};
  for (const measured_run& each : what.measured) {
    measured.points.push_back({each.run.workers, {std::max<time_ns>(1, each.run.makespan_ns), 0, 0}});
  }
  const report::page page{
      .title = "prediction",
      .runs = {{"recorded", &what.recording}},
      .speed_up =
          report::speed_up_chart{.work_ns = std::max<time_ns>(1, found.work_ns),
                                 .span_ns = std::clamp<time_ns>(found.span_ns, 1, std::max<time_ns>(1, found.work_ns)),
                                 .burdened_span_ns = std::max<time_ns>(1, found.burdened_span_ns),
                                 .curves = {predicted, measured}},
      .notes = notes};
  output_file out{file};
  out.finish(report::write_page(page, out.stream()));
  return "Wrote "s + file + ".\n";
}

nlohmann::ordered_json json_of(const plan& what, const forecast& found, const std::vector<virtual_speed_up>& ranked) {
  const auto s = [](double span_ns) { return span_ns * 1e-9; };
  nlohmann::ordered_json out{
      {"written_by", "filch " FILCH_VERSION},
      {"tasks", found.tasks},
      {"work_s", s(static_cast<double>(found.work_ns))},
      {"span_s", s(static_cast<double>(found.span_ns))},
      {"outside_s",
       {{"before", s(static_cast<double>(what.itself.outside.before_ns))},
        {"between", s(static_cast<double>(found.outside_ns))},
        {"after", s(static_cast<double>(what.itself.outside.after_ns))}}},
      {"burdened_span_s", s(static_cast<double>(found.burdened_span_ns))},
      {"recorded", {{"workers", what.itself.workers}, {"time_s", s(static_cast<double>(what.itself.makespan_ns))}}},
      {"machine", what.how.machine.name},
      {"policy", policy::describe(what.how.policy)},
      {"seed", what.how.seed},
      {"seeds", what.how.seeds},
      {"lost_events", what.changed.gaps},
      {"waits_left_out", what.changed.waits_left_out}};
  out["doubts"] = nlohmann::ordered_json::array();
  for (const analysis::doubt& each : what.doubts) {
    out["doubts"].push_back({{"id", each.id}, {"text", each.text}, {"advice", each.advice}});
  }
  out["what_if"] = nlohmann::ordered_json::array();
  for (const sim::change& each : what.changes) out["what_if"].push_back(each.text());
  for (const forecast_point& each : found.points) {
    out["rows"].push_back({{"workers", each.workers},
                           {"predicted_s", s(each.mean_ns)},
                           {"low_s", s(each.low_ns)},
                           {"high_s", s(each.high_ns)},
                           {"speed_up", base_ns(what) / std::max(1.0, each.mean_ns)},
                           {"least_s", s(static_cast<double>(each.least_ns))},
                           {"greedy_s", s(static_cast<double>(each.greedy_ns))},
                           {"burdened_s", s(static_cast<double>(each.burdened_ns))},
                           {"without_costs_s", s(each.free_ns)},
                           {"steals", each.steals},
                           {"inflation", each.inflation},
                           {"limit", name_of(each.limited_by)}});
  }
  for (const measured_run& each : what.measured) {
    out["measured"].push_back(
        {{"file", each.file}, {"workers", each.run.workers}, {"time_s", s(static_cast<double>(each.run.makespan_ns))}});
  }
  out["ranked_at"] = what.rank_at;
  out["ranked"] = nlohmann::ordered_json::array();
  for (const virtual_speed_up& each : ranked) {
    out["ranked"].push_back({{"name", each.name},
                             {"work_share", each.work_share},
                             {"half_s", s(each.half_ns)},
                             {"none_s", s(each.none_ns)}});
  }
  return out;
}

}  // namespace

void predict_command(const predict_arguments& given) {
  const plan what = make_plan(given);
  const forecast found = forecast_of(what.changed, what.how);
  const std::vector<virtual_speed_up> ranked = rank_names(what.changed, what.how, what.rank_at, k_ranked_names);
  std::string words;
  if (!what.doubts.empty()) words += "As far as the recording shows (see the warning):\n";
  if (found.points.size() > 1) words += limit_text(found, found.points.front());
  words += limit_text(found, found.points.back());
  std::string wrote;
  if (given.plot_file)
    wrote += write_plot_file(chart_of(what, found, "Speed-up of " + given.recording), *given.plot_file);
  if (given.report_file) wrote += write_report_page(what, found, {words}, *given.report_file);
  if (!given.json.empty()) {
    wrote += write_json(json_text(json_of(what, found, ranked)) + "\n", given.json.front());
    if (given.json.front().empty()) return;
  }
  double now_ns = 1;
  for (const forecast_point& each : found.points) {
    if (each.workers == what.rank_at) now_ns = each.mean_ns;
  }
  if (now_ns == 1) {
    forecast_options one = what.how;
    one.workers = {what.rank_at};
    now_ns = forecast_of(what.changed, one).points.front().mean_ns;
  }
  std::cout << head_text(what, found, given) << table_text(what, found) << other_measured_text(what, found) << "\n"
            << words << rank_text(what, ranked, now_ns) << wrote;
}

}  // namespace filch::tool
