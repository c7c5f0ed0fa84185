// A recorded run once more, in simulated time: the same tasks on as many workers, with costs of nothing but the work.
// What it takes less than the measured one was lost to the machine and to the scheduler.
#pragma once

#include <filch/trace/recording.hpp>
#include <string>

namespace filch::analysis {

// Tasks have the names, and the names the colours, that they have in `from`. Throws std::invalid_argument when nothing
// in it can be run again.
[[nodiscard]] trace::recording simulated_again(const trace::recording& from);

}  // namespace filch::analysis
