#include "doubts.hpp"

#include <string_view>

#include "facts.hpp"
#include "words.hpp"

namespace filch::analysis {
namespace {

// A heartbeat that comes this much too late is late. Forks between two heartbeats are hidden; they matter from a
// quarter of the span on (guesses).
constexpr time_ns k_late_beats = 10;
constexpr time_ns k_part_of_span = 4;
// With fewer heartbeats the span is too coarse. Neither matters beside work for this many workers (guesses).
constexpr time_ns k_beats_of_span = 20;
constexpr time_ns k_enough_parallelism = 64;

// Arrivals matter from this part of the span on (a guess).
constexpr time_ns k_arrivals_of_span = 10;

constexpr std::string_view k_record_one_worker = "Record again: FILCH_WORKERS=1 filch record -- ./program.";

doubt of_beats(time_ns hidden_ns, time_ns span_ns) {
  return {"late-beats",
          "Heartbeats came late: for up to " + time_text(hidden_ns) + " open forks were not recorded. The span of " +
              time_text(span_ns) + " may be too long by that much.",
          "Record again on a quiet machine, or with --detail every."};
}

doubt of_short_run(time_ns beat_ns, time_ns span_ns) {
  return {"short-run",
          "Forks are recorded every " + time_text(beat_ns) + ", which is too coarse for a span of " +
              time_text(span_ns) + ": the program may have more parallelism than that.",
          "Record again with a larger input, a shorter --beat, or --detail every."};
}

}  // namespace

std::vector<doubt> doubts_of(const trace::recording& from, time_ns work_ns, time_ns span_ns) {
  if (from.about.source != "threads" || work_ns == 0) return {};
  const std::string_view detail = value_of(from, trace::k_forks_key);
  const std::string_view has_forks = value_of(from, trace::k_has_forks_key);
  if (detail == "stolen") {
    if (has_forks == "no") return {};
    if (has_forks.empty()) {
      return {
          {"unknown-forks",
           "The recording lacks its end, which says whether the program forks (joins, loops), and has only the forks "
           "that another worker took. If there were others, the span is too long, and the parallelism too low.",
           std::string{k_record_one_worker}}};
    }
    return {{"unrecorded-forks",
             "The program forks (joins, loops), but the recording has only the forks that another worker took: the "
             "others are part of the task that forked. The span is too long, and the parallelism too low.",
             std::string{k_record_one_worker}}};
  }
  if (detail != "beat" && detail != "every") {
    return {{"unknown-forks",
             "An earlier version of filch made the recording, which does not say which forks it has. If the program "
             "has joins or loops, the span may be too long, and the parallelism too low.",
             std::string{k_record_one_worker}}};
  }
  if (detail == "every" || has_forks == "no") return {};
  const time_ns hidden_ns = time_of(value_of(from, trace::k_hidden_key));
  const time_ns beat_ns = time_of(value_of(from, trace::k_beat_key));
  if (beat_ns == 0 || work_ns / k_enough_parallelism >= span_ns) return {};
  const bool is_late = hidden_ns / k_late_beats >= beat_ns && hidden_ns >= span_ns / k_part_of_span;
  if (is_late) return {of_beats(hidden_ns, span_ns)};
  return span_ns / k_beats_of_span < beat_ns ? std::vector{of_short_run(beat_ns, span_ns)} : std::vector<doubt>{};
}

std::vector<doubt> doubts_of_arrivals(const trace::recording& from, const sim::recorded_tasks& tasks) {
  const time_ns arrivals_ns = tasks.arrivals_ns();
  if (from.about.source != "threads" || arrivals_ns <= tasks.span_ns() / k_arrivals_of_span) return {};
  return {{"late-arrivals",
           "Tasks were submitted from outside while others ran, over " + time_text(arrivals_ns) +
               " in all: the prediction, the span and the bounds submit them as late as in the recording, with any "
               "number of workers.",
           "Where the program waits for its own tasks before it submits the next, submit them from one task."}};
}

}  // namespace filch::analysis
