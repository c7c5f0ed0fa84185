// The file that a session writes while it records.
//
// Everything that was written can be read after a crash of the program: bytes go to the system in whole blocks, and
// each block has its own checksum. Who may call what: one thread at a time; `file` any thread.
#pragma once

#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <filch/trace/session.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace filch::inline v0::trace {

// "run.filch" and 2 → "run.2.filch"
[[nodiscard]] std::string with_number(const std::string& file, std::uint64_t number);

class spill {
 public:
  // Opens the file and writes its head. Where another process is writing to it, or one of the same run (k_run_key) has
  // written it, takes a name with this process's number. What is there is written over only if it is empty or a
  // recording: in its place, since the file must have its name when the program ends early. Throws std::runtime_error
  // (std::system_error where the system refuses), or std::invalid_argument for metadata that no file can hold.
  spill(const std::string& file, const recording_metadata& about);
  spill(const spill&) = delete;
  spill& operator=(const spill&) = delete;
  ~spill();

  [[nodiscard]] const std::string& file() const { return said_.file; }
  [[nodiscard]] const spill_summary& said() const { return said_; }
  // Does this process write it? A child of fork() does not.
  [[nodiscard]] bool is_ours() const;
  [[nodiscard]] bool has_failed() const { return !said_.error.empty(); }

  // Names that are new; the events of one list; the samples of one worker. Does nothing once writing has failed.
  void put_names(std::span<const name_entry> all);
  void put_events(std::uint64_t worker_code, std::span<const event> events);
  void put_usage(std::uint64_t worker, std::span<const thread_sample> samples);
  // Writes what was put.
  void flush();
  // The last blocks: what is known at the end only.
  void close(const std::vector<std::pair<std::string, std::string>>& facts);

 private:
  spill_summary said_;
  int descriptor_ = -1;
  int owner_ = 0;
  std::size_t names_ = 0;
  std::string bytes_;
};

}  // namespace filch::inline v0::trace
