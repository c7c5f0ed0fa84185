// What the worker model keeps about all its workers, against what is plainly right.
#include "sim/load_tree.hpp"
#include "sim/sleeper_list.hpp"

#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/policy/argmax.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace filch;

TEST(sleeper_list, keeps_the_order_of_parking_whoever_leaves) {
  random_stream random{filch_test::test_seed()};
  for (int round = 0; round != 50; ++round) {
    const auto workers = static_cast<std::uint32_t>(1 + random.below(40));
    sim::sleeper_list list{workers};
    std::vector<worker_id> oracle;
    for (int i = 0; i != 500; ++i) {
      const worker_id who{static_cast<std::uint32_t>(random.below(workers))};
      const auto at = std::ranges::find(oracle, who);
      if (at == oracle.end()) {
        oracle.push_back(who);
        list.push(who);
      } else {
        oracle.erase(at);
        list.erase(who);
      }
      ASSERT_EQ(list.is_empty(), oracle.empty());
      if (!oracle.empty()) {
        ASSERT_EQ(list.youngest(), oracle.back());
        ASSERT_EQ(list.with_gaps().back(), oracle.back());
      }
      ASSERT_LE(list.with_gaps().size(), 2 * oracle.size());
      if (random.below(4) == 0) {
        const auto packed = list.packed();
        ASSERT_EQ(std::vector<worker_id>(packed.begin(), packed.end()), oracle);
      }
    }
  }
}

// Oracle: reading all numbers, as the policies do where nobody knows who has most. The draws among ties are the same.
TEST(load_tree, finds_what_reading_all_numbers_finds) {
  random_stream random{filch_test::test_seed()};
  for (const std::uint32_t workers : {1u, 2u, 3u, 7u, 8u, 9u, 100u}) {
    std::vector<std::uint32_t> keys(workers, 3);
    sim::load_tree tree{workers, 3};
    for (int i = 0; i != 500; ++i) {
      const auto changed = static_cast<std::uint32_t>(random.below(workers));
      keys[changed] = static_cast<std::uint32_t>(random.below(5));
      tree.set(changed, keys[changed]);
      std::vector<worker_id> except;
      for (std::uint32_t w = 0; w != workers; ++w) {
        if (random.below(5) == 0) except.push_back(worker_id{w});
      }
      std::vector<worker_id> left;
      for (std::uint32_t w = 0; w != workers; ++w) {
        if (!std::ranges::binary_search(except, worker_id{w})) left.push_back(worker_id{w});
      }
      const sim::load_tree::answer got = tree.largest(except);
      if (left.empty()) {
        ASSERT_EQ(got.ties, 0u);
        continue;
      }
      const auto key = [&](std::size_t at) { return std::uint64_t{keys[left[at].value]}; };
      const policy::largest_key wanted = policy::find_largest(left.size(), key);
      ASSERT_EQ(got.key, wanted.key);
      ASSERT_EQ(got.ties, wanted.ties);
      random_stream same = random;
      const std::size_t at = policy::choose_tie(wanted, left.size(), key, random);
      ASSERT_EQ(tree.tie(got, got.ties == 1 ? 0 : same.below(got.ties), except), left[at]);
      ASSERT_EQ(random, same);
    }
  }
}

}  // namespace
