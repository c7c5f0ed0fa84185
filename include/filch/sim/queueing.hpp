// A queueing simulation of stealing, as the theory has it: servers with Poisson arrivals and exponential service, and
// no costs. It answers what no single run of a program shows: how long a task takes on average at a given load.
//
// Time is measured in mean service times. All servers are empty at the beginning, so the mean is that of the steady
// state only when enough time has passed before the counting begins. Warm-up and number of tasks follow from the
// servers and their load unless the options set them, and the result tells whether they were enough.
#pragma once

#include <filch/sim/theory.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace filch::inline v0::sim {

struct queueing_options {
  std::uint32_t servers = 128;
  theory::stealing stealing{};           // load, and how servers steal
  std::optional<std::uint64_t> tasks{};  // that are counted; none: a million, or twice the settling time's
  std::optional<double> warm_up{};       // time before the counting begins; none: at least the settling time
  std::uint64_t seed = 1;
  std::function<void(std::uint64_t)> progress{};  // gets the number of tasks that have ended, now and then
};

// How long such a run goes.
struct queueing_plan {
  double settling_time = 0;         // from empty servers to a steady state, within 0.1 % of the tasks there
  std::uint64_t warm_up_tasks = 0;  // that end before the counting begins
  std::uint64_t tasks = 0;          // that are counted
  double warm_up_time = 0;          // what these take
  double counted_time = 0;

  // The servers have forgotten that they were empty.
  [[nodiscard]] bool is_warm() const { return warm_up_time >= k_nearly_all * settling_time; }
  // The batches of the interval are about independent of each other.
  [[nodiscard]] bool is_long_enough() const { return counted_time >= k_nearly_all * settling_time; }

  static constexpr double k_nearly_all = 1 - 1e-9;  // times are made from whole tasks
};

struct queueing_result {
  double mean_sojourn = 0;  // from arrival to end
  // Of its 95 % confidence interval: the widest of those from 20, 10 and 5 batches, as batches that follow one another
  // are alike when they are short.
  double half_width = 0;
  std::optional<double> theory{};  // in the limit of many servers, in the steady state
  queueing_plan plan{};
  std::uint64_t events = 0;    // arrivals, ends of service and probes
  std::uint64_t steals = 0;    // successful ones, after the warm-up
  double stolen_per_task = 0;  // tasks moved, for each task that is counted

  // What was counted belongs to the steady state.
  [[nodiscard]] bool is_settled() const { return plan.is_warm() && plan.is_long_enough(); }
  // None: there is no theory to compare with.
  [[nodiscard]] std::optional<bool> meets_theory() const;
};

// Without a number of its own, neither warm-up nor counting takes more tasks than this.
inline constexpr std::uint64_t k_most_planned_tasks = 200'000'000;

// Both throw std::invalid_argument, which names the option, its value and what is allowed.
[[nodiscard]] queueing_plan plan_queueing(const queueing_options& options);
[[nodiscard]] queueing_result queueing(const queueing_options& options);

}  // namespace filch::inline v0::sim
