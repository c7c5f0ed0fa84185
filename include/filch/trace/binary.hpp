// The .filch file: a recording as compact blocks, each with its own checksum. The format, byte by byte, is in
// docs/architecture/trace.md.
#pragma once

#include <filch/trace/recording.hpp>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

namespace filch::inline v0::trace {

// Writes the file block by block. Empty: done; else why not: the recording breaks one of its own rules (and nothing was
// written), or the stream failed.
[[nodiscard]] std::optional<std::string> write_binary(const recording& from, std::ostream& out);

struct read_error {
  enum class reason : std::uint8_t {
    foreign,    // not a .filch file
    version,    // of a format that this reader does not know
    truncated,  // ends too early
    corrupted,  // bytes that no writer wrote
    stream,     // the stream itself failed
  };

  reason why = reason::foreign;
  std::uint64_t offset = 0;  // in the file, of the block or field that is wrong
  std::string what;

  // "corrupted at byte 1234: checksum of block EVNT is …, expected …"
  [[nodiscard]] std::string text() const;
};

// What could be read, and what stopped the reader. After an error `value` holds all that the good blocks before it
// said; `is_usable` says whether that includes the metadata, without which events mean nothing.
struct read_result {
  recording value;
  std::optional<read_error> error;
  bool is_usable = false;
};

// Never throws for what the stream contains (std::bad_alloc apart), whatever the bytes are.
[[nodiscard]] read_result read_binary(std::istream& in);

}  // namespace filch::inline v0::trace
