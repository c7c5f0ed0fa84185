#include "forecast.hpp"

#include <algorithm>
#include <cmath>
#include <filch/sim/theory.hpp>
#include <filch/sim/what_if.hpp>
#include <filch/sim/worker_model.hpp>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "../errors.hpp"
#include "../simulate/in_parallel.hpp"
#include "../text.hpp"

namespace filch::tool {
namespace {

using act = sim::recorded_tasks::act;
using trace::event;
using trace::event_kind;

// A run that loses less than this part of its time has no limit worth a sentence.
constexpr double k_little = 0.1;
// What is more than this part of a loss is the cause of it.
constexpr double k_most_of = 0.5;
// A run so close to its span is limited by it.
constexpr double k_near_span = 1.2;

// Costs that the recorded times hold already are left out; what passed between two tasks is not in them.
sim::machine_costs added_costs(const forecast_options& how) {
  sim::machine_costs out = how.machine.costs;
  out.spawn_ns = 0;
  out.push_ns = 0;
  if (how.between_tasks_ns) {
    out.resume_ns = out.pop_ns = out.inbox_ns = out.injector_ns = *how.between_tasks_ns;
  }
  return out;
}

sim::machine_model machine_of(const forecast_options& how, std::uint32_t workers, bool is_free) {
  scenario::machine_description described = how.machine;
  described.costs = is_free ? sim::machine_costs{} : added_costs(how);
  return scenario::make_machine(described, workers);
}

struct outcome {
  time_ns makespan_ns = 0;
  std::uint64_t steals = 0;
};

// The simulator counts nanoseconds in 63 bits. A recording of a day passes with room to spare; one that contradicts
// itself may not.
void require_countable(const sim::recorded_tasks& tasks, const forecast_options& how, double inflation) {
  constexpr double k_most_ns = 0x1p61;
  constexpr double k_handlings = 8;  // of one act, at most: taking a task, resuming it, waking a worker
  const sim::machine_costs added = added_costs(how);
  const time_ns taking_ns = std::max({added.resume_ns, added.pop_ns, added.inbox_ns, added.injector_ns});
  const auto handling_ns = static_cast<double>(taking_ns + burden_of(how.machine.costs));
  const double all_ns = static_cast<double>(tasks.work_ns()) * inflation +
                        k_handlings * handling_ns * static_cast<double>(tasks.acts.size() + tasks.size()) +
                        static_cast<double>(tasks.roots.back().at_ns);
  if (all_ns > k_most_ns) throw failure("the replay would take longer than the simulator can count: 73 years");
}

outcome run_once(const sim::recorded_tasks& tasks, const forecast_options& how, std::uint32_t workers,
                 std::uint64_t seed, bool is_free) {
  const double inflation = inflation_at(how.inflation, workers);
  require_countable(tasks, how, inflation);
  sim::replay load{tasks};
  load.inflate(static_cast<std::uint32_t>(std::lround(inflation * 1e6)));
  const sim::run_result result = sim::simulate(machine_of(how, workers, is_free), how.policy, load, {.seed = seed});
  if (!result.is_complete) {
    throw failure("the replay with " + count_text(workers, "worker") +
                  " got stuck: " + count_text(result.unfinished, "task") + " never ended");
  }
  return {result.makespan_ns, result.total_counts()[trace::count::stolen_by_me]};
}

sim::recorded_tasks without_signals(const sim::recorded_tasks& tasks) {
  sim::recorded_tasks out = tasks;
  for (act& each : out.acts) {
    if (each.what() == act::kind::signal || each.what() == act::kind::wait) each = {act::kind::work, 0};
  }
  return out;
}

// The spans hold the time without any task, and the arrivals.
struct facts {
  time_ns work_ns = 0;
  time_ns span_ns = 0;
  time_ns unsignalled_span_ns = 0;
  time_ns outside_ns = 0;
  time_ns arrivals_ns = 0;

  // What runs tasks, so more workers may shorten it.
  [[nodiscard]] time_ns span_of_tasks_ns() const { return span_ns - outside_ns; }
};

// Work and span bound the time in which tasks are alive; the rest comes on top with any number of workers.
time_ns least_ns(const facts& of, std::uint32_t workers) {
  return of.outside_ns + sim::theory::least_ns(of.work_ns, of.span_of_tasks_ns(), workers);
}

// Graham's bound. The longest chain may be longer than all work, when it waits for tasks from outside.
time_ns greedy_ns(const facts& of, std::uint32_t workers) {
  const time_ns span_ns = of.span_of_tasks_ns();
  if (span_ns <= of.work_ns) return of.outside_ns + sim::theory::greedy_most_ns(of.work_ns, span_ns, workers);
  return of.outside_ns + span_ns - (span_ns - of.work_ns) / workers;
}

limit limit_of(const facts& of, const forecast_point& at) {
  const double even_ns = static_cast<double>(of.work_ns) / at.workers;
  const double memory_ns = (at.inflation - 1) * even_ns;
  const double shape_ns = std::max(0.0, at.free_ns - at.inflation * even_ns);
  const double steal_ns = std::max(0.0, at.mean_ns - at.free_ns);
  if (memory_ns + shape_ns + steal_ns < k_little * at.mean_ns) return limit::nothing;
  if (memory_ns >= shape_ns && memory_ns >= steal_ns) return limit::memory;
  if (steal_ns >= shape_ns) return limit::steals;
  if (static_cast<double>(of.outside_ns) > k_most_of * shape_ns) return limit::outside;
  if (static_cast<double>(of.arrivals_ns + of.outside_ns) > (1 - k_little) * at.free_ns) return limit::arrivals;
  const auto span_ns = at.inflation * static_cast<double>(of.span_ns);
  if (at.free_ns > k_near_span * span_ns) return limit::shape;
  return static_cast<double>(of.unsignalled_span_ns) < static_cast<double>(of.span_ns) / k_near_span ? limit::signals
                                                                                                     : limit::span;
}

std::string percent(double part) { return fixed(100 * part, 0) + " %"; }
std::string seconds(double span_ns) { return duration_text(span_ns * 1e-9); }

}  // namespace

const char* name_of(limit what) {
  switch (what) {
    case limit::nothing:
      return "nothing";
    case limit::span:
      return "span";
    case limit::shape:
      return "shape";
    case limit::outside:
      return "outside";
    case limit::arrivals:
      return "arrivals";
    case limit::signals:
      return "signals";
    case limit::steals:
      return "steals";
    case limit::memory:
      return "memory";
  }
  return "";
}

namespace {

// From fewer breaks between tasks nothing is learned of what handling costs (a guess).
constexpr std::size_t k_fewest_breaks = 100;

// When tasks from outside became ready.
std::unordered_map<std::uint64_t, time_ns> arrivals_of(const trace::recording& what) {
  std::unordered_map<std::uint64_t, time_ns> out;
  for (const event& one : what.outside) {
    const bool is_arrival =
        one.kind == event_kind::spawn || one.kind == event_kind::inject || one.kind == event_kind::woken;
    if (is_arrival && one.task != trace::k_no_task) out[one.task] = one.time_ns;
  }
  return out;
}

// The breaks between two tasks of a worker in which it only looked at its own queues, and did not wait for the second.
class breaks {
 public:
  explicit breaks(const trace::recording& what) : arrivals_{arrivals_of(what)} {
    for (const auto& list : what.workers) read(list);
  }

  [[nodiscard]] std::optional<time_ns> median_ns() {
    if (lengths_ns_.size() < k_fewest_breaks) return std::nullopt;
    const auto middle = lengths_ns_.begin() + static_cast<std::ptrdiff_t>(lengths_ns_.size() / 2);
    std::ranges::nth_element(lengths_ns_, middle);
    return *middle;
  }

 private:
  void read(const std::vector<event>& list) {
    time_ns ended_ns = k_never_ns;  // of the task before, when nothing but looking at own queues came since
    for (const event& one : list) {
      switch (one.kind) {
        case event_kind::end:
          ended_ns = one.time_ns;
          break;
        case event_kind::start:
        case event_kind::resume: {
          const auto arrival = arrivals_.find(one.task);
          const bool was_there = arrival == arrivals_.end() || arrival->second <= ended_ns;
          if (ended_ns != k_never_ns && was_there) lengths_ns_.push_back(one.time_ns - ended_ns);
          ended_ns = k_never_ns;
          break;
        }
        case event_kind::steal_attempt:
        case event_kind::park:
        case event_kind::join:
        case event_kind::spawn:
          ended_ns = k_never_ns;
          break;
        default:
          break;
      }
    }
  }

  const std::unordered_map<std::uint64_t, time_ns> arrivals_;
  std::vector<time_ns> lengths_ns_;
};

}  // namespace

recorded_run look_at(const trace::recording& what) {
  recorded_run out{.workers = static_cast<std::uint32_t>(what.workers.size())};
  time_ns first_ns = k_never_ns;
  time_ns last_ns = 0;
  const auto note_begin = [&](const std::vector<event>& list) {
    const auto found = std::ranges::find_if(
        list, [](const event& one) { return one.kind == event_kind::spawn || one.kind == event_kind::start; });
    if (found != list.end()) first_ns = std::min<time_ns>(first_ns, found->time_ns);
  };
  note_begin(what.outside);
  for (const auto& list : what.workers) {
    note_begin(list);
    for (const event& one : list) {
      if (one.kind == event_kind::end) last_ns = std::max<time_ns>(last_ns, one.time_ns);
    }
  }
  if (first_ns == k_never_ns) return out;
  last_ns = std::max(first_ns, last_ns);
  out.makespan_ns = last_ns - first_ns;
  out.outside = analysis::outside_time_of(what, first_ns, last_ns);
  out.between_tasks_ns = breaks{what}.median_ns();
  return out;
}

time_ns burden_of(const sim::machine_costs& costs) {
  time_ns steal_ns = 0;
  for (const sim::steal_cost& each : costs.steal) steal_ns = std::max(steal_ns, each.success_ns);
  time_ns migration_ns = 0;
  for (const time_ns each : costs.migration_ns) migration_ns = std::max(migration_ns, each);
  return steal_ns + migration_ns + costs.notice_ns + costs.resume_ns;
}

double inflation_at(const std::vector<inflation_point>& known, std::uint32_t workers) {
  inflation_point below{.workers = 1, .factor = 1};
  for (const inflation_point& each : known) {
    if (each.workers <= workers) {
      below = each;
      continue;
    }
    const double share = static_cast<double>(workers - below.workers) / (each.workers - below.workers);
    return below.factor + share * (each.factor - below.factor);
  }
  return below.factor;
}

forecast forecast_of(const sim::recorded_tasks& tasks, const forecast_options& how) {
  facts of{.work_ns = tasks.work_ns(),
           .span_ns = tasks.span_ns(),
           .outside_ns = tasks.outside_ns(),
           .arrivals_ns = tasks.arrivals_ns()};
  of.unsignalled_span_ns = tasks.signals == 0 ? of.span_ns : without_signals(tasks).span_ns();
  forecast out{.tasks = tasks.size(),
               .work_ns = of.work_ns,
               .span_ns = of.span_ns,
               .outside_ns = of.outside_ns,
               .burdened_span_ns = tasks.span_ns(burden_of(how.machine.costs)),
               .points = {}};
  // For each number of workers: every seed, then one run without costs.
  const std::size_t runs = how.seeds + std::size_t{1};
  std::vector<outcome> all(how.workers.size() * runs);
  in_parallel(all.size(), [&](std::uint64_t i) {
    const std::uint64_t run = i % runs;
    all[i] = run_once(tasks, how, how.workers[i / runs], how.seed + run % how.seeds, run == how.seeds);
  });
  for (std::size_t p = 0; p != how.workers.size(); ++p) {
    const std::uint32_t workers = how.workers[p];
    forecast_point point{.workers = workers, .inflation = inflation_at(how.inflation, workers)};
    point.low_ns = static_cast<double>(all[p * runs].makespan_ns);
    for (std::uint32_t s = 0; s != how.seeds; ++s) {
      const outcome& each = all[p * runs + s];
      const auto run_ns = static_cast<double>(each.makespan_ns);
      point.mean_ns += run_ns / how.seeds;
      point.low_ns = std::min(point.low_ns, run_ns);
      point.high_ns = std::max(point.high_ns, run_ns);
      point.steals += static_cast<double>(each.steals) / how.seeds;
    }
    point.mean_ns = std::clamp(point.mean_ns, point.low_ns, point.high_ns);
    point.free_ns = static_cast<double>(all[p * runs + how.seeds].makespan_ns);
    point.least_ns = least_ns(of, workers);
    point.greedy_ns = greedy_ns(of, workers);
    const time_ns burdened_ns = out.burdened_span_ns - of.outside_ns;
    point.burdened_ns = of.outside_ns + sim::theory::burdened_ns(of.work_ns, burdened_ns, workers);
    point.limited_by = limit_of(of, point);
    out.points.push_back(point);
  }
  return out;
}

std::string limit_text(const forecast& all, const forecast_point& at) {
  const double even_ns = static_cast<double>(all.work_ns) / at.workers;
  const std::string with = "With " + count_text(at.workers, "worker") + " ";
  switch (at.limited_by) {
    case limit::nothing:
      return with + "nothing limits much: " + percent(even_ns / at.mean_ns) + " of the workers' time is work.\n";
    case limit::span:
      return with + "the span limits: the longest chain of work takes " + seconds(static_cast<double>(all.span_ns)) +
             " of " + seconds(at.mean_ns) + ". More workers do not help; a shorter chain does.\n";
    case limit::shape:
      return with +
             "the shape of the work limits: at times fewer tasks are ready than workers exist. Even without any "
             "costs it takes " +
             seconds(at.free_ns) + ", evenly divided " + seconds(even_ns) + "; finer tasks or more of them help.\n";
    case limit::outside:
      return with +
             "the time outside of tasks limits: between its parallel operations the program does serial work "
             "for " +
             seconds(static_cast<double>(all.outside_ns)) + " of " + seconds(at.mean_ns) +
             ". More workers do not help; moving that work into tasks, or doing less of it, does.\n";
    case limit::arrivals:
      return with +
             "the arrivals limit: tasks are submitted from outside until shortly before the end, as late as in the "
             "recording.\n";
    case limit::signals:
      return with + "waits between tasks limit: the chain through locks, channels and events takes " +
             seconds(static_cast<double>(all.span_ns)) + " of " + seconds(at.mean_ns) + ".\n";
    case limit::steals:
      return with + "steals limit: searching, stealing and waking cost " + seconds(at.mean_ns - at.free_ns) + " of " +
             seconds(at.mean_ns) + ", for " + fixed(at.steals, 0) + " steals; larger tasks help.\n";
    case limit::memory:
      return with + "memory limits: the work itself takes " + percent(at.inflation - 1) +
             " longer than in the recording.\n";
  }
  return "";
}

std::vector<virtual_speed_up> rank_names(const sim::recorded_tasks& tasks, const forecast_options& how,
                                         std::uint32_t workers, std::size_t most_names) {
  const std::vector<time_ns> work_ns = tasks.work_by_name_ns();
  std::vector<std::uint32_t> names(work_ns.size());
  std::iota(names.begin(), names.end(), 0u);
  std::ranges::sort(names, {}, [&](std::uint32_t i) { return std::pair{-work_ns[i], i}; });
  if (names.size() > most_names) names.resize(most_names);
  const double all_ns = std::max(1.0, static_cast<double>(std::accumulate(work_ns.begin(), work_ns.end(), time_ns{0})));
  std::vector<virtual_speed_up> out;
  for (const std::uint32_t each : names) {
    out.push_back({.name = tasks.names[each], .work_share = static_cast<double>(work_ns[each]) / all_ns});
  }
  in_parallel(2 * names.size(), [&](std::uint64_t i) {
    const sim::recorded_tasks changed = sim::scaled(tasks, names[i / 2], i % 2 == 0 ? 0.5 : 0.0);
    const outcome found = run_once(changed, how, workers, how.seed, false);
    (i % 2 == 0 ? out[i / 2].half_ns : out[i / 2].none_ns) = static_cast<double>(found.makespan_ns);
  });
  std::ranges::sort(out, {},
                    [](const virtual_speed_up& one) { return std::tuple{one.none_ns, -one.work_share, one.name}; });
  return out;
}

}  // namespace filch::tool
