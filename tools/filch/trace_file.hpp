// Recordings as files; the ending of the name says the format.
#pragma once

#include <filch/trace/recording.hpp>
#include <string>

namespace filch::tool {

// Throws bad_usage, naming `option`, unless the name ends in .json, .filch or .pftrace.
void require_trace_name(const std::string& file, const std::string& option);

// Writes the file and returns a message for the user: its name, its size, warnings. Throws `failure` when it cannot.
std::string write_trace_file(const trace::recording& what, const std::string& file);

// A .filch file. Throws `failure` when it cannot be read; returns the complete part of a file that ends too early, with
// a message on standard error.
[[nodiscard]] trace::recording read_trace_file(const std::string& file);

// The same as writing for a page that shows the recording: its name ends in .html.
void require_report_name(const std::string& file, const std::string& option);
std::string write_report_file(const trace::recording& what, const std::string& file);

}  // namespace filch::tool
