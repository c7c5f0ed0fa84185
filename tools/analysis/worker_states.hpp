// What one worker does between its tasks, read from its own events.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
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
  time_ns ready_ns = 0;  // of the first strand
  std::uint32_t first = k_none;
};

// What all workers do, by worker, from the beginning to the end of the run; the first of each is at its begin. A spawn
// or a steal that takes longer than k_longest times the median counts as `awake` beyond that: the thread had no
// processor.
inline constexpr time_ns k_longest = 10;
[[nodiscard]] std::vector<std::vector<state_change>> states_of(
    const std::vector<std::vector<stretch_of_strands>>& stretches, const trace::recording& from, time_ns begin_ns);

}  // namespace filch::analysis
