// A session records one runtime: it owns the recorders of its workers and of external threads, and the names.
//
// Who may call what: any thread, any function. start(), stop(), drain() and collect() exclude each other by a lock;
// they may run while workers record. A worker that is inside record() during stop() still finishes that one event.
// The session outlives every thread that records into it.
//
// With `spill` the recording goes to a file while the program runs: a thread of the session empties the rings every few
// milliseconds, and a worker whose ring is full empties it itself. So memory stays bounded, and after a crash the file
// holds all but the last moments. The file is whole once finish() has returned.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>
#include <filch/trace/clock.hpp>
#include <filch/trace/names.hpp>
#include <filch/trace/recorder.hpp>
#include <filch/trace/recording.hpp>
#include <filch/trace/ring.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace filch::inline v0::trace {

// Which forks (filch::join, the pieces of loops) are recorded as tasks of their own. Tasks that are spawned always are.
enum class fork_detail : std::uint8_t {
  stolen,  // those that another worker runs
  beat,    // also those that are open at a heartbeat: the others are part of the task that forked
  every,   // all: for small programs
};

// What became of a session's file.
struct spill_summary {
  std::string file;
  std::uint64_t tasks = 0;  // that ran
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  std::uint64_t bytes = 0;
  std::string error;  // why writing ended early; empty: it did not
};

struct session_options {
  std::uint32_t workers = 1;
  // Per worker and for external threads; a power of two. 32 bytes each: the default is 1 MiB per ring (a guess).
  std::size_t ring_events = std::size_t{1} << 15;
  when_full full = when_full::refuse_new;
  std::optional<clock_source> clock = {};  // none: the best there is
  // Goes into the recording; `workers` and `clock` are filled in by the session.
  recording_metadata about = {};

  std::string spill = {};  // the file that is written while the program runs; empty: the recording is kept in memory
  fork_detail forks = fork_detail::stolen;
  time_ns beat_ns = k_default_beat_ns;  // between two heartbeats; 1 µs to 1 s
  bool interrupts = true;               // a heartbeat may interrupt a thread that does not fork
  // Also records what the workers' threads use, about every 200 µs: processor time, context switches, and the
  // processor's counters where the system lets a program read them.
  bool thread_usage = false;

  static constexpr time_ns k_default_beat_ns = 100 * k_ns_per_us;
};

class spill;

class session {
 public:
  // Throws std::invalid_argument that names the option, its value and what is allowed.
  explicit session(session_options options);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  // As finish().
  ~session();

  [[nodiscard]] recorder& of_worker(worker_id worker);
  [[nodiscard]] outside_recorder& outside() { return outside_; }
  [[nodiscard]] names_table& names() { return names_; }
  [[nodiscard]] std::uint32_t workers() const { return options_.workers; }

  void start();
  void stop();

  // Moves what the rings hold into the session's own memory, which makes room in the rings: the ring bounds what may
  // happen between two drains, not the length of the recording.
  void drain();

  // Everything recorded since the last collect(), in nanoseconds since the first start(). Throws std::logic_error when
  // the recording goes to a file.
  [[nodiscard]] recording collect();

  // Stops, writes what is left and ends the file; without one, just stops. Afterwards start() does nothing.
  spill_summary finish();
  // The same for a program that is about to end abnormally: gives up when another thread holds the session for long.
  void finish_in_emergency() noexcept;

  [[nodiscard]] fork_detail forks() const { return options_.forks; }
  [[nodiscard]] time_ns beat_ns() const { return options_.beat_ns; }
  [[nodiscard]] bool may_interrupt() const { return options_.interrupts; }
  // Any thread: something was forked while the session records.
  void note_forks() noexcept {
    if (!has_forks()) has_forks_.store(true, std::memory_order_relaxed);  // statistic
  }
  // The heartbeat thread: the longest time for which forks may have been open that are not in the recording.
  void note_hidden(time_ns span_ns) noexcept {
    // statistic
    if (span_ns > hidden_ns_.load(std::memory_order_relaxed)) hidden_ns_.store(span_ns, std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_forks() const { return has_forks_.load(std::memory_order_relaxed); }  // hint
  [[nodiscard]] bool is_recording() const { return outside_.is_enabled(); }

 private:
  // What was taken out of one recorder, in ticks.
  struct lane {
    std::vector<event> events;
    std::vector<thread_sample> usage;
    std::uint64_t reported_refused = 0;
    std::uint64_t reported_overwritten = 0;
    time_ns latest_ns = 0;
    time_ns latest_usage_ns = 0;
  };

  void drain_lane(recorder& from, lane& into);
  void drain_notes(recorder& from, lane& into, std::size_t first);
  static void close_lane(const recorder& from, lane& into, std::int64_t now_ticks);
  static void to_ns(lane& in, const tick_line& line);
  void enable_all(bool on);
  void drain_all();
  void close_all_lanes(std::int64_t now_ticks);
  [[nodiscard]] std::uint64_t pending_items() const;
  void write_out();
  void end_file();
  void spill_until_stopped();
  void make_room() noexcept;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> late_facts(const tick_line& line,
                                                                            const clock_anchor& now) const;

  const session_options options_;
  const clock_source clock_;
  names_table names_;
  std::deque<recorder> recorders_;
  outside_recorder outside_;
  std_atomics::atomic<bool> has_forks_{false};
  std_atomics::atomic<time_ns> hidden_ns_{0};  // at most

  std::mutex mutex_;
  // Guarded by mutex_, as is the reader's side of every recorder.
  std::vector<lane> lanes_;  // one per worker, then outside
  std::optional<clock_anchor> first_anchor_;
  std::optional<std::int64_t> stopped_ticks_;
  std::unordered_map<const char*, name_id> labels_;
  bool is_finished_ = false;
  time_ns written_at_ns_ = 0;
  std::unique_ptr<spill> spill_;

  // The thread that writes.
  std::condition_variable must_end_;
  std::thread writer_;
};

}  // namespace filch::inline v0::trace
