// The seed of a random test: printed, and taken from the environment variable FILCH_SEED when that is set.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace filch_test {

inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    std::uint64_t value = 0;
    if (const char* given = std::getenv("FILCH_SEED"); given != nullptr) {
      char* end = nullptr;
      value = std::strtoull(given, &end, 0);
      if (end == given || *end != '\0') {
        std::fprintf(stderr, "FILCH_SEED is \"%s\"; it must be a number from 0 to 2^64 - 1\n", given);
        std::exit(2);
      }
    } else {
      std::random_device device;
      value = (std::uint64_t{device()} << 32) | device();
    }
    std::printf("seed: FILCH_SEED=%llu\n", static_cast<unsigned long long>(value));
    std::fflush(stdout);
    return value;
  }();
  return seed;
}

}  // namespace filch_test
