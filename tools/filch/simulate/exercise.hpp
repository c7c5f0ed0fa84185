// The exercises of the well-known lesson on work stealing, answered by simulation.
//
// An exercise is one file; it runs its simulations in parallel and fills an answer. What it prints depends on the seeds
// alone.
#pragma once

#include <chart.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../text.hpp"

namespace filch::tool {

struct exercise_options {
  std::uint64_t first_seed = 1;
  std::uint32_t seeds = 200;  // first_seed, first_seed + 1, …
};

struct exercise_table {
  std::string title;
  text_table table;
};

struct exercise_answer {
  std::vector<exercise_table> tables;
  std::string sentence;
  nlohmann::ordered_json json;
  plot::chart chart;  // without series: there is nothing to draw
};

struct exercise {
  std::uint32_t number = 0;
  std::string_view question;
  bool has_seeds = true;  // false: everything is counted, nothing drawn at random
  exercise_answer (*answer)(const exercise_options&);
};

[[nodiscard]] std::span<const exercise> all_exercises();

extern const exercise k_exercise_workers;
extern const exercise k_exercise_races;
extern const exercise k_exercise_joins;
extern const exercise k_exercise_backoff;
extern const exercise k_exercise_bursts;

}  // namespace filch::tool
