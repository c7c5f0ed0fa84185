// From the texts of predict's and validate's options to values. All throw bad_usage with the option, the text and what
// is allowed, or `failure` for a file that cannot be used.
#pragma once

#include <cstdint>
#include <filch/sim/what_if.hpp>
#include <machine_file.hpp>
#include <optional>
#include <string>
#include <vector>

#include "forecast.hpp"

namespace filch::tool {

// "1,2,8", "1..64" or both, in rising order, each once. A range of more than 16 numbers becomes those of the form 2^k
// and 3·2^k in it, and its ends.
[[nodiscard]] std::vector<std::uint32_t> read_workers(const std::string& text, const std::string& option,
                                                      std::uint32_t most);

// A machine of the program or a file.
[[nodiscard]] scenario::machine_description read_machine_name(const std::string& name, const std::string& option);

// "2=1.1,8=1.6", in rising order of workers.
[[nodiscard]] std::vector<inflation_point> read_inflation(const std::optional<std::string>& text);

[[nodiscard]] sim::change read_change(const std::string& text);

// The value of --json: none, or a name that ends in .json.
void require_json_name(const std::vector<std::string>& given);
// To standard output without a name. Returns a message for the user.
std::string write_json(const std::string& text, const std::string& file);

}  // namespace filch::tool
