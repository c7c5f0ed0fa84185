// A machine as a value of a file: inline in a scenario, or a separate file.
#pragma once

#include "field.hpp"
#include "machine_file.hpp"

namespace filch::scenario {

[[nodiscard]] machine_description read_machine(const field& from);

// Throws error when this machine cannot work with this number of workers.
void require_valid(const machine_description& machine, std::uint32_t workers, std::string_view origin);

}  // namespace filch::scenario
