// A recording: everything that one run left behind, as plain data. Sessions and simulators make it, files hold it,
// exporters and analyses read it.
//
//   (I1) workers.size() == about.workers, and every event of workers[w] has worker == w; of outside, k_outside.
//   (I2) The times within one list never decrease. The order within a list is the order in which things happened.
//   (I3) usage.size() == about.workers, or 0: without samples of the threads. The times within one list never decrease.
//   (I4) No time is negative, and none is later than latest_time_ns().
//
// recording::check() looks for these. The events of a recording that passes may still contradict each other in every
// other way: its readers must cope with that.
#pragma once

#include <filch/base/units.hpp>
#include <filch/trace/names.hpp>
#include <filch/trace/schema.hpp>
#include <filch/trace/thread_sample.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace filch::inline v0::trace {

// The time of all workers together can be added up with room to spare; a hundred days are enough for the clock of one.
inline constexpr time_ns k_latest_time_ns = time_ns{1} << 53;
[[nodiscard]] constexpr time_ns latest_time_ns(std::uint32_t workers) {
  return (std::min)(k_latest_time_ns, (time_ns{1} << 60) / (time_ns{workers} + 1));
}

// What a reader must know to understand the events, or to repeat the run. Texts are for people.
struct recording_metadata {
  std::uint32_t workers = 0;
  std::uint64_t seed = 0;
  std::string source = {};  // "threads" or "simulation"
  std::string policy = {};
  std::string machine = {};
  std::string clock = {};
  std::string version = {};  // of the filch that recorded it
  // Whatever else the recorder wants to say. A key of a field above is not allowed here.
  std::vector<std::pair<std::string, std::string>> extra = {};

  friend bool operator==(const recording_metadata&, const recording_metadata&) = default;
};

// Keys of `extra` that a session of threads writes: which forks are tasks of the recording (stolen, beat, every), and
// how far apart the heartbeats were; whether anything was forked, yes or no; for how long, at most, open forks were not
// recorded; and how long the session recorded. A recording of an earlier version has none of them.
inline constexpr std::string_view k_forks_key = "forks";
inline constexpr std::string_view k_beat_key = "beat_ns";
inline constexpr std::string_view k_has_forks_key = "has_forks";
inline constexpr std::string_view k_hidden_key = "hidden_forks_ns";
inline constexpr std::string_view k_length_key = "recorded_ns";
inline constexpr std::array k_session_keys{k_forks_key, k_beat_key, k_has_forks_key, k_hidden_key, k_length_key};

// Key of `extra` that tells the processes of one run from those of another: `filch record` chooses it.
inline constexpr std::string_view k_run_key = "run_id";

struct recording {
  recording_metadata about;
  std::vector<name_entry> names;  // the name of name_id{i} is names[i]
  std::vector<std::vector<event>> workers;
  std::vector<event> outside;
  std::vector<std::vector<thread_sample>> usage = {};  // by worker

  // The entry of `name`, or nullptr for none or an id that the table does not have.
  [[nodiscard]] const name_entry* find_name(std::uint32_t name) const noexcept {
    return name < names.size() ? &names[name] : nullptr;
  }
  [[nodiscard]] std::uint64_t event_count() const noexcept;
  // The sum of all gaps.
  [[nodiscard]] std::uint64_t dropped_count() const noexcept;
  // Empty when (I1) to (I4) hold; else what is wrong, and where.
  [[nodiscard]] std::string(check)() const;  // a macro of that name leaves it alone

  friend bool operator==(const recording&, const recording&) = default;
};

}  // namespace filch::inline v0::trace
