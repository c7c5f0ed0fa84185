// The words of the simulator's commands: their options, help texts and examples.
#include <CLI/CLI.hpp>

#include "../text.hpp"
#include "commands.hpp"

namespace filch::tool {
namespace {

const char* const k_sim_examples = R"(
Examples:
  filch sim basic --lesson                       what the well-known lesson prints, byte for byte
  filch sim spawning --lesson --seed 7           the same with another seed of its random stream)";

void add_sim(CLI::App& app, sim_arguments& into) {
  CLI::App* const sim = app.add_subcommand("sim", "Simulate a scenario in virtual time, with any policy and machine");
  sim->group("Commands");
  sim->add_option("scenario", into.scenario, "which one: see below")->type_name("SCENARIO");
  sim->add_flag("--lesson", into.lesson, "print what the lesson prints, byte for byte");
  sim->add_option("--seed", into.seed, "of all random choices; default 1, with --lesson the lesson's own")
      ->type_name("N");
  sim->footer(k_sim_examples);
  sim->callback([&into] { sim_command(into); });
}

}  // namespace

void add_simulation(CLI::App& app, simulation_words& into) {
  add_sim(app, into.sim);
}

}  // namespace filch::tool
