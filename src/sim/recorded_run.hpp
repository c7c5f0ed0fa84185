// What a recording of a simulated run says about itself.
#pragma once

#include <filch/policy/options.hpp>
#include <filch/sim/machine_model.hpp>
#include <filch/trace/recording.hpp>

#include <cstdint>

namespace filch::inline v0::sim {

// Empties it, and gives each worker a list. Throws std::invalid_argument for more workers than recordings can number.
void describe_run(trace::recording& out, const machine_model& machine, const policy::search_options& policy,
                  std::uint64_t seed);

}  // namespace filch::inline v0::sim
