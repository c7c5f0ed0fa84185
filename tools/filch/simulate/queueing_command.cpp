// filch sim queueing: how long a task takes on average at a given load, when idle servers steal.
#include <cmath>
#include <filch/sim/queueing.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../option_reading.hpp"
#include "commands.hpp"
#include "../output.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_most_servers = 1'000'000;
constexpr std::uint64_t k_most_counted = 1'000'000'000;

void read_real(const std::optional<std::string>& text, const char* option, const char* allowed,
               bool (*is_allowed)(double), double& into) {
  if (!text) return;
  const auto value = number_of<double>(*text);
  if (!value || !std::isfinite(*value) || !is_allowed(*value)) refuse(option, *text, allowed);
  into = *value;
}

sim::queueing_options understand(const queueing_arguments& given) {
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
  read_number<std::uint64_t>(given.tasks, "--tasks", 1000, k_most_counted, made.tasks);
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX, made.seed);
  return made;
}

}  // namespace

void queueing_command(const queueing_arguments& given) {
  const sim::queueing_options chosen = understand(given);
  sim::queueing_result found;
  try {
    found = sim::queueing(chosen);
  } catch (const std::invalid_argument& problem) {
    throw bad_usage(problem.what());
  }
  const sim::theory::stealing& how = chosen.stealing;
  const double alone = 1 / (1 - how.load);
  const double shared = sim::theory::shared_queue_response(how.load, chosen.servers);
  if (given.json) {
    nlohmann::ordered_json out{{"mean_sojourn", found.mean_sojourn}, {"half_width", found.half_width}};
    out["theory"] = found.theory ? nlohmann::ordered_json(*found.theory) : nlohmann::ordered_json(nullptr);
    out.update({{"servers", chosen.servers},
                {"load", how.load},
                {"steal", policy::to_string(how.steal)},
                {"threshold", how.threshold},
                {"probe_rate", how.probe_rate},
                {"tasks", chosen.tasks},
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
            << chosen.tasks << " tasks counted, " << magnitude_text(static_cast<double>(found.events)) << " events, "
            << fixed(found.stolen_per_task, 3) << " thefts per task.\n";
}

}  // namespace filch::tool
