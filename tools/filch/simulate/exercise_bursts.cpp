// Exercise 5: a burst of tasks for worker 0, another for worker 1 later, and three ways to choose a victim.
#include <array>

#include "exercise.hpp"
#include "exercise_loads.hpp"
#include "in_parallel.hpp"
#include "sample.hpp"

namespace filch::tool {
namespace {

using policy::victims;

constexpr std::array k_victims{victims::random, victims::best_of_two, victims::largest};
constexpr std::uint32_t k_burst = 40;  // tasks of 0.5 to 2 s

struct setting {
  const char* name;
  std::uint32_t workers;
  double second_s;  // when the second burst comes
  double look_s;    // the time of one look at a victim's queue
};

constexpr std::array k_settings{setting{"4 workers, the second burst after the first is done", 4, 60, 0},
                                setting{"4 workers, the second burst at 5 s", 4, 5, 0},
                                setting{"8 workers, the second burst at 5 s, a look takes 50 ms", 8, 5, 0.05}};

// How many queues a thief looks at for one visit: the longest is known only after a look at all.
std::uint32_t looks_per_visit(victims how, std::uint32_t workers) {
  if (how == victims::largest) return workers - 1;
  return how == victims::best_of_two ? 2 : 1;
}

struct measured {
  double makespan_s = 0;
  double steals = 0;
};

measured run_one(const setting& where, victims how, std::uint64_t seed) {
  sim::task_list load;
  random_stream random{seed};
  for (const std::uint32_t burst : {0u, 1u}) {
    const time_ns at_ns = burst == 0 ? 0 : seconds_ns(where.second_s);
    for (std::uint32_t i = 0; i != k_burst; ++i) {
      load.add(uniform_ns(random, 0.5, 2.0), sim::target::at(worker_id{burst}), at_ns);
    }
  }
  const std::uint32_t looks = looks_per_visit(how, where.workers);
  const time_ns visit_ns = looks * seconds_ns(where.look_s);
  sim::machine_model machine = sim::machine_model::free(where.workers);
  machine.costs.steal = {{.success_ns = visit_ns, .empty_ns = visit_ns, .lost_ns = visit_ns}};
  policy::search_options policy = lesson_policy();
  policy.victims = how;
  policy.idle.attempts_per_cycle = (where.workers - 1 + looks - 1) / looks;  // a round looks at each queue about once
  const sim::run_result result = sim::simulate(machine, policy, load, {.seed = seed});
  return {.makespan_s = in_seconds(result.makespan_ns),
          .steals = static_cast<double>(result.total_counts()[trace::count::stolen_by_me])};
}

std::vector<double> values(std::span<const measured> runs, double measured::* which) {
  std::vector<double> out;
  for (const measured& each : runs) out.push_back(each.*which);
  return out;
}

exercise_answer answer(const exercise_options& how) {
  const std::uint64_t per_setting = k_victims.size() * how.seeds;
  std::vector<measured> runs(k_settings.size() * per_setting);
  in_parallel(runs.size(), [&](std::uint64_t i) {
    runs[i] = run_one(k_settings[i / per_setting], k_victims[i / how.seeds % k_victims.size()],
                      how.first_seed + i % how.seeds);
  });
  exercise_answer out;
  std::array<std::array<double, k_victims.size()>, k_settings.size()> later{};
  std::array<double, k_settings.size()> fewer{};
  for (std::size_t s = 0; s != k_settings.size(); ++s) {
    text_table table{{"victims", "stolen", "time s", "time beyond random s"}};
    std::vector<double> random_times;
    double random_steals = 0;
    for (std::size_t v = 0; v != k_victims.size(); ++v) {
      const auto of_case = std::span{runs}.subspan(s * per_setting + v * how.seeds, how.seeds);
      const std::vector<double> times = values(of_case, &measured::makespan_s);
      const sample_summary steals = summary_of(values(of_case, &measured::steals));
      if (v == 0) {
        random_times = times;
        random_steals = steals.mean;
      }
      std::vector<double> beyond;
      for (std::size_t i = 0; i != times.size(); ++i) beyond.push_back(times[i] - random_times[i]);
      const sample_summary time = summary_of(times);
      const sample_summary difference = summary_of(beyond);
      later[s][v] = difference.mean;
      fewer[s] = random_steals - steals.mean;
      const std::string name{policy::to_string(k_victims[v])};
      table.add({name, spread_text(steals, 1), spread_text(time, 2), v == 0 ? "" : interval_text(difference, 3)});
      out.json["rows"].push_back({{"setting", k_settings[s].name},
                                  {"victims", name},
                                  {"stolen", steals.mean},
                                  {"stolen_sd", steals.sd},
                                  {"makespan_s", time.mean},
                                  {"makespan_sd", time.sd},
                                  {"beyond_random_s", difference.mean},
                                  {"half_width", difference.half_width}});
    }
    out.tables.push_back(
        {std::string{k_settings[s].name} + "; the last column with its 95 % interval", std::move(table)});
  }
  out.sentence =
      "The longest queue is no better victim than a random one: as long as one queue is loaded both take the "
      "same; with two it saves a few thefts ("s +
      fixed(fewer[1], 1) + ") and no time; and when a look costs 50 ms, looking at all queues makes the run " +
      fixed(later[2].back(), 2) + " s longer, and looking at two at a time " + fixed(later[2][1], 2) + " s.";
  return out;
}

}  // namespace

constinit const exercise k_exercise_bursts{
    .number = 5,
    .question =
        "Tasks arrive in bursts, first for worker 0 and later for worker 1: does robbing the longest queue help?",
    .answer = answer};

}  // namespace filch::tool
