// Exercise 3: parents that wait for their children, in three ways.
#include <array>

#include "exercise.hpp"
#include "exercise_loads.hpp"
#include "in_parallel.hpp"
#include "observed.hpp"
#include "sample.hpp"

namespace filch::tool {
namespace {

using sim::join_mode;

constexpr std::uint32_t k_workers[] = {1, 2, 4, 8, 16};
constexpr std::size_t k_shown = 2;  // which of them the other tables are about
constexpr std::array k_modes{join_mode::continuation, join_mode::helping, join_mode::blocking};
constexpr const char* k_names[] = {"continuation", "helping", "blocking"};

// Five roots; 4 in 10 tasks have 1 to 3 children in the middle of their work and wait for them.
sim::branching_options load_options(join_mode how) {
  return {.child_most_ns = seconds_ns(0.8), .probability = 0.4, .join = how};
}

struct measured {
  bool is_stuck = false;
  double makespan_s = 0;
  // Means over the parents of the run, and how many there were.
  double wait_s = 0;
  double child_span_s = 0;
  double longer_s = 0;  // from start to end, beyond the own work
  std::uint64_t parents = 0;
};

measured run_one(std::uint32_t workers, join_mode how, std::uint64_t seed) {
  sim::branching_tasks load{load_options(how), seed};
  observed_workload seen{load};
  const sim::run_result result =
      sim::simulate(sim::machine_model::free(workers), lesson_policy(), seen, {.seed = seed});
  measured out{.is_stuck = result.end == sim::run_end::stuck, .makespan_s = in_seconds(result.makespan_ns)};
  if (out.is_stuck) return out;
  const std::vector<time_ns> spans_ns = seen.spans_ns();
  for (std::size_t i = 0; i != spans_ns.size(); ++i) {
    const observed_task& task = seen.tasks()[i];
    const time_ns child_span_ns = spans_ns[i] - task.work_ns;
    if (child_span_ns == 0) continue;
    ++out.parents;
    out.wait_s += in_seconds(task.joined_ns);
    out.child_span_s += in_seconds(child_span_ns);
    out.longer_s += in_seconds(task.end_ns - task.start_ns - task.work_ns);
  }
  return out;
}

// runs[workers][mode][seed]
using all_runs = std::array<std::array<std::vector<measured>, k_modes.size()>, std::size(k_workers)>;

all_runs run_all(const exercise_options& how) {
  all_runs runs;
  for (auto& of_workers : runs) {
    for (auto& of_mode : of_workers) of_mode.resize(how.seeds);
  }
  in_parallel(std::size(k_workers) * k_modes.size() * how.seeds, [&](std::uint64_t i) {
    const std::uint64_t seed = i % how.seeds;
    const std::size_t mode = i / how.seeds % k_modes.size();
    const std::size_t workers = i / how.seeds / k_modes.size();
    runs[workers][mode][seed] = run_one(k_workers[workers], k_modes[mode], how.first_seed + seed);
  });
  return runs;
}

double stuck_percent(const std::vector<measured>& runs) {
  double stuck = 0;
  for (const measured& each : runs) stuck += each.is_stuck ? 1 : 0;
  return 100 * stuck / static_cast<double>(runs.size());
}

// On the seeds on which blocking joins come to an end, so that all do the same work.
sample_summary makespans(const std::vector<measured>& runs, const std::vector<measured>& blocking) {
  std::vector<double> values;
  for (std::size_t s = 0; s != runs.size(); ++s) {
    if (!blocking[s].is_stuck) values.push_back(runs[s].makespan_s);
  }
  return summary_of(values);
}

// Over all parents of all runs.
double per_parent(const std::vector<measured>& runs, double measured::* which) {
  double sum = 0;
  std::uint64_t parents = 0;
  for (const measured& each : runs) {
    sum += each.*which;
    parents += each.parents;
  }
  return parents == 0 ? 0 : sum / static_cast<double>(parents);
}

exercise_table stuck_table(const all_runs& runs, nlohmann::ordered_json& json) {
  text_table table{{"workers", "continuation", "helping", "blocking"}};
  for (std::size_t w = 0; w != std::size(k_workers); ++w) {
    std::vector<std::string> row{std::to_string(k_workers[w])};
    nlohmann::ordered_json one{{"workers", k_workers[w]}};
    for (std::size_t m = 0; m != k_modes.size(); ++m) {
      row.push_back(fixed(stuck_percent(runs[w][m]), 1) + " %");
      one[k_names[m]] = stuck_percent(runs[w][m]);
    }
    table.add(std::move(row));
    json["stuck_percent"].push_back(std::move(one));
  }
  return {"Runs that get stuck: every worker sits in a join, and the children lie in their queues", std::move(table)};
}

exercise_table join_table(const all_runs& runs, nlohmann::ordered_json& json) {
  text_table table{{"join", "time s", "parent waits s", "longest chain below s", "takes longer by s"}};
  for (std::size_t m = 0; m != k_modes.size(); ++m) {
    const auto& of_mode = runs[k_shown][m];
    const sample_summary time = makespans(of_mode, runs[k_shown].back());
    const double wait_s = per_parent(of_mode, &measured::wait_s);
    const double span_s = per_parent(of_mode, &measured::child_span_s);
    const double longer_s = per_parent(of_mode, &measured::longer_s);
    table.add({k_names[m], spread_text(time, 2), fixed(wait_s, 2), fixed(span_s, 2), fixed(longer_s, 2)});
    json["joins"].push_back({{"join", k_names[m]},
                             {"makespan_s", time.mean},
                             {"makespan_sd", time.sd},
                             {"runs", time.count},
                             {"parent_wait_s", wait_s},
                             {"child_span_s", span_s},
                             {"longer_s", longer_s}});
  }
  return {"4 workers. Time: on the seeds on which blocking ends. Parents: the mean over all that have children",
          std::move(table)};
}

exercise_answer answer(const exercise_options& how) {
  const all_runs runs = run_all(how);
  exercise_answer out;
  out.tables.push_back(stuck_table(runs, out.json));
  out.tables.push_back(join_table(runs, out.json));
  const auto& left = runs[k_shown].front();
  out.sentence = "A parent takes as long as its children's longest chain of work, recursively ("s +
                 fixed(per_parent(left, &measured::child_span_s), 2) +
                 " s on average), and on top of it whatever those children wait in queues: it stands in its join for " +
                 fixed(per_parent(left, &measured::wait_s), 2) +
                 " s; a join that keeps its worker is slower, and with few workers it ends in a deadlock.";
  plot::series curve{.name = "blocking joins"};
  for (std::size_t w = 0; w != std::size(k_workers); ++w) {
    curve.points.push_back({static_cast<double>(k_workers[w]), stuck_percent(runs[w].back())});
  }
  out.chart = {.title = "Exercise 3: runs that get stuck in blocking joins",
               .x_label = "workers",
               .y_label = "stuck runs in %",
               .series = {std::move(curve)},
               .log_x = true};
  return out;
}

}  // namespace

constinit const exercise k_exercise_joins{
    .number = 3,
    .question = "How much longer does a parent take that waits for its children, and what decides the critical path?",
    .answer = answer};

}  // namespace filch::tool
