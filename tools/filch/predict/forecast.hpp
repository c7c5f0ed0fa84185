// How long recorded tasks take with other numbers of workers, and what limits them.
//
// The simulator replays the tasks; its workers use the same policies as threads do. The recorded times include the
// costs of making and taking tasks; the replay adds only the costs of other workers: searching, stealing, waking, cold
// caches.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/policy/options.hpp>
#include <filch/sim/replay.hpp>
#include <filch/trace/recording.hpp>
#include <machine_file.hpp>
#include <optional>
#include <outside_time.hpp>
#include <string>
#include <vector>

namespace filch::tool {

// What a recording shows beside its tasks.
struct recorded_run {
  std::uint32_t workers = 0;
  time_ns makespan_ns = 0;  // from the first spawn or start to the last end
  analysis::outside_time outside = {};
  // From the end of a task to the start of the next on the same worker, when nothing but handling lay between: the
  // median. None: there are too few.
  std::optional<time_ns> between_tasks_ns = {};
};
[[nodiscard]] recorded_run look_at(const trace::recording& what);

// Work at `workers` workers takes `factor` times as long as it was recorded: memory and caches are shared.
struct inflation_point {
  std::uint32_t workers = 1;
  double factor = 1;
};

struct forecast_options {
  std::vector<std::uint32_t> workers{1};
  scenario::machine_description machine{};
  policy::search_options policy{};
  std::uint64_t seed = 1;
  std::uint32_t seeds = 1;
  std::optional<time_ns> between_tasks_ns = {};  // none: what the machine file says
  std::vector<inflation_point> inflation{};      // by number of workers; between two the factor is interpolated
};

// What a run loses against its work divided evenly among the workers, in nanoseconds of the whole run.
enum class limit : std::uint8_t {
  nothing,   // it loses little
  span,      // the longest chain of work
  shape,     // at times too few tasks are ready
  outside,   // no task is alive: the program does serial work between two parallel operations
  arrivals,  // tasks are submitted from outside no earlier
  signals,   // tasks wait for each other: locks, channels
  steals,    // looking for work, stealing it, waking workers, cold caches
  memory,    // the work itself takes longer when more workers do it
};
[[nodiscard]] const char* name_of(limit what);

struct forecast_point {
  std::uint32_t workers = 1;
  double mean_ns = 0;  // over the seeds
  double low_ns = 0;   // … the shortest and the longest
  double high_ns = 0;
  double free_ns = 0;     // the same without any costs
  double inflation = 1;   // of work
  double steals = 0;      // mean
  time_ns least_ns = 0;   // no schedule is faster: work and span
  time_ns greedy_ns = 0;  // Graham: a greedy schedule without costs is not slower
  time_ns burdened_ns = 0;
  limit limited_by = limit::nothing;
};

struct forecast {
  std::uint64_t tasks = 0;
  time_ns work_ns = 0;
  time_ns span_ns = 0;
  time_ns outside_ns = 0;  // … of it, without any task
  time_ns burdened_span_ns = 0;
  std::vector<forecast_point> points;
};

// The whole cost of a steal on the longest chain: the burden of a step between workers.
[[nodiscard]] time_ns burden_of(const sim::machine_costs& costs);

[[nodiscard]] double inflation_at(const std::vector<inflation_point>& known, std::uint32_t workers);

// Runs everything in parallel. Throws `failure` when a replay gets stuck.
[[nodiscard]] forecast forecast_of(const sim::recorded_tasks& tasks, const forecast_options& how);

// "the span: …" with its figures, for people.
[[nodiscard]] std::string limit_text(const forecast& all, const forecast_point& at);

// ---- which change would help most -----------------------------------------------------------------------------------

struct virtual_speed_up {
  std::string name;
  double work_share = 0;  // of all work
  double half_ns = 0;     // time when tasks of that name take half as long
  double none_ns = 0;     // … and no time at all
};

// The names with the most work, those first that help most when they take no time; with `workers` workers.
[[nodiscard]] std::vector<virtual_speed_up> rank_names(const sim::recorded_tasks& tasks, const forecast_options& how,
                                                       std::uint32_t workers, std::size_t most_names);

}  // namespace filch::tool
