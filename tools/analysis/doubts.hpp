// Reasons why the span of a recording, and the figures that follow from it, may be wrong: missing forks.
//
// Loops and joins that no other worker takes leave no trace unless a session records them. A recording without them
// shows a chain of work where the program had parallelism, so its span is too long, its parallelism too low, and a
// prediction from it too slow. Code that prints one of these figures prints the doubts, too.
#pragma once

#include <filch/base/units.hpp>
#include <filch/sim/replay.hpp>
#include <filch/trace/recording.hpp>
#include <string>
#include <vector>

namespace filch::analysis {

struct doubt {
  // unrecorded-forks  the program forks, and only the forks that others took are recorded
  // unknown-forks     an earlier version recorded it, or it lacks its end: which forks are missing is not known
  // late-beats        heartbeats came too rarely for this span
  // short-run         the same, because the run is short
  // late-arrivals     tasks were submitted from outside while others ran, perhaps later than in another run
  std::string id;
  std::string text;    // what is wrong
  std::string advice;  // how to record again

  [[nodiscard]] bool forbids_prediction() const { return id == "unrecorded-forks"; }
  [[nodiscard]] std::string sentence() const { return text + " " + advice; }
};

// Of a recording with this work and span. None: the figures are right, but for lost events, which every reader counts.
[[nodiscard]] std::vector<doubt> doubts_of(const trace::recording& from, time_ns work_ns, time_ns span_ns);

// For predictions: doubts about the times at which tasks were submitted.
[[nodiscard]] std::vector<doubt> doubts_of_arrivals(const trace::recording& from, const sim::recorded_tasks& tasks);

}  // namespace filch::analysis
