// The commands. Each prints to standard output and throws bad_usage or `failure` when it cannot do its work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run_settings.hpp"

namespace filch::tool {

struct topology_arguments {
  std::string file;  // empty: this machine
  bool json = false;
};

struct policies_arguments {
  bool json = false;
};

struct convert_arguments {
  std::string from;
  std::string to;
  bool failed_steals = false;
};

struct report_arguments {
  std::string from;
  std::string to;
  std::string beside{};  // a second recording; empty: none
};

struct info_arguments {
  std::string file;
  bool json = false;
};

struct gantt_arguments {
  std::string file;
  std::optional<std::uint32_t> width{};  // none: the terminal's
};

struct record_arguments {
  std::string file = "run.filch";
  std::string detail{};                    // empty: the runtime's own choice
  std::optional<std::uint32_t> beat_us{};  // the same
  std::vector<std::string> words{};        // the program and its arguments
};

void tour_command();
void run_command(const run_arguments& given);
void topology_command(const topology_arguments& given);
void policies_command(const policies_arguments& given);
void convert_command(const convert_arguments& given);
void info_command(const info_arguments& given);
void gantt_command(const gantt_arguments& given);
void report_command(const report_arguments& given);
// Ends with program_ended when the program did not end with code 0.
void record_command(const record_arguments& given);

}  // namespace filch::tool
