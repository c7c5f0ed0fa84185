// A file that the command writes.
//
// An existing file is replaced only if it is empty or its content shows that filch has written it; any other file stays
// as it is, with an error. A file is written under another name beside its own and renamed when it is complete: a
// reader sees the old one or the new one, and a command that ends early leaves the old one.
//
//   - A link to a file stays a link, and the file behind it is replaced. A link to nothing is refused.
//   - Terminals, pipes and other character devices are written to; disks and folders are refused.
//   - A file that another program has put there meanwhile is not replaced, unless filch has written that one too.
//   - SIGHUP, SIGINT and SIGTERM remove the unfinished file before they end the command.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "signal_removal.hpp"

namespace filch::tool {

// The text names the file and the reason why it is not written.
class output_refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// True if a file that begins like this was written by filch. The first k_telling_bytes are enough.
inline constexpr std::size_t k_telling_bytes = std::size_t{1} << 16;
[[nodiscard]] bool is_written_by_filch(std::string_view begins);

class output_file {
 public:
  // Throws output_refused if the file may not be replaced or cannot be written.
  explicit output_file(const std::string& name);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  // Without finish() everything is as it was before.
  ~output_file();

  // Throws output_refused if the file may not be replaced; touches nothing. For commands that take long.
  static void require(const std::string& name);
  // The same for a file that is overwritten in place: its folder need not be writable.
  static void require_in_place(const std::string& name);

  [[nodiscard]] std::ostream& stream() { return out_; }
  // What was written so far, in bytes. None: devices and pipes do not tell.
  [[nodiscard]] std::optional<std::uint64_t> bytes();
  // Everything was written. Throws output_refused if that failed, or if the caller passes a problem.
  void finish(const std::optional<std::string>& problem = {});

 private:
  struct place {
    std::string file;  // behind all links
    bool is_there = false;
    bool is_device = false;
    unsigned mode = 0;  // of the one that is there
  };
  static place look_at(const std::string& name);
  void open_beside();
  void take_name();
  void replace();
  [[nodiscard]] bool is_own(const std::string& file) const;
  void give_up() noexcept;

  const std::string name_;
  const place where_;
  std::string unfinished_;  // empty: there is none
  dev_t device_ = 0;        // of the unfinished file, as is
  ino_t inode_ = 0;
  std::optional<signal_removal> removal_;  // of the unfinished file
  std::ofstream out_;
};

}  // namespace filch::tool
