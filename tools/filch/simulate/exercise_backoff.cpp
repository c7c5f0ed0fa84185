// Exercise 4: workers without work that look again at fixed times, ever more rarely, or sleep until they are woken.
#include <array>

#include "exercise.hpp"
#include "exercise_loads.hpp"
#include "in_parallel.hpp"
#include "observed.hpp"
#include "sample.hpp"

namespace filch::tool {
namespace {

struct way {
  const char* name;
  policy::idle idle;
  bool is_deaf;  // does not hear of new work while it waits
};

constexpr std::array k_ways{
    way{"look every 0.1 s", policy::idle::poll(seconds_ns(0.1)), true},
    way{"back off, 0.05 to 0.5 s",
        {.initial_ns = seconds_ns(0.05), .factor = 2, .cap_ns = seconds_ns(0.5), .cycles = policy::idle::k_forever},
        true},
    way{"sleep, woken by new work", policy::idle::eco, false}};

constexpr time_ns k_wake_ns = 50 * k_ns_per_us;  // what waking a sleeping thread takes; a guess on the high side

constexpr std::uint32_t k_batch_workers = 8;
constexpr std::uint32_t k_batch_tasks = 20;
constexpr std::uint32_t k_stream_workers = 4;
constexpr std::uint32_t k_stream_tasks = 400;
constexpr double k_load = 0.5;
constexpr double k_mean_s = 1.25;  // of a task

struct measured {
  double makespan_s = 0;
  double idle_s = 0;         // all workers together, awake or asleep
  double failed_sweeps = 0;  // rounds over all others that found nothing
  double wait_s = 0;         // of a task, from its arrival to its start
  double sweeps_per_task = 0;
};

// A sweep that finds nothing is as many empty looks in a row as there are others.
double failed_sweeps(const trace::recording& of) {
  double sweeps = 0;
  for (const auto& events : of.workers) {
    std::size_t empty = 0;
    for (const trace::event& e : events) {
      if (e.kind == trace::event_kind::steal_success) empty = 0;
      if (e.kind != trace::event_kind::steal_empty) continue;
      if (++empty == of.workers.size() - 1) {
        ++sweeps;
        empty = 0;
      }
    }
  }
  return sweeps;
}

measured run_one(std::uint32_t workers, const way& how, sim::workload& load, std::uint64_t seed) {
  sim::machine_model machine = sim::machine_model::free(workers);
  machine.costs.wake_ns = k_wake_ns;
  policy::search_options policy = lesson_policy();
  policy.idle = how.idle;
  observed_workload seen{load};
  trace::recording events;
  const sim::run_result result =
      sim::simulate(machine, policy, seen, {.seed = seed, .deaf_waits = how.is_deaf, .record = &events});
  measured out{.makespan_s = in_seconds(result.makespan_ns),
               .idle_s = in_seconds(result.total_use().idle_ns()),
               .failed_sweeps = failed_sweeps(events)};
  const auto tasks = static_cast<double>(seen.tasks().size());
  for (const observed_task& each : seen.tasks()) out.wait_s += in_seconds(each.wait_ns()) / tasks;
  out.sweeps_per_task = out.failed_sweeps / tasks;
  return out;
}

// Tasks that come one by one, at random times, to random workers.
sim::task_list stream(std::uint64_t seed) {
  sim::task_list made;
  random_stream random{seed};
  double at_s = 0;
  for (std::uint32_t i = 0; i != k_stream_tasks; ++i) {
    at_s += random.exponential(k_mean_s / (k_load * k_stream_workers));
    made.add(uniform_ns(random, 0.5, 2.0), sim::target::by_policy(), seconds_ns(at_s));
  }
  return made;
}

struct both {
  measured batch;
  measured stream;
};

sample_summary summary(std::span<const both> runs, measured both::* part, double measured::* which) {
  std::vector<double> values;
  for (const both& each : runs) values.push_back((each.*part).*which);
  return summary_of(values);
}

exercise_answer answer(const exercise_options& how) {
  std::vector<both> runs(k_ways.size() * how.seeds);
  in_parallel(runs.size(), [&](std::uint64_t i) {
    const way& chosen = k_ways[i / how.seeds];
    const std::uint64_t seed = how.first_seed + i % how.seeds;
    sim::task_list batch = uniform_tasks(k_batch_tasks, 0.5, 2.0, seed);
    sim::task_list arriving = stream(seed);
    runs[i] = {run_one(k_batch_workers, chosen, batch, seed), run_one(k_stream_workers, chosen, arriving, seed)};
  });
  exercise_answer out;
  text_table batch{{"workers without work", "time s", "idle s", "failed sweeps"}};
  text_table arriving{{"workers without work", "wait of a task s", "failed sweeps per task"}};
  std::array<double, k_ways.size()> waits{};
  for (std::size_t w = 0; w != k_ways.size(); ++w) {
    const auto of_way = std::span{runs}.subspan(w * how.seeds, how.seeds);
    const sample_summary time = summary(of_way, &both::batch, &measured::makespan_s);
    const sample_summary idle = summary(of_way, &both::batch, &measured::idle_s);
    const sample_summary sweeps = summary(of_way, &both::batch, &measured::failed_sweeps);
    const sample_summary wait = summary(of_way, &both::stream, &measured::wait_s);
    const sample_summary per_task = summary(of_way, &both::stream, &measured::sweeps_per_task);
    waits[w] = wait.mean;
    batch.add({k_ways[w].name, spread_text(time, 2), spread_text(idle, 2), spread_text(sweeps, 1)});
    arriving.add({k_ways[w].name, spread_text(wait, 3), spread_text(per_task, 2)});
    out.json["rows"].push_back({{"way", k_ways[w].name},
                                {"batch_makespan_s", time.mean},
                                {"batch_idle_s", idle.mean},
                                {"batch_failed_sweeps", sweeps.mean},
                                {"stream_wait_s", wait.mean},
                                {"stream_wait_sd", wait.sd},
                                {"stream_failed_sweeps_per_task", per_task.mean}});
  }
  out.tables.push_back({"20 tasks at the beginning, 8 workers", std::move(batch)});
  out.tables.push_back({"400 tasks that arrive at random, 4 workers, half of their time busy", std::move(arriving)});
  out.sentence =
      "When all tasks are there at the beginning, backing off saves looks and changes nothing else; when they "
      "arrive one by one it lets each wait longer ("s +
      fixed(waits[0], 3) + " → " + fixed(waits[1], 3) +
      " s), and workers that sleep until new work wakes them are better at both (" + fixed(waits[2], 3) +
      " s, hardly a look in vain).";
  return out;
}

}  // namespace

constinit const exercise k_exercise_backoff{
    .number = 4,
    .question =
        "Wait longer after each failed search, 0.05 s doubling up to 0.5 s: what does it save, what does it cost?",
    .answer = answer};

}  // namespace filch::tool
