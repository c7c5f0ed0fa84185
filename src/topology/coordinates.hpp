// Where each CPU of a machine stands, looked up by CPU number. Private to src/topology.
#pragma once

#include <filch/topology/machine.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace filch::inline v0::topology {

inline constexpr std::uint32_t k_nowhere = UINT32_MAX;

struct coordinates {
  std::uint32_t core = k_nowhere;  // k_nowhere: the machine has no such CPU
  std::uint32_t node = 0;
  std::uint32_t package = 0;
  // By level, from 1: the lowest CPU that shares this CPU's cache of that level, which names the cache; k_nowhere when
  // there is none.
  std::array<std::uint32_t, k_max_cache_level + 1> cache{};

  // The outermost shared cache of level 2 or above.
  [[nodiscard]] std::uint32_t outermost_cache() const {
    for (std::uint32_t level = k_max_cache_level; level >= 2; --level) {
      if (cache[level] != k_nowhere) return cache[level];
    }
    return k_nowhere;
  }
};

// One entry for each number up to the largest CPU number of the machine. Requires I2 and I3 of machine.hpp.
[[nodiscard]] std::vector<coordinates> locate_cpus(const machine& m);

}  // namespace filch::inline v0::topology
