// The measurements of `filch bench`: workloads of the programs, and their sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace filch::tool {

// The measured quantity of a run.
enum class bench_metric : std::uint8_t { time, cpu_time, memory };

struct measurement_kind {
  std::string_view name;      // "tree-sum-1k"
  std::string_view workload;  // as the programs call it
  std::uint64_t size;
  std::uint64_t small_size;  // for runtimes in which a fork costs a hundred times as much
  std::uint64_t quick_size;  // with --quick
  std::string_view help;
  // ---- of asynchronous shapes only ----
  bench_metric metric = bench_metric::time;
  std::uint64_t (*checksum)(std::uint64_t size) = nullptr;    // what every runtime must compute
  std::uint64_t (*operations)(std::uint64_t size) = nullptr;  // by which the time is divided; null: the size
  std::uint32_t repetitions = 0;                              // instead of the plan's; 0: as planned
};

[[nodiscard]] std::span<const measurement_kind> all_measurement_kinds();
// `filch bench async`.
[[nodiscard]] std::span<const measurement_kind> all_async_kinds();
// Those of the given names, in the order of the list; all of them without a name. Throws bad_usage for an unknown name.
[[nodiscard]] std::vector<measurement_kind> chosen_kinds(std::span<const measurement_kind> all,
                                                         const std::vector<std::string>& names);

// A runtime with a program, if its packages are installed.
struct known_peer {
  std::string_view program;  // the name of its file
  std::string_view runtime;
  bool is_cpp;                // so it is built by each compiler
  std::string_view packages;  // of Debian
};

[[nodiscard]] std::span<const known_peer> all_peers();
// `filch bench async`.
[[nodiscard]] std::span<const known_peer> all_async_peers();

// Does this runtime get the small size? Its ratio is still to serial code of the same size.
[[nodiscard]] bool takes_small_sizes(std::string_view runtime);

}  // namespace filch::tool
