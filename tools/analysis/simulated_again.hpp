// A recorded run again, in simulated time: the same tasks on as many workers, without any costs but the work. The time
// by which the measured run is longer was lost to the machine and to the scheduler.
#pragma once

#include <filch/trace/recording.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace filch::analysis {

// Tasks have the names, and the names the colours, that they have in `from`. None: its recording would have more than
// sim::k_most_shown_events. Throws std::invalid_argument when nothing in it can be run again.
[[nodiscard]] std::optional<trace::recording> simulated_again(const trace::recording& from);

// The message otherwise.
inline constexpr std::string_view k_not_simulated_again =
    "The simulated run is not shown: with the workers' searches it has more than 4 million events.";

}  // namespace filch::analysis
