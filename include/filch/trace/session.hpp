// A session records one runtime: it owns the recorders of its workers and of outside threads, and the names.
//
// Who may call what: any thread, any function. start(), stop(), drain() and collect() exclude each other by a lock;
// they may run while workers record. A worker that is inside record() during stop() still finishes that one event.
// The session outlives every thread that records into it.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/trace/clock.hpp>
#include <filch/trace/names.hpp>
#include <filch/trace/recorder.hpp>
#include <filch/trace/recording.hpp>
#include <filch/trace/ring.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace filch::inline v0::trace {

struct session_options {
  std::uint32_t workers = 1;
  // Per worker and for outside threads; a power of two. 32 bytes each: the default is 1 MiB per ring (a guess).
  std::size_t ring_events = std::size_t{1} << 15;
  when_full full = when_full::refuse_new;
  std::optional<clock_source> clock = {};  // none: the best there is
  // Goes into the recording; `workers` and `clock` are filled in by the session.
  recording_metadata about = {};
};

class session {
 public:
  // Throws std::invalid_argument that names the option, its value and what is allowed.
  explicit session(session_options options);

  [[nodiscard]] recorder& of_worker(worker_id worker);
  [[nodiscard]] outside_recorder& outside() { return outside_; }
  [[nodiscard]] names_table& names() { return names_; }
  [[nodiscard]] std::uint32_t workers() const { return options_.workers; }

  void start();
  void stop();

  // Moves what the rings hold into the session's own memory, which makes room in the rings: the ring bounds what may
  // happen between two drains, not the length of the recording.
  void drain();

  // Everything recorded since the last collect(), in nanoseconds since the first start().
  [[nodiscard]] recording collect();

 private:
  // What was taken out of one recorder, in ticks.
  struct lane {
    std::vector<event> events;
    std::uint64_t reported_refused = 0;
    std::uint64_t reported_overwritten = 0;
  };

  static void drain_lane(recorder& from, lane& into);
  static void close_lane(const recorder& from, lane& into, std::int64_t now_ticks);
  [[nodiscard]] std::vector<event> finish_lane(lane& from, const tick_line& line) const;
  void enable_all(bool on);
  void drain_all();

  const session_options options_;
  const clock_source clock_;
  names_table names_;
  std::deque<recorder> recorders_;
  outside_recorder outside_;

  std::mutex mutex_;
  // Guarded by mutex_, as is the reader's side of every recorder.
  std::vector<lane> lanes_;  // one per worker, then outside
  std::optional<clock_anchor> first_anchor_;
};

}  // namespace filch::inline v0::trace
