// filch sim exercise N
#include <algorithm>
#include <array>
#include <iostream>

#include "../option_reading.hpp"
#include "commands.hpp"
#include "exercise.hpp"
#include "../output.hpp"
#include "plot_file.hpp"

namespace filch::tool {
std::span<const exercise> all_exercises() {
  static const std::array<exercise, 5> k_all{k_exercise_workers, k_exercise_races, k_exercise_joins, k_exercise_backoff,
                                             k_exercise_bursts};
  return k_all;
}

void exercise_command(const exercise_arguments& given) {
  const auto all = all_exercises();
  if (!given.number) throw bad_usage("sim exercise needs a number: 1 to "s + std::to_string(all.size()));
  std::uint32_t number = 0;
  read_number<std::uint32_t>(given.number, "exercise", 1, static_cast<std::uint32_t>(all.size()), number);
  const exercise& chosen = all[number - 1];
  exercise_options how;
  read_number<std::uint64_t>(given.seed, "--seed", 0, UINT64_MAX - k_most_seeds, how.first_seed);
  read_number<std::uint32_t>(given.seeds, "--seeds", 1, k_most_seeds, how.seeds);
  if (given.plot_file) require_plot_name(*given.plot_file, "--plot");
  exercise_answer answer = chosen.answer(how);
  if (given.plot_file && answer.chart.series.empty()) {
    throw bad_usage("--plot: exercise "s + std::to_string(number) + " has nothing to draw; 1 and 3 have");
  }
  std::string wrote;
  if (given.plot_file) wrote = write_plot_file(plot::to_svg(answer.chart), *given.plot_file);
  if (given.json) {
    nlohmann::ordered_json out{{"exercise", number}, {"question", chosen.question}};
    if (chosen.has_seeds) {
      out["first_seed"] = how.first_seed;
      out["seeds"] = how.seeds;
    }
    for (auto& [key, value] : answer.json.items()) out[key] = value;
    out["answer"] = answer.sentence;
    std::cout << json_text(out) << "\n";
    return;
  }
  std::cout << "Exercise " << number << ". " << chosen.question << "\n";
  if (chosen.has_seeds) {
    std::cout << count_text(how.seeds, "seed") << " from " << how.first_seed << " on; every case with the same seeds\n";
  }
  for (const exercise_table& each : answer.tables) std::cout << "\n" << each.title << "\n" << each.table.text();
  std::cout << "\n" << wrapped(answer.sentence) << wrote;
}

}  // namespace filch::tool
