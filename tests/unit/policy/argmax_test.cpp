#include <filch/policy/argmax.hpp>

#include "helpers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace filch;
using namespace filch::policy;

TEST(random_argmax, a_single_largest_is_found_without_a_draw) {
  const std::vector<std::uint64_t> keys{3, 9, 4, 8};
  random_stream random{1};
  EXPECT_EQ(random_argmax(keys.size(), [&](std::size_t i) { return keys[i]; }, random), 1u);
  EXPECT_EQ(random, random_stream{1});
}

TEST(random_argmax, every_one_of_several_largest_is_equally_likely) {
  const std::vector<std::uint64_t> keys{5, 7, 7, 1, 7};
  random_stream random{check::test_seed()};
  std::vector<std::uint64_t> seen(keys.size());
  for (int i = 0; i != 30'000; ++i) {
    ++seen[random_argmax(keys.size(), [&](std::size_t k) { return keys[k]; }, random)];
  }
  EXPECT_EQ(seen[0] + seen[3], 0u);
  EXPECT_LT(check::chi_squared({seen[1], seen[2], seen[4]}), 18.4);  // 2 degrees of freedom, p = 0.0001
}

// Another thread may empty a queue between the two passes: all keys are 4 in the first and 0 in the second.
TEST(random_argmax, keys_that_change_meanwhile_still_give_an_index_in_range) {
  random_stream random{1};
  int calls = 0;
  const auto key = [&](std::size_t) -> std::uint64_t { return calls++ < 3 ? 4 : 0; };
  EXPECT_EQ(random_argmax(3, key, random), 0u);
}

}  // namespace
