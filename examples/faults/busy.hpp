// Work that takes a processor's time and nothing else: so many multiplications that wait for each other.
#pragma once

#include <cstdint>

inline std::uint64_t busy(std::uint64_t steps) {
  std::uint64_t value = steps;
  for (std::uint64_t i = 0; i != steps; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(value));  // so that no compiler moves it out of a lock or a loop
  }
  return value;
}

inline constexpr std::uint64_t k_million = 1'000'000;
