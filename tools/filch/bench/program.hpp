// The programs that are measured, as processes. Their protocol is in bench/workloads/harness/program.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace filch::tool {

// What a program says about itself.
struct bench_program {
  std::filesystem::path path;
  std::string runtime;
  std::string language;
  std::string compiler;
  std::string flags;
  bool has_serial = false;  // measures serial code, too, with 0 threads
  std::vector<std::string> workloads;

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
};

// Every program in the folders, serial code first, then filch, then by name. A program that was found before, in the
// same version, is left out. Throws `failure` when one is not there that must be: filch, and perhaps serial code.
[[nodiscard]] std::vector<bench_program> find_programs(const std::vector<std::filesystem::path>& folders,
                                                       const wanted_programs& wanted);

struct bench_job {
  const bench_program* program = nullptr;
  std::string workload;
  std::uint64_t size = 0;
  std::uint32_t threads = 0;  // 0: serial code
};

// Runs the job so many times in one process. No sample: it took longer than the limit and was ended. Throws `failure`
// when the program fails.
[[nodiscard]] std::vector<bench_sample> run_job(const bench_job& what, std::uint32_t repetitions, double limit_s);

}  // namespace filch::tool
