#include "catalogue.hpp"

#include <algorithm>
#include <array>
#include <filch/policy/names.hpp>
#include <string>

#include "errors.hpp"

namespace filch::tool {
namespace {

constexpr std::array<measurement_kind, 13> k_kinds{{
    {"fib", "fib", 36, 27, 18, "fib(36), a fork at every call, no cut-off"},
    {"nqueens", "nqueens", 12, 12, 6, "12 queens, a fork for every queen that fits"},
    {"skynet", "skynet", 1'000'000, 100'000, 100, "a million leaves, ten children at every node"},
    {"matmul", "matmul", 1024, 1024, 64, "1024 × 1024 doubles, cache-oblivious"},
    {"mergesort", "mergesort", 10'000'000, 10'000'000, 10'000, "10 million numbers, parallel merge"},
    {"sort", "sort", 10'000'000, 10'000'000, 10'000, "10 million numbers by the runtime's own sort"},
    {"uts-t1", "uts_t1", 10, 10, 4, "Unbalanced Tree Search T1, geometric"},
    {"uts-t3", "uts_t3", 2000, 2000, 20, "Unbalanced Tree Search T3, binomial"},
    {"tree-sum-1k", "tree_sum", 1000, 1000, 500'000, "a tree of 1000 nodes, a thousand times"},
    {"tree-sum-10m", "tree_sum", 10'000'000, 1'000'000, 1'000'000, "a tree of 10 million nodes"},
    {"for-each-1k", "for_each", 1000, 1000, 5'000'000, "1000 cheap items, ten thousand times"},
    {"for-each-1m", "for_each", 1'000'000, 1'000'000, 10'000'000, "a million cheap items, ten times"},
    {"join-tiny", "join", 1'000'000, 100'000, 1000, "a million joins of two calls that do next to nothing"},
}};

}  // namespace

std::span<const measurement_kind> all_measurement_kinds() {
  return k_kinds;
}

std::vector<measurement_kind> measurement_kinds(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const measurement_kind& each : k_kinds) known.push_back(each.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      throw bad_usage(policy::unknown_name("measurement", name, known));
    }
  }
  std::vector<measurement_kind> chosen;
  for (const measurement_kind& each : k_kinds) {
    if (names.empty() || std::ranges::find(names, each.name) != names.end()) chosen.push_back(each);
  }
  return chosen;
}

bool takes_small_sizes(std::string_view runtime) {
  return runtime.starts_with("OpenMP") || runtime == "goroutines";
}

}  // namespace filch::tool
