// The simulator's commands, and how they come to the command line.
#pragma once

#include "../run_settings.hpp"
#include "arguments.hpp"

namespace CLI {
class App;
}

namespace filch::tool {

// All that the words can say. Outlives the parsing of the command line.
struct simulation_words {
  sim_arguments sim;
  exercise_arguments exercise;
  queueing_arguments queueing;
  grid_arguments compare;
  grid_arguments sweep;
};

// Adds the commands to the command line; each runs when it is parsed.
void add_simulation(CLI::App& app, simulation_words& into);

// Each prints to standard output and throws bad_usage or `failure` when it cannot do its work.
void sim_command(const sim_arguments& given);
// `filch run` of a scenario, on real threads.
void run_scenario_command(const run_arguments& given);
void exercise_command(const exercise_arguments& given);
void queueing_command(const queueing_arguments& given);
void compare_command(const grid_arguments& given);
void sweep_command(const grid_arguments& given);

}  // namespace filch::tool
