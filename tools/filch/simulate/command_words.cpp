// The words of the simulator's commands: their options, help texts and examples.
#include <CLI/CLI.hpp>

#include "../text.hpp"
#include "commands.hpp"
#include "exercise.hpp"

namespace filch::tool {
namespace {

const char* const k_sim_examples = R"(
Examples:
  filch sim basic --lesson                       what the well-known lesson prints, byte for byte
  filch sim spawning --lesson --seed 7           the same with another seed of its random stream)";

void add_exercise(CLI::App& sim, exercise_arguments& into) {
  CLI::App* const exercise = sim.add_subcommand("exercise", "Answer an exercise of the lesson by simulation");
  exercise->group("Commands");
  exercise->add_option("number", into.number, "which one: 1 to 5")->type_name("N");
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

CLI::App& add_sim(CLI::App& app, sim_arguments& into) {
  CLI::App* const sim = app.add_subcommand("sim", "Simulate a scenario in virtual time, with any policy and machine");
  sim->group("Commands");
  sim->add_option("scenario", into.scenario, "which one: see below")->type_name("SCENARIO");
  sim->add_flag("--lesson", into.lesson, "print what the lesson prints, byte for byte");
  sim->add_option("--seed", into.seed, "of all random choices; default 1, with --lesson the lesson's own")
      ->type_name("N");
  sim->footer(k_sim_examples);
  sim->callback([&into, sim] {
    if (sim->get_subcommands().empty()) sim_command(into);
  });
  return *sim;
}

}  // namespace

void add_simulation(CLI::App& app, simulation_words& into) {
  CLI::App& sim = add_sim(app, into.sim);
  add_exercise(sim, into.exercise);
}

}  // namespace filch::tool
