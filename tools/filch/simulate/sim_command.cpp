// filch sim SCENARIO
#include <filch/sim/lesson.hpp>
#include <iostream>
#include <string_view>

#include "../option_reading.hpp"
#include "commands.hpp"

namespace filch::tool {
namespace {

// The lesson's own output and nothing else.
void repeat_lesson(const sim_arguments& given) {
  const auto known = sim::lesson::scenarios();
  bool is_known = false;
  for (const std::string_view each : known) is_known = is_known || each == given.scenario;
  if (!is_known) throw bad_usage(policy::unknown_name("sim --lesson: scenario", *given.scenario, known));
  std::uint64_t seed = sim::lesson::k_seed;
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX, seed);
  sim::lesson::run(*given.scenario, seed, std::cout);
}

}  // namespace

void sim_command(const sim_arguments& given) {
  if (!given.scenario) throw bad_usage("sim needs a scenario");
  if (given.lesson) {
    repeat_lesson(given);
    return;
  }
  throw bad_usage("sim: without --lesson nothing is known yet");
}

}  // namespace filch::tool
