// The options, help texts and examples of the simulator's commands.
#include <CLI/CLI.hpp>
#include <filch/policy/options.hpp>
#include <scenario.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "../text.hpp"
#include "commands.hpp"
#include "exercise.hpp"
#include "figures.hpp"

namespace filch::tool {
namespace {

const char* const k_sim_examples = R"(
Examples:
  filch sim basic --log                          every event of a simulated run
  filch sim joining --join=blocking --seed 5     a deadlock, and which task waits for which (exit code 3)
  filch sim bursts --seeds 200                   three ways to choose a victim, over 200 seeds
  filch sim steal-half --workers 8 --gantt       what each worker did, drawn in characters
  filch sim adaptive --json                      for programs
  filch sim basic --lesson                       what the well-known lesson prints, byte for byte

The same options and seed print the same bytes everywhere. A scenario that is there to show something also runs its
variants side by side, over 100 seeds, unless the option that chooses among them is given.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the run got stuck in a deadlock of joins,
4 a run was cut off at the limit of tasks or events.)";

template <class T>
std::string names_text() {
  std::string out;
  for (const std::string_view each : policy::names<T>::all) out.append(out.empty() ? "" : ", ").append(each);
  return out;
}

std::string list_text(const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view each : names) out.append(out.empty() ? "" : ", ").append(each);
  return out;
}

std::string scenarios_text() {
  text_table table{{"Scenarios:", ""}};
  table.end_with_text();
  for (const std::string_view each : scenario::built_in_names()) {
    table.add({"  "s.append(each), scenario::find(each).title});
  }
  return "\n"s + table.text(0) + "  FILE.json: one of your own\n";
}

void add_changes(CLI::App& to, scenario_words& into) {
  to.add_option("--workers", into.workers, "simulated workers; default: the scenario's own number")->type_name("N");
  to.add_option("--victims", into.victims, "which victim a thief visits: "s + names_text<policy::victims>())
      ->type_name("NAME");
  to.add_option("--steal", into.steal, "how many tasks a thief takes: "s + names_text<policy::steal>())
      ->type_name("NAME");
  to.add_option("--order", into.order,
                "which end of its own queue a worker takes from: "s + names_text<policy::order>())
      ->type_name("NAME");
  to.add_option("--idle,--backoff", into.idle,
                "how long to search before sleep: "s + names_text<policy::idle>() + ", or fields: see filch policies")
      ->type_name("NAME");
  to.add_option("--wake", into.wake, "which worker new work wakes: "s + names_text<policy::wake>())->type_name("NAME");
  to.add_option("--placement", into.placement,
                "where tasks begin, in place of the scenario's choice: "s + names_text<policy::placement>())
      ->type_name("NAME");
  to.add_option("--join", into.join, "how tasks wait for their children: continuation, helping, blocking")
      ->type_name("NAME");
  to.add_option("--grain", into.grain, "the same work in tasks of this length, such as 20us or 0.5s")
      ->type_name("TIME");
  to.add_option("--demand", into.demand,
                "how work is shared on request: fields such as throttle=off or wake=15us; see filch policies")
      ->type_name("RULES");
  to.add_option("--machine", into.machine, "where it runs: "s + list_text(scenario::machine_names()) + ", or a file")
      ->type_name("NAME");
}

void add_exercise(CLI::App& sim, exercise_arguments& into) {
  CLI::App* const exercise = sim.add_subcommand("exercise", "Answer an exercise of the lesson by simulation");
  exercise->group("Commands");
  exercise->add_option("number", into.number, "the exercise, 1 to 5")->type_name("N");
  exercise->add_option("--seeds", into.seeds, "how many; default 200")->type_name("N");
  exercise->add_option("--seed", into.seed, "the first one; default 1")->type_name("N");
  exercise->add_option("--plot", into.plot_file, "draw the answer (1 and 3): .svg")->type_name("FILE");
  exercise->add_flag("--json", into.json, "print one JSON object and nothing else");
  std::string text = "\nExercises:\n";
  for (const tool::exercise& each : all_exercises()) {
    text.append("  ").append(std::to_string(each.number)).append("  ").append(each.question).append("\n");
  }
  exercise->footer(text + "\nExamples:\n  filch sim exercise 1\n  filch sim exercise 3 --seeds 50 --json");
  exercise->callback([&into] { exercise_command(into); });
}

void add_queueing(CLI::App& sim, queueing_arguments& into) {
  CLI::App* const queueing =
      sim.add_subcommand("queueing", "Simulate the time of a task at a given load, and compare it with the theory");
  queueing->group("Commands");
  queueing->add_option("--servers", into.servers, "default 128")->type_name("N");
  queueing->add_option("--load", into.load, "the part of their time that servers are busy; default 0.9")
      ->type_name("X");
  queueing->add_option("--steal", into.steal, "how much an idle server takes: one, half; default one")
      ->type_name("NAME");
  queueing->add_option("--threshold", into.threshold, "the least number of tasks of a server to steal from; default 2")
      ->type_name("N");
  queueing
      ->add_option("--probe-rate", into.probe_rate,
                   "looks of an idle server per mean service time; 0, the default: one look when it becomes idle")
      ->type_name("X");
  queueing
      ->add_option("--tasks", into.tasks,
                   "counted tasks; default 1000000, or as many as end in twice the time that the servers need to "
                   "settle, 200000000 at most")
      ->type_name("N");
  queueing
      ->add_option("--warm-up", into.warm_up,
                   "mean service times before the counting begins; default: until the servers have settled")
      ->type_name("X");
  queueing->add_option("--seed", into.seed, "default 1")->type_name("N");
  queueing->add_flag("--json", into.json, "print one JSON object and nothing else");
  queueing->footer(
      "\nExamples:\n  filch sim queueing --servers 128 --load 0.9\n"
      "  filch sim queueing --load 0.9 --steal half --json\n  filch sim queueing --load 0.8 --probe-rate 2");
  queueing->callback([&into] { queueing_command(into); });
}

void add_list(CLI::App& to, const char* name, std::vector<std::string>& into, const std::string& help) {
  to.add_option(name, into, help)->type_name("NAME,…")->delimiter(',')->allow_extra_args(false);
}

// The lists and options that compare and sweep share.
void add_grid(CLI::App& to, grid_arguments& into) {
  to.add_option("scenario", into.scenario, "the scenario, or a file: see filch sim --help")->type_name("SCENARIO");
  add_list(to, "--victims", into.victims, "which victim a thief visits: "s + names_text<policy::victims>());
  add_list(to, "--steal", into.steal, "how many tasks a thief takes: "s + names_text<policy::steal>());
  add_list(to, "--order", into.order, "which of its own tasks a worker runs first: "s + names_text<policy::order>());
  to.add_option("--idle,--backoff", into.idle,
                "how long to search before sleep: "s + names_text<policy::idle>() + ", or fields; once for each")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_list(to, "--wake", into.wake, "which worker new work wakes: "s + names_text<policy::wake>());
  add_list(to, "--placement", into.placement, "where tasks begin: "s + names_text<policy::placement>());
  add_list(to, "--join", into.join, "how tasks wait for their children: continuation, helping, blocking");
  to.add_option("--demand", into.demand, "how work is shared on request, as fields; once for each")
      ->type_name("RULES")
      ->allow_extra_args(false);
  to.add_option("--machine", into.machine, "where it runs: "s + list_text(scenario::machine_names()) + ", or a file")
      ->type_name("NAME");
  to.add_option("--seed", into.seed, "the first seed; default 1")->type_name("N");
  to.add_option("--seeds", into.seeds, "how many, the same for all; default 100")->type_name("N");
  std::string figures;
  for (const std::string_view each : figure_names()) figures.append(figures.empty() ? "" : ", ").append(each);
  to.add_option("--metric", into.metric, "what is compared: "s + figures + "; default time")->type_name("NAME");
  to.add_option("--plot", into.plot_file, "draw it: .svg")->type_name("FILE");
  to.add_flag("--csv", into.csv, "print comma-separated values and nothing else");
  to.add_flag("--json", into.json, "print one JSON object and nothing else");
}

void add_compare(CLI::App& app, grid_arguments& into) {
  CLI::App* const compare = app.add_subcommand("compare", "Compare policies on a simulated scenario, over many seeds");
  compare->group("Commands");
  add_grid(*compare, into);
  compare->add_option("--workers", into.workers, "simulated workers; default: the scenario's own number")
      ->type_name("N")
      ->allow_extra_args(false);
  compare->add_option("--grain", into.grain, "the same work in tasks of this length, such as 20us")
      ->type_name("TIME")
      ->allow_extra_args(false);
  compare->footer(
      "\nA list tries each of its names with each of the others; without any, all ways to choose a victim are "
      "compared.\n"
      "\nExamples:\n  filch compare adaptive\n"
      "  filch compare steal-half --steal one,half --victims random,largest\n"
      "  filch compare share-nothing --metric wait_99 --idle eco --idle latency --plot waits.svg");
  compare->callback([&into] { compare_command(into); });
}

void add_sweep(CLI::App& app, grid_arguments& into) {
  CLI::App* const sweep = app.add_subcommand("sweep", "Simulate combinations of policies, workers and sizes of tasks");
  sweep->group("Commands");
  add_grid(*sweep, into);
  sweep->add_option("--workers", into.workers, "numbers of workers; default 1,2,4,8,16 unless grains are given")
      ->type_name("N,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  sweep->add_option("--grain", into.grain, "the same work in tasks of these lengths, such as 10us,100us,1ms")
      ->type_name("TIME,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  sweep->footer(
      "\nExamples:\n  filch sweep granularity --workers 2,4,8\n"
      "  filch sweep granularity --grain 10ms,100ms,1s,5s --plot grain.svg --seeds 20\n"
      "  filch sweep steal-half --steal one,half --workers 4,16,64 --csv --seeds 10");
  sweep->callback([&into] { sweep_command(into); });
}

CLI::App& add_sim(CLI::App& app, sim_arguments& into) {
  CLI::App* const sim = app.add_subcommand("sim", "Simulate a scenario in virtual time, with any policy and machine");
  sim->group("Commands");
  sim->add_option("scenario", into.scenario, "the scenario: see below")->type_name("SCENARIO");
  add_changes(*sim, into.changes);
  sim->add_option("--seed", into.seed, "seed of all random choices; default 1, with --lesson the lesson's own")
      ->type_name("N");
  sim->add_option("--seeds", into.seeds,
                  "number of runs with seeds from there on; shows the first in full, then the spread")
      ->type_name("N");
  sim->add_option("--trace", into.trace_file, "write the first run: .json (Chrome), .filch or .pftrace (Perfetto)")
      ->type_name("FILE");
  sim->add_option("--report", into.report_file, "write the first run as an HTML page: .html")->type_name("FILE");
  sim->add_flag("--gantt", into.gantt, "draw the first run with characters");
  sim->add_flag("--log", into.log, "print every submission, steal, start and end");
  sim->add_flag("--json", into.json, "print one JSON object and nothing else");
  sim->add_flag("--lesson", into.lesson, "print the output of the lesson, byte for byte");
  sim->footer(scenarios_text() + k_sim_examples);
  sim->callback([&into, sim] {
    if (sim->get_subcommands().empty()) sim_command(into);
  });
  return *sim;
}

}  // namespace

void add_simulation(CLI::App& app, simulation_words& into) {
  CLI::App& sim = add_sim(app, into.sim);
  add_exercise(sim, into.exercise);
  add_queueing(sim, into.queueing);
  add_compare(app, into.compare);
  add_sweep(app, into.sweep);
}

}  // namespace filch::tool
