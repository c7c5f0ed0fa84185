// The options of the simulator's commands as they were typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace filch::tool {

inline constexpr std::uint32_t k_most_seeds = 1'000'000;

// What a command changes about a scenario.
struct scenario_words {
  std::optional<std::string> workers{};
  std::optional<std::string> victims{};
  std::optional<std::string> steal{};
  std::optional<std::string> order{};
  std::optional<std::string> idle{};
  std::optional<std::string> wake{};
  std::optional<std::string> placement{};
  std::optional<std::string> join{};
  std::optional<std::string> grain{};
  std::optional<std::string> machine{};
  std::optional<std::string> demand{};
};

// filch sim SCENARIO
struct sim_arguments {
  std::optional<std::string> scenario{};
  scenario_words changes{};
  std::optional<std::string> seed{};
  std::optional<std::string> seeds{};
  std::optional<std::string> trace_file{};
  std::optional<std::string> report_file{};
  bool lesson = false;
  bool log = false;
  bool gantt = false;
  bool json = false;
};

// filch sim exercise N
struct exercise_arguments {
  std::optional<std::string> number{};
  std::optional<std::string> seed{};
  std::optional<std::string> seeds{};
  std::optional<std::string> plot_file{};
  bool json = false;
};

// filch sim queueing
struct queueing_arguments {
  std::optional<std::string> servers{};
  std::optional<std::string> load{};
  std::optional<std::string> steal{};
  std::optional<std::string> threshold{};
  std::optional<std::string> probe_rate{};
  std::optional<std::string> tasks{};
  std::optional<std::string> warm_up{};
  std::optional<std::string> seed{};
  bool json = false;
};

// filch compare SCENARIO and filch sweep SCENARIO: lists of what to try; an empty list is the scenario's own choice.
struct grid_arguments {
  std::optional<std::string> scenario{};
  std::vector<std::string> victims{};
  std::vector<std::string> steal{};
  std::vector<std::string> order{};
  std::vector<std::string> idle{};
  std::vector<std::string> wake{};
  std::vector<std::string> placement{};
  std::vector<std::string> join{};
  std::vector<std::string> demand{};
  std::vector<std::string> workers{};
  std::vector<std::string> grain{};
  std::optional<std::string> machine{};
  std::optional<std::string> seed{};
  std::optional<std::string> seeds{};
  std::optional<std::string> metric{};
  std::optional<std::string> plot_file{};
  bool csv = false;
  bool json = false;
};

}  // namespace filch::tool
