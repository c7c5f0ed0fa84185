// What `filch bench` measures: which workload of the programs, at which size.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace filch::tool {

struct measurement_kind {
  std::string_view name;      // "tree-sum-1k"
  std::string_view workload;  // as the programs call it
  std::uint64_t size;
  std::uint64_t small_size;  // for runtimes to which a fork costs a hundred times as much
  std::uint64_t quick_size;  // with --quick
  std::string_view help;
};

[[nodiscard]] std::span<const measurement_kind> all_measurement_kinds();
// Those of the given names, in the order of the list; all of them without a name. Throws bad_usage for an unknown name.
[[nodiscard]] std::vector<measurement_kind> measurement_kinds(const std::vector<std::string>& names);

// Does this runtime get the small size? Its ratio is still to serial code of the same size.
[[nodiscard]] bool takes_small_sizes(std::string_view runtime);

}  // namespace filch::tool
