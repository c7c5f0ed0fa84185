#include "doubts.hpp"

#include <string_view>

#include "facts.hpp"
#include "words.hpp"

namespace filch::analysis {
namespace {

// A beat that comes this much later than it should is late. Forks between two beats are hidden in a part of the span
// that matters from a quarter of it on (guesses).
constexpr time_ns k_late_beats = 10;
constexpr time_ns k_part_of_span = 4;
// A span of fewer beats is mostly the beats' own coarseness. Neither matters beside work for this many workers
// (guesses).
constexpr time_ns k_beats_of_span = 20;
constexpr time_ns k_enough_parallelism = 64;

// Arrivals matter from this part of the span on (a guess).
constexpr time_ns k_arrivals_of_span = 10;

constexpr std::string_view k_record_one_worker = "Record anew: FILCH_WORKERS=1 filch record -- ./program.";

doubt of_beats(time_ns hidden_ns, time_ns span_ns) {
  return {"late-beats",
          "Forks were looked at too late: for up to " + time_text(hidden_ns) +
              " open ones were not recorded. So much of the span of " + time_text(span_ns) + " may not be there.",
          "Record anew on a quiet machine, or with --detail every."};
}

doubt of_short_run(time_ns beat_ns, time_ns span_ns) {
  return {"short-run",
          "Forks are looked at every " + time_text(beat_ns) + ", which is coarse for a span of " + time_text(span_ns) +
              ": the program may have more parallelism than that.",
          "Record anew with a larger input, a shorter --beat, or --detail every."};
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
             "The program forks (joins, loops), and the recording has only the forks that another worker took: the "
             "others are part of the task they stand in. The span is too long, and the parallelism too low.",
             std::string{k_record_one_worker}}};
  }
  if (detail != "beat" && detail != "every") {
    return {{"unknown-forks",
             "The recording does not say which forks it has, as an earlier version of filch made it. If the program "
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
           "Tasks came from outside while others ran, over " + time_text(arrivals_ns) +
               " in all: the prediction, the span and the bounds take them to come as late as they did, whatever the "
               "number of workers.",
           "Where the program waits for its own tasks before it submits the next, submit them from one task."}};
}

}  // namespace filch::analysis
