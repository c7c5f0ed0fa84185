// A recorded run once more, in simulated time: the same tasks on as many workers, with costs of nothing but the work.
// What it takes less than the measured one was lost to the machine and to the scheduler.
#pragma once

#include <filch/trace/recording.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace filch::analysis {

// Tasks have the names, and the names the colours, that they have in `from`. None: its recording would have more than
// sim::k_most_shown_events. Throws std::invalid_argument when nothing in it can be run again.
[[nodiscard]] std::optional<trace::recording> simulated_again(const trace::recording& from);

// What is said instead.
inline constexpr std::string_view k_not_simulated_again =
    "The same tasks simulated are not shown: with the workers' looks for work they have more than 4 million events.";

}  // namespace filch::analysis
