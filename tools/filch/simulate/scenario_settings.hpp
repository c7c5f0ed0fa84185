// From words to a scenario that can run. All throw bad_usage that names the option, the value and what is allowed, or
// `failure` for a file that cannot be used.
#pragma once

#include <optional>
#include <scenario.hpp>
#include <string>

#include "arguments.hpp"

namespace filch::tool {

// A scenario of the program or a file; `command` is what the error calls the place.
[[nodiscard]] scenario::document find_scenario(const std::optional<std::string>& name, const std::string& command);

// Is it a file, or a scenario of the program?
[[nodiscard]] bool is_scenario(const std::string& name);

// Changes what the words say, and checks that the result can run.
void apply(const scenario_words& changes, scenario::document& to);

// "1.5ms", "20us", "2s": at least 1 ns.
[[nodiscard]] time_ns read_duration(const std::string& text, const std::string& option);

}  // namespace filch::tool
