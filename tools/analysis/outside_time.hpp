// The time before a program's first task and after its last one, as far as the recording shows.
#pragma once

#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <string>

namespace filch::analysis {

struct outside_time {
  time_ns before_ns = 0;  // from the begin of the recording to the first task
  time_ns after_ns = 0;   // from the last task to the end of the recording, or to the last event that it has

  [[nodiscard]] time_ns total_ns() const { return before_ns + after_ns; }
  // Worth reporting beside tasks that take this long. It is no fault: a server may have had nothing to do.
  [[nodiscard]] bool is_much(time_ns tasks_ns) const { return total_ns() > (total_ns() + tasks_ns) / 10; }
  // "800 ms before the first task and 1.2 s after the last one"
  [[nodiscard]] std::string text() const;
};

// Of a recording whose tasks lie between these times; nothing of a simulated one, which has no other time.
[[nodiscard]] outside_time outside_time_of(const trace::recording& from, time_ns begin_ns, time_ns end_ns);

}  // namespace filch::analysis
