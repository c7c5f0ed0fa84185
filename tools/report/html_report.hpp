// A recording as one self-contained HTML page: the files of viewer/ and the recording itself, a .filch file in base64.
// The page loads nothing from anywhere.
#pragma once

#include <filch/trace/recording.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace filch::report {

// Writes the page. Empty: done; else why not: the recording breaks one of its own rules (and nothing was written), or
// the stream failed. `title` is text, not markup; empty: the page is called "filch report".
[[nodiscard]] std::optional<std::string> write_report(const trace::recording& from, std::ostream& out,
                                                      std::string_view title);

}  // namespace filch::report
