// Recordings without a line of code: FILCH_TRACE makes every runtime of the process record itself.
//
//   FILCH_TRACE         the file; "%p" stands for the number of the process, "%%" for "%". A second runtime writes
//                       "run.2.filch" for "run.filch", and so on
//   FILCH_TRACE_DETAIL  stolen, beat (the default) or every: see trace::fork_detail
//   FILCH_TRACE_RUN     any text: processes with the same one do not write over each other's recordings
//   FILCH_TRACE_BEAT_US the microseconds between two heartbeats, 1 to 1000000
//
// The files are ended when their runtimes are destroyed, at exit() and in std::terminate(). A process that ends
// otherwise leaves files that can be read up to what was written last.
#pragma once

#include <filch/runtime/options.hpp>
#include <filch/trace/session.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace filch::inline v0 {

// Ends the recording, and says on standard error if that failed.
struct end_recording {
  void operator()(trace::session* session) const noexcept;
};
using owned_session = std::unique_ptr<trace::session, end_recording>;

// Null: FILCH_TRACE is not set, or the file cannot be written, which is reported on standard error. Recording has
// begun. Throws std::invalid_argument for a variable that has a value it cannot have.
[[nodiscard]] owned_session record_if_asked(const options& chosen, std::uint32_t workers, const std::string& policy);

}  // namespace filch::inline v0
