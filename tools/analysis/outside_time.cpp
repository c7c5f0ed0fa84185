#include "outside_time.hpp"

#include <algorithm>
#include <vector>

#include "facts.hpp"
#include "words.hpp"

namespace filch::analysis {

std::string outside_time::text() const {
  return time_text(before_ns) + " before the first task and " + time_text(after_ns) + " after the last one";
}

outside_time outside_time_of(const trace::recording& from, time_ns begin_ns, time_ns end_ns) {
  if (from.about.source == "simulation") return {};
  time_ns until_ns = std::max(end_ns, time_of(value_of(from, trace::k_length_key)));
  const auto note_last = [&](const std::vector<trace::event>& list) {
    if (!list.empty()) until_ns = std::max<time_ns>(until_ns, list.back().time_ns);
  };
  for (const auto& list : from.workers) note_last(list);
  note_last(from.outside);
  return {.before_ns = std::max<time_ns>(0, begin_ns), .after_ns = until_ns - end_ns};
}

}  // namespace filch::analysis
