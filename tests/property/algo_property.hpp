// What the property tests of the algorithms share: random inputs of all sizes on 1, 2, 4 and 7 workers.
//
// Sizes: 0, 1, 2, primes, powers of two and their neighbours, and random ones. A failure says seed, workers and size.
#pragma once

#include <filch/algo/algo.hpp>
#include <filch/base/random.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace algo_property {

using filch::random_stream;

inline std::vector<std::size_t> sizes(random_stream& random, std::uint64_t most) {
  std::vector<std::size_t> all{0, 1, 2, 3, 5, 31, 32, 33, 101, 1009};
  for (const int k : {4, 7, 10, 13, 16}) {
    const std::size_t power = std::size_t{1} << k;
    if (power < most) all.insert(all.end(), {power - 1, power, power + 1});
  }
  for (int i = 0; i != 3; ++i) all.push_back(static_cast<std::size_t>(random.below(most)));
  all.push_back(static_cast<std::size_t>(most));
  return all;
}

inline filch::hint random_hint(random_stream& random, std::size_t n) {
  if (random.below(2) == 0) return {};
  return {.grain = 1 + static_cast<std::size_t>(random.below(n / 8 + 2))};
}

// Many different numbers or three, from below zero to above.
inline std::vector<long> random_numbers(random_stream& random, std::size_t n) {
  const std::uint64_t different = random.below(3) == 0 ? 3 : n + 1;
  std::vector<long> xs(n);
  for (long& x : xs) x = static_cast<long>(random.below(different)) - static_cast<long>(different / 2);
  return xs;
}

class on_workers : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::uint64_t k_most = filch_test::scaled(300'000);

  // Calls law(xs, random) with random numbers of all sizes, on a worker. `stream` is a number of the test's own.
  template <class F>
  void for_all(std::uint64_t stream, F&& law, std::uint64_t most = k_most) {
    random_stream random = random_stream{filch_test::test_seed()}.split(stream);
    for (const std::size_t n : sizes(random, most)) {
      const std::vector<long> xs = random_numbers(random, n);
      rt_.run([&] { law(xs, random); });
      if (HasFailure())
        FAIL() << "FILCH_SEED=" << filch_test::test_seed() << ", " << GetParam() << " workers, n = " << n;
    }
  }

  filch::runtime rt_{{.workers = GetParam()}};
};

}  // namespace algo_property

// All tests of a suite on every number of workers.
#define FILCH_PROPERTY_SUITE(suite)                  \
  class suite : public algo_property::on_workers {}; \
  INSTANTIATE_TEST_SUITE_P(workers, suite, testing::Values(1U, 2U, 4U, 7U))
