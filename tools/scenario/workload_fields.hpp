// The workload of a scenario as a value of its file.
#pragma once

#include "field.hpp"
#include "scenario.hpp"

namespace filch::scenario {

[[nodiscard]] workload_description read_workload(const field& from);

}  // namespace filch::scenario
