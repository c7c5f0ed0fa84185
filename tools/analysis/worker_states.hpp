// What one worker does between its tasks, read from its own events.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <span>
#include <vector>

#include "dag.hpp"

namespace filch::analysis {

enum class worker_state : std::uint8_t {
  work,
  spawn,
  steal,
  awake,    // looks for work, or has no processor
  in_vain,  // has looked many times
  asleep,
};

struct state_change {
  time_ns at_ns = 0;
  worker_state now = worker_state::awake;
  std::uint32_t strand = k_none;  // the one that begins here, or the one that the spawn or steal leads to
};

// A worker's strands in the order of time, those that follow each other without a break as one.
struct stretch_of_strands {
  time_ns begin_ns = 0;
  time_ns end_ns = 0;
  std::uint32_t first = k_none;
};

// The median of the breaks between two tasks that hold no look at a victim and no sleep; 0: there are none.
[[nodiscard]] time_ns usual_break_ns(const std::vector<std::vector<stretch_of_strands>>& stretches,
                                     const trace::recording& from);

// From the beginning to the end of the run; the first is at begin_ns. A break without a look counts as `spawn` for at most
// `longest_break_ns`: beyond that the thread had no processor.
[[nodiscard]] std::vector<state_change> states_of(std::span<const stretch_of_strands> stretches,
                                                  std::span<const trace::event> events, time_ns begin_ns,
                                                  time_ns longest_break_ns, std::uint32_t workers);

}  // namespace filch::analysis
