#include <filch/policy/placement.hpp>

#include "helpers.hpp"

#include <gtest/gtest.h>

namespace {

using namespace filch;
using namespace filch::policy;
using check::fake_view;

TEST(placement, the_injector_is_no_worker) {
  random_stream random{1};
  placement_policy policy{placement::injector, 4};
  EXPECT_EQ(policy.choose(fake_view{}, random), worker_id::none());
}

TEST(placement, given_is_always_that_worker) {
  random_stream random{1};
  placement_policy policy{placement::given(worker_id{2}), 4};
  EXPECT_EQ(policy.choose(fake_view{}, random), worker_id{2});
  EXPECT_EQ(policy.choose(fake_view{}, random), worker_id{2});
  EXPECT_EQ(random, random_stream{1});
}

TEST(placement, round_robin_goes_through_all_workers_in_order) {
  random_stream random{1};
  placement_policy policy{placement::round_robin, 3};
  for (const std::uint32_t expected : {0u, 1u, 2u, 0u, 1u, 2u, 0u}) {
    EXPECT_EQ(policy.choose(fake_view{}, random), worker_id{expected});
  }
}

TEST(placement, random_is_uniform_over_all_workers) {
  random_stream random{check::test_seed()};
  placement_policy policy{placement::random, 8};
  std::vector<std::uint64_t> seen(8);
  for (int i = 0; i != 40'000; ++i) ++seen.at(policy.choose(fake_view{}, random).value);
  EXPECT_LT(check::chi_squared(seen), 29.9);  // 7 degrees of freedom, p = 0.0001
}

TEST(placement, least_loaded_takes_the_smallest_hint_and_ties_at_random) {
  random_stream random{check::test_seed()};
  placement_policy policy{placement::least_loaded, 4};
  EXPECT_EQ(policy.choose(fake_view{{3, 1, 2, 4}}, random), worker_id{1});
  std::vector<std::uint64_t> seen(4);
  for (int i = 0; i != 20'000; ++i) ++seen.at(policy.choose(fake_view{{3, 1, 2, 1}}, random).value);
  EXPECT_EQ(seen[0] + seen[2], 0u);
  EXPECT_LT(check::chi_squared({seen[1], seen[3]}), 15.2);  // 1 degree of freedom, p = 0.0001
}

TEST(placement, one_worker_gets_everything) {
  random_stream random{1};
  for (const placement where : {placement::random, placement::round_robin, placement::least_loaded}) {
    placement_policy policy{where, 1};
    EXPECT_EQ(policy.choose(fake_view{}, random), worker_id{0});
    EXPECT_EQ(policy.choose(fake_view{}, random), worker_id{0});
  }
}

TEST(placement, text_and_value_belong_together) {
  for (const placement where : {placement::injector, placement::random, placement::round_robin, placement::least_loaded,
                                placement::given(worker_id{0}), placement::given(worker_id{17})}) {
    const auto back = parse<placement>(to_string(where));
    ASSERT_TRUE(back) << back.error;
    EXPECT_EQ(*back, where);
  }
  EXPECT_EQ(to_string(placement::given(worker_id{17})), "given:17");
}

TEST(placement, a_wrong_text_is_refused_with_what_is_allowed) {
  EXPECT_EQ(parse<placement>("leastloaded").error,
            "placement = \"leastloaded\": unknown name; did you mean \"least_loaded\"? Valid are injector, random, "
            "round_robin, least_loaded, given:WORKER");
  for (const auto* text : {"given:", "given:x", "given:-1", "given:4294967295"}) {
    EXPECT_EQ(parse<placement>(text).error,
              std::string{"placement = \""} + text + "\": allowed is given:WORKER with a worker's number from 0 on");
  }
}

}  // namespace
