// A queueing simulation of stealing, as the theory has it: servers with Poisson arrivals and exponential service, and
// no costs. It answers what no single run of a program shows: how long a task takes on average at a given load.
//
// Time is measured in mean service times.
#pragma once

#include <filch/sim/theory.hpp>

#include <cstdint>
#include <optional>

namespace filch::inline v0::sim {

struct queueing_options {
  std::uint32_t servers = 128;
  theory::stealing stealing{};      // load, and how servers steal
  std::uint64_t tasks = 1'000'000;  // that are counted
  double warm_up = 0.2;             // before them, this part of `tasks` is not counted
  std::uint64_t seed = 1;
};

struct queueing_result {
  double mean_sojourn = 0;         // from arrival to end
  double half_width = 0;           // of its 95 % confidence interval, from 20 batches
  std::optional<double> theory{};  // in the limit of many servers
  std::uint64_t events = 0;        // arrivals, ends of service and probes
  std::uint64_t steals = 0;        // successful ones, after the warm-up
  double stolen_per_task = 0;      // tasks moved, for each task that is counted
};

// Throws std::invalid_argument, which names the option, its value and what is allowed.
[[nodiscard]] queueing_result queueing(const queueing_options& options);

}  // namespace filch::inline v0::sim
