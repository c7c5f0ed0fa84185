// filch bench: ratios to serial code, and beside the peers that are built.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace filch::tool {

// As they were typed.
struct bench_arguments {
  std::vector<std::string> names{};
  std::vector<std::string> programs{};
  std::optional<std::string> rounds{};
  std::optional<std::string> repetitions{};
  std::optional<std::string> threads{};
  std::optional<std::string> clock{};
  std::optional<std::string> limit_s{};
  std::optional<std::string> json_file{};
  std::optional<std::string> plot_file{};
  bool peers = false;
  bool quick = false;
};

// Adds the command to the command line; it runs when it is parsed. `into` outlives the parsing.
void add_bench(CLI::App& app, bench_arguments& into);

void bench_command(const bench_arguments& given);

}  // namespace filch::tool
