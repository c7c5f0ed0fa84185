// The programs that are measured, as processes. Their protocol is in bench/workloads/harness/program.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "catalogue.hpp"

namespace filch::tool {

// A program's description of itself.
struct bench_program {
  std::filesystem::path path;
  std::string runtime;
  std::string language;
  std::string compiler;
  std::string flags;
  bool has_serial = false;   // measures serial code, too, with 0 threads
  bool takes_turns = false;  // waits for its turn before every repetition, if it is asked to
  std::vector<std::string> workloads;
  std::size_t folder = 0;  // the index among the given folders

  [[nodiscard]] bool has(std::string_view workload) const;
};

// One repetition.
struct bench_sample {
  std::uint64_t ns = 0;
  std::uint64_t cpu_ns = 0;
  std::string checksum;
  std::uint64_t bytes = 0;  // memory, if it was measured
};

inline constexpr std::string_view k_serial_runtime = "serial";
inline constexpr std::string_view k_own_runtime = "filch";

struct wanted_programs {
  bool with_peers = false;
  bool with_serial = true;  // serial code must be there
  std::string_view targets = "filch_workloads, or filch_peers for --peers";
  std::span<const known_peer> peers{};  // their absence is reported; none without --peers
};

// A file that does not describe itself.
struct unusable_program {
  std::filesystem::path path;
  std::string problem;
};

// A peer whose program is not there.
struct missing_peer {
  std::string runtime;
  std::string why;
};

struct found_programs {
  std::vector<bench_program> programs;  // serial code first, then filch, then by name; one name by folder
  std::vector<unusable_program> unusable;
  std::vector<missing_peer> missing;  // in the order of the known ones
};

// Every program in the folders. A program that was found before, in the same version, is left out. The file <its
// program>.left_out holds the reason why a peer was not built. Throws `failure` when a required program is missing:
// filch, and perhaps serial code.
[[nodiscard]] found_programs find_programs(const std::vector<std::filesystem::path>& folders,
                                           const wanted_programs& wanted);

struct bench_job {
  const bench_program* program = nullptr;
  std::string workload;
  std::uint64_t size = 0;
  std::uint32_t threads = 0;  // 0: serial code
};

// The result of a job: samples, all with one checksum, or the reason why there are none.
struct job_outcome {
  std::vector<bench_sample> samples{};
  bool is_too_slow = false;  // it took longer than the limit and was ended
  std::string problem{};     // how it failed: "exit code 3"

  [[nodiscard]] bool has_failed() const { return is_too_slow || !problem.empty(); }
};

// Thrown when a signal has asked the command to end; the program that ran has been ended.
struct asked_to_end {};

// Runs the job `repetitions` times in one process. Whatever that process does is an outcome.
[[nodiscard]] job_outcome run_job(const bench_job& what, std::uint32_t repetitions, double limit_s);

class child;

// A process that takes turns with others. While it waits it is stopped: threads of some runtimes spin for a while, or
// forever, when there is nothing to do. It ends with this object, with a failure, and when the command ends in whatever
// way.
class turn_taker {
 public:
  // Starts it, and waits until it is warm. The limit is for this, and again for each turn. Throws asked_to_end.
  turn_taker(const bench_job& what, double limit_s);
  ~turn_taker();
  turn_taker(const turn_taker&) = delete;
  turn_taker& operator=(const turn_taker&) = delete;

  // One sample; or how it failed, now or before. Throws asked_to_end.
  [[nodiscard]] const job_outcome& take_turn();

 private:
  // Stops it after that.
  std::string next_line();

  std::unique_ptr<child> process_;  // null: it has failed
  double limit_s_;
  job_outcome last_;
};

}  // namespace filch::tool
