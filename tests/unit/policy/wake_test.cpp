#include <filch/policy/wake.hpp>

#include "helpers.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using namespace filch;
using namespace filch::policy;

constexpr std::array<worker_id, 4> k_sleepers{worker_id{6}, worker_id{2}, worker_id{5}, worker_id{3}};  // 6 longest

// On a line: worker 2 is 3 away from worker 5.
std::uint32_t on_a_line(worker_id a, worker_id b) { return a.value > b.value ? a.value - b.value : b.value - a.value; }

TEST(wake, nobody_sleeps_so_nobody_is_woken) {
  random_stream random{1};
  for (const wake how : {wake::random, wake::nearest, wake::recent, wake::all}) {
    const auto choice = wake_policy{how}.choose({}, worker_id{0}, on_a_line, random);
    EXPECT_TRUE(choice.is_nobody());
    EXPECT_FALSE(choice.is_one());
  }
}

TEST(wake, all_is_everybody) {
  random_stream random{1};
  const auto choice = wake_policy{wake::all}.choose(k_sleepers, worker_id{0}, on_a_line, random);
  EXPECT_TRUE(choice.is_everybody());
  EXPECT_FALSE(choice.is_one());
}

TEST(wake, recent_is_the_last_that_parked) {
  random_stream random{1};
  EXPECT_EQ(wake_policy{wake::recent}.choose(k_sleepers, worker_id{0}, on_a_line, random), wake_choice::one(3));
  EXPECT_EQ(random, random_stream{1});
}

TEST(wake, nearest_is_next_to_where_the_work_is) {
  random_stream random{1};
  const wake_policy policy{wake::nearest};
  EXPECT_EQ(policy.choose(k_sleepers, worker_id{0}, on_a_line, random), wake_choice::one(1));
  EXPECT_EQ(policy.choose(k_sleepers, worker_id{7}, on_a_line, random), wake_choice::one(0));
}

TEST(wake, nearest_chooses_among_equally_near_ones_at_random) {
  random_stream random{check::test_seed()};
  std::vector<std::uint64_t> seen(4);
  for (int i = 0; i != 20'000; ++i) {
    ++seen.at(wake_policy{wake::nearest}.choose(k_sleepers, worker_id{4}, on_a_line, random).index());
  }
  EXPECT_EQ(seen[0] + seen[1], 0u);                         // 6 and 2 are two away from 4
  EXPECT_LT(check::chi_squared({seen[2], seen[3]}), 15.2);  // 1 degree of freedom, p = 0.0001
}

TEST(wake, random_and_nearest_without_an_origin_are_uniform) {
  random_stream random{check::test_seed()};
  for (const wake how : {wake::random, wake::nearest}) {
    std::vector<std::uint64_t> seen(4);
    for (int i = 0; i != 20'000; ++i) {
      ++seen.at(wake_policy{how}.choose(k_sleepers, worker_id::none(), on_a_line, random).index());
    }
    EXPECT_LT(check::chi_squared(seen), 21.1);  // 3 degrees of freedom, p = 0.0001
  }
}

}  // namespace
