// Exercise 1: the same twenty tasks on more and more workers.
#include "exercise.hpp"
#include "exercise_loads.hpp"
#include "in_parallel.hpp"
#include "sample.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_tasks = 20;
constexpr std::uint32_t k_workers[] = {2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 32};
constexpr std::size_t k_cases = std::size(k_workers);
// More workers help as long as the mean time falls by more than this share of it.
constexpr double k_no_help = 0.005;

struct measured {
  double rate_percent = 0;
  double makespan_s = 0;
  double efficiency_percent = 0;
};

measured run_one(std::uint32_t workers, std::uint64_t seed) {
  sim::task_list load = uniform_tasks(k_tasks, 0.5, 2.0, seed);
  const time_ns work_ns = load.work_ns();
  const sim::run_result result =
      sim::simulate(sim::machine_model::free(workers), lesson_policy(), load, {.seed = seed});
  const double makespan_s = in_seconds(result.makespan_ns);
  return {.rate_percent = 100 * share_of(result.total_counts()[trace::count::stolen_by_me], k_tasks),
          .makespan_s = makespan_s,
          .efficiency_percent = 100 * in_seconds(work_ns) / (makespan_s * workers)};
}

template <class Value>
sample_summary summary(std::span<const measured> runs, Value measured::* which) {
  std::vector<double> values;
  for (const measured& each : runs) values.push_back(each.*which);
  return summary_of(values);
}

exercise_answer answer(const exercise_options& how) {
  std::vector<measured> runs(k_cases * how.seeds);
  in_parallel(runs.size(),
              [&](std::uint64_t i) { runs[i] = run_one(k_workers[i / how.seeds], how.first_seed + i % how.seeds); });
  exercise_answer out;
  text_table table{{"workers", "steal rate %", "time s", "efficiency %"}};
  plot::series curve{.name = "20 tasks of 0.5 to 2 s"};
  plot::series ideal{.name = "work / workers", .is_dashed = true};
  std::vector<sample_summary> times;
  std::vector<sample_summary> efficiencies;
  for (std::size_t c = 0; c != k_cases; ++c) {
    const auto of_case = std::span{runs}.subspan(c * how.seeds, how.seeds);
    const sample_summary rate = summary(of_case, &measured::rate_percent);
    times.push_back(summary(of_case, &measured::makespan_s));
    efficiencies.push_back(summary(of_case, &measured::efficiency_percent));
    const sample_summary& time = times.back();
    table.add({std::to_string(k_workers[c]), spread_text(rate, 1), spread_text(time, 2),
               spread_text(efficiencies.back(), 1)});
    out.json["rows"].push_back({{"workers", k_workers[c]},
                                {"steal_rate_percent", rate.mean},
                                {"steal_rate_sd", rate.sd},
                                {"makespan_s", time.mean},
                                {"makespan_sd", time.sd},
                                {"efficiency_percent", efficiencies.back().mean}});
    curve.points.push_back({static_cast<double>(k_workers[c]), time.mean, time.mean - time.sd, time.mean + time.sd});
    ideal.points.push_back({static_cast<double>(k_workers[c]), 1.25 * k_tasks / k_workers[c]});
  }
  std::size_t last = k_cases - 1;
  while (last != 0 && times[last - 1].mean < times.back().mean * (1 + k_no_help)) --last;
  out.tables.push_back({"Twenty tasks of 0.5 to 2 s on random workers, mean ± standard deviation", std::move(table)});
  out.sentence = "Up to 8 workers each one helps, though less and less (efficiency "s +
                 fixed(efficiencies.front().mean, 0) + " % with 2, " + fixed(efficiencies[6].mean, 0) +
                 " % with 8); beyond " + std::to_string(k_workers[last]) +
                 " workers the longest task alone decides, and more workers only steal more.";
  out.json["stops_at"] = k_workers[last];
  out.chart = {.title = "Exercise 1: time against workers",
               .x_label = "workers",
               .y_label = "time in s (band: ± standard deviation)",
               .series = {std::move(curve), std::move(ideal)}};
  return out;
}

}  // namespace

constinit const exercise k_exercise_workers{
    .number = 1,
    .question = "20 tasks on 2 to 8 workers and more: how does the steal rate change, and when do more stop helping?",
    .answer = answer};

}  // namespace filch::tool
