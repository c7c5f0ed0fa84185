// A recording as tracks with slices, marks, values and flows: what all viewers have in common.
//
// The walk goes through all workers at once in the order of time, so that what a sink receives is ordered in time on
// each track and over all tracks, begins and ends of a track nest, and a flow leaves before it arrives.
#pragma once

#include <filch/trace/exporters.hpp>
#include <filch/trace/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace filch::inline v0::trace {

struct slice_label {
  std::string_view name;
  std::string_view category;
  std::uint64_t task = k_no_task;
  std::optional<rgb> colour;
};

// Flows are numbered from 1; 0 is none. Each leaves from one mark and arrives at no more than one slice.
using flow_number = std::uint64_t;

class timeline_sink {
 public:
  timeline_sink() = default;
  timeline_sink(const timeline_sink&) = delete;
  timeline_sink& operator=(const timeline_sink&) = delete;
  virtual ~timeline_sink() = default;

  virtual void begin(std::size_t track, std::uint64_t at_ns, const slice_label& label,
                     std::span<const flow_number> arriving) = 0;
  virtual void end(std::size_t track, std::uint64_t at_ns) = 0;
  virtual void mark(std::size_t track, std::uint64_t at_ns, std::string_view text, flow_number leaving) = 0;
  virtual void value(std::size_t track, std::uint64_t at_ns, std::string_view name, std::int64_t value) = 0;
};

// Track w is worker w; the last one, number from.workers.size(), is that of external threads.
void walk_timeline(const recording& from, const export_options& options, timeline_sink& sink);

// "worker 3", "outside".
[[nodiscard]] std::string track_name(const recording& from, std::size_t track);

}  // namespace filch::inline v0::trace
