// A program whose work is shared on request, as the workload of a scenario.
#pragma once

#include "field.hpp"
#include "scenario.hpp"

namespace filch::scenario {

[[nodiscard]] sharing_load read_sharing(object_fields& fields);

}  // namespace filch::scenario
