// filch calibrate, predict and validate, and their options.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace filch::tool {

struct calibrate_arguments {
  std::optional<std::string> out_file{};
  std::optional<std::string> rounds{};
  bool json = false;
};

struct predict_arguments {
  std::string recording;
  std::optional<std::string> workers{};
  std::optional<std::string> machine{};
  std::optional<std::string> victims{};
  std::optional<std::string> steal{};
  std::optional<std::string> order{};
  std::optional<std::string> idle{};
  std::optional<std::string> wake{};
  std::vector<std::string> what_if{};
  std::vector<std::string> measured{};
  std::optional<std::string> inflation{};
  std::optional<std::string> rank_at{};
  std::optional<std::string> seed{};
  std::optional<std::string> seeds{};
  std::vector<std::string> json{};  // none: not asked for; an empty text: to standard output
  std::optional<std::string> plot_file{};
  std::optional<std::string> report_file{};
};

struct validate_arguments {
  std::vector<std::string> kernels{};
  std::optional<std::string> workers{};
  std::optional<std::string> rounds{};
  std::optional<std::string> machine{};
  std::vector<std::string> json{};
  bool quick = false;
};

// The arguments of all three. Outlives the parsing of the command line.
struct prediction_words {
  calibrate_arguments calibrate;
  predict_arguments predict;
  validate_arguments validate;
};

void add_prediction(CLI::App& app, prediction_words& into);

// Each prints to standard output and throws bad_usage or `failure` when it cannot do its work.
void calibrate_command(const calibrate_arguments& given);
void predict_command(const predict_arguments& given);
void validate_command(const validate_arguments& given);

}  // namespace filch::tool
