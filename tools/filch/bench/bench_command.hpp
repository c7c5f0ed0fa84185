// filch bench: ratios to serial code, and beside the peers that are built. filch bench async: asynchronous shapes, and
// filch's time as a ratio to the peers'.
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
  bool is_async = false;
  std::vector<std::string> names{};  // of `async`: with commas between them
  std::vector<std::string> programs{};
  std::optional<std::string> rounds{};
  std::optional<std::string> repetitions{};
  std::optional<std::string> threads{};
  std::optional<std::string> clock{};
  std::optional<std::string> limit_s{};
  std::optional<std::string> json_file{};
  std::optional<std::string> plot_file{};
  std::optional<std::string> from_file{};
  bool peers = false;
  bool quick = false;
};

// As they were typed, for both.
struct bench_words {
  bench_arguments forks{};
  bench_arguments async{.is_async = true};
};

// Adds the commands to the command line; they run when it is parsed. `into` outlives the parsing.
void add_bench(CLI::App& app, bench_words& into);

void bench_command(const bench_arguments& given);

}  // namespace filch::tool
