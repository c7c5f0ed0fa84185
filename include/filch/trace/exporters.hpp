// Recordings for other people's viewers: Chrome's JSON trace events and Perfetto's TrackEvent protobuf.
//
// Both show one track per worker and one for external threads. On a track a task is a slice from start or resume to
// suspend, end or cancel; slices nest. A suspended task that goes on is joined to its earlier slice by a flow. A steal
// is a mark on both workers and a flow from the victim to the thief's next slice. Parked and blocked times are slices,
// queue lengths and counters are counter tracks, and a gap in the recording ends all slices of its worker, because
// nothing is known of what happened in it.
#pragma once

#include <filch/trace/recording.hpp>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace filch::inline v0::trace {

struct export_options {
  // Also show attempts to steal that brought nothing, each as a mark. There may be very many.
  bool failed_steals = false;
};

struct export_result {
  std::uint64_t events = 0;  // written
  std::vector<std::string> warnings;
  std::optional<std::string> error;  // the stream failed
};

// Above this number of events viewers of the JSON format become unusable; the writer warns.
inline constexpr std::uint64_t k_chrome_events_limit = 1'000'000;

export_result write_chrome(const recording& from, std::ostream& out, const export_options& options = {});
export_result write_perfetto(const recording& from, std::ostream& out, const export_options& options = {});

}  // namespace filch::inline v0::trace
