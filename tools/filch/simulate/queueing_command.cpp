// filch sim queueing: how long a task takes on average at a given load, when idle servers steal.
#include <atomic>
#include <cmath>
#include <filch/sim/queueing.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../option_reading.hpp"
#include "commands.hpp"
#include "../output.hpp"
#include "../progress.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_most_servers = 1'000'000;
constexpr std::uint64_t k_most_counted = 1'000'000'000;
constexpr double k_longest_warm_up = 1e9;
constexpr double k_wide = 0.05;  // an interval with more than this part of the mean on each side tells little

void read_real(const std::optional<std::string>& text, const char* option, const char* allowed,
               bool (*is_allowed)(double), double& into) {
  if (!text) return;
  const auto value = number_of<double>(*text);
  if (!value || !std::isfinite(*value) || !is_allowed(*value)) refuse(option, *text, allowed);
  into = *value;
}

sim::queueing_options resolve(const queueing_arguments& given) {
  sim::queueing_options made;
  sim::theory::stealing& how = made.stealing;
  read_number<std::uint32_t>(given.servers, "--servers", 2, k_most_servers, made.servers);
  read_real(
      given.load, "--load", "a number above 0 and below 1: the part of their time that servers are busy",
      [](double value) { return value > 0 && value < 1; }, how.load);
  read_name(given.steal, "--steal", how.steal);
  read_number<std::uint32_t>(given.threshold, "--threshold", 2, 1000, how.threshold);
  read_real(
      given.probe_rate, "--probe-rate", "a number from 0 to 1000: looks of an idle server per mean service time",
      [](double value) { return value >= 0 && value <= 1000; }, how.probe_rate);
  how.on_empty = how.probe_rate == 0;
  if (given.tasks) read_number<std::uint64_t>(given.tasks, "--tasks", 1000, k_most_counted, made.tasks.emplace());
  if (given.warm_up) {
    read_real(
        given.warm_up, "--warm-up", "a number from 0 to 1000000000: mean service times before the counting begins",
        [](double value) { return value >= 0 && value <= k_longest_warm_up; }, made.warm_up.emplace());
  }
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX, made.seed);
  return made;
}

sim::queueing_result simulate(sim::queueing_options chosen) {
  try {
    const sim::queueing_plan plan = plan_queueing(chosen);
    std::atomic<std::uint64_t> ended{0};
    const progress shown{plan.warm_up_tasks + plan.tasks, ended};
    chosen.progress = [&ended](std::uint64_t tasks) {
      ended.store(tasks, std::memory_order_relaxed);  // statistic
    };
    return sim::queueing(chosen);
  } catch (const std::invalid_argument& problem) {
    throw bad_usage(problem.what());
  }
}

// A number of service times, short.
std::string times_text(double times) { return times < 100 ? fixed(times, 1) : magnitude_text(std::round(times)); }

// Why the figure is not that of the steady state, or not precise.
std::vector<std::string> doubts(const sim::queueing_result& found, std::uint32_t servers) {
  const sim::queueing_plan& plan = found.plan;
  std::vector<std::string> out;
  const std::string needed = times_text(plan.settling_time);
  if (!plan.is_warm()) {
    out.push_back("Not settled: the servers are empty at the beginning and need about " + needed +
                  " mean service times; the counting began after " + times_text(plan.warm_up_time) +
                  ". --warm-up sets it.");
  }
  if (!plan.is_long_enough()) {
    out.push_back("Not settled: tasks were counted for " + times_text(plan.counted_time) +
                  " mean service times, and the servers forget their past in about " + needed +
                  ": the interval is too narrow. --tasks sets how many are counted.");
  }
  if (found.half_width > k_wide * found.mean_sojourn) {
    out.push_back("Too few tasks: the interval is " + fixed(100 * found.half_width / found.mean_sojourn, 1) +
                  " % of the mean to each side. --tasks sets how many are counted.");
  }
  if (found.meets_theory() == false) {
    const double off = 100 * (found.mean_sojourn / *found.theory - 1);
    out.push_back("The theory lies outside the interval: the simulated time is " + fixed(std::abs(off), 1) + " % " +
                  (off > 0 ? "above" : "below") +
                  " it. It holds for very many servers in their steady state, not for " + std::to_string(servers) +
                  (found.is_settled() ? "." : " that have not settled."));
  }
  if (!found.theory) out.emplace_back("There is no theory to compare with: its equations have no steady state.");
  return out;
}

}  // namespace

void queueing_command(const queueing_arguments& given) {
  const sim::queueing_options chosen = resolve(given);
  const sim::queueing_result found = simulate(chosen);
  const std::vector<std::string> notes = doubts(found, chosen.servers);
  const sim::theory::stealing& how = chosen.stealing;
  const double alone = 1 / (1 - how.load);
  const double shared = sim::theory::shared_queue_response(how.load, chosen.servers);
  if (given.json) {
    nlohmann::ordered_json out{{"mean_sojourn", found.mean_sojourn}, {"half_width", found.half_width}};
    out["theory"] = found.theory ? nlohmann::ordered_json(*found.theory) : nlohmann::ordered_json(nullptr);
    const std::optional<bool> meets = found.meets_theory();
    out["theory_in_interval"] = meets ? nlohmann::ordered_json(*meets) : nlohmann::ordered_json(nullptr);
    out["settled"] = found.is_settled();
    out["notes"] = notes;
    out.update({{"servers", chosen.servers},
                {"load", how.load},
                {"steal", policy::to_string(how.steal)},
                {"threshold", how.threshold},
                {"probe_rate", how.probe_rate},
                {"tasks", found.plan.tasks},
                {"warm_up_tasks", found.plan.warm_up_tasks},
                {"counted_time", found.plan.counted_time},
                {"warm_up_time", found.plan.warm_up_time},
                {"settling_time", found.plan.settling_time},
                {"seed", chosen.seed},
                {"without_stealing", alone},
                {"one_queue_for_all", shared},
                {"events", found.events},
                {"steals", found.steals},
                {"stolen_per_task", found.stolen_per_task}});
    std::cout << json_text(out) << "\n";
    return;
  }
  std::cout << chosen.servers << " servers, each with tasks at random times and of random length (exponential), load "
            << fixed(how.load, 3) << "; seed " << chosen.seed << "\n"
            << (how.on_empty ? "A server that becomes idle looks at one random other"s
                             : "An idle server looks at a random other "s + fixed(how.probe_rate, 2) +
                                   " times per mean service time")
            << " and steals " << policy::to_string(how.steal) << " if that has at least " << how.threshold
            << " tasks.\n\n";
  text_table table{{"time of a task, in mean service times", ""}};
  table.add({"simulated, with its 95 % interval", fixed(found.mean_sojourn, 4) + " ± " + fixed(found.half_width, 4)});
  if (found.theory) table.add({"theory, for very many servers", fixed(*found.theory, 4)});
  table.add({"without stealing", fixed(alone, 4)});
  table.add({"one queue for all, which nothing beats", fixed(shared, 4)});
  std::cout << table.text() << "\n"
            << found.plan.tasks << " tasks counted after " << found.plan.warm_up_tasks << " to settle, "
            << magnitude_text(static_cast<double>(found.events)) << " events, " << fixed(found.stolen_per_task, 3)
            << " steals per task.\n";
  for (const std::string& each : notes) std::cout << wrapped(each);
}

}  // namespace filch::tool
