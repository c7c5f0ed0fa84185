#include <filch/base/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace {

using filch::random_stream;

// The same numbers on every compiler: literal values, checked once against an independent Python version.
TEST(random, the_stream_of_a_seed_is_fixed_for_ever) {
  random_stream random{192837};
  EXPECT_EQ(random.bits(), 0x0f72664a66c57f6eu);
  EXPECT_EQ(random.bits(), 0x8042703ab00c1745u);
  EXPECT_EQ(random.below(1000), 797u);
}

TEST(random, a_split_stream_depends_on_its_index_and_not_on_how_many_there_are) {
  const random_stream root{7};
  EXPECT_EQ(root.split(3), root.split(3));
  EXPECT_FALSE(root.split(3) == root.split(4));
  EXPECT_FALSE(root.split(0) == root);
}

TEST(random, below_reaches_every_value_equally) {
  random_stream random{1};
  std::array<int, 7> seen{};
  constexpr int k_draws = 70'000;
  for (int i = 0; i != k_draws; ++i) ++seen.at(random.below(7));
  double chi_squared = 0;
  for (const int n : seen) chi_squared += std::pow(n - k_draws / 7, 2) / (k_draws / 7);
  EXPECT_LT(chi_squared, 22.5);  // 6 degrees of freedom, p = 0.001
}

TEST(random, below_one_is_zero_and_the_widest_bound_works) {
  random_stream random{2};
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
}

TEST(random, unit_and_uniform_stay_in_their_half_open_interval_and_have_their_mean) {
  random_stream random{3};
  double sum = 0;
  constexpr int k_draws = 100'000;
  for (int i = 0; i != k_draws; ++i) {
    const double x = random.uniform(0.5, 2.0);
    ASSERT_GE(x, 0.5);
    ASSERT_LT(x, 2.0);
    sum += x;
  }
  EXPECT_NEAR(sum / k_draws, 1.25, 0.007);  // 5 standard errors
}

TEST(random, exponential_has_its_mean_and_its_deviation) {
  random_stream random{4};
  double sum = 0;
  double squares = 0;
  constexpr int k_draws = 200'000;
  for (int i = 0; i != k_draws; ++i) {
    const double x = random.exponential(3.0);
    ASSERT_GE(x, 0.0);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / k_draws;
  EXPECT_NEAR(mean, 3.0, 0.034);
  EXPECT_NEAR(std::sqrt(squares / k_draws - mean * mean), 3.0, 0.08);
}

TEST(random, the_portable_logarithm_agrees_with_the_library_and_has_fixed_bits) {
  random_stream random{5};
  for (int i = 0; i != 100'000; ++i) {
    const double x = std::ldexp(random.uniform(1.0, 2.0), static_cast<int>(random.below(2000)) - 1000);
    const double expected = std::log(x);
    const double ulp = std::nextafter(std::abs(expected), INFINITY) - std::abs(expected);
    ASSERT_NEAR(filch::portable_log(x), expected, 2.0 * ulp) << x;
  }
  EXPECT_EQ(filch::portable_log(1.0), 0.0);
  EXPECT_NEAR(filch::portable_log(5e-324), std::log(5e-324), 1e-12);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(filch::portable_log(0.3)), 0xbff34378fcbda721u);
}

TEST(random, a_lazy_shuffle_draws_each_item_once_and_every_order_equally) {
  random_stream random{6};
  std::vector<int> items{0, 1, 2};
  std::map<std::vector<int>, int> orders;
  constexpr int k_draws = 60'000;
  for (int i = 0; i != k_draws; ++i) {
    filch::lazy_shuffle<int> order{items};
    std::vector<int> drawn;
    while (!order.is_done()) drawn.push_back(order.next(random));
    ++orders[drawn];
  }
  ASSERT_EQ(orders.size(), 6u);
  double chi_squared = 0;
  for (const auto& [order, n] : orders) chi_squared += std::pow(n - k_draws / 6, 2) / (k_draws / 6);
  EXPECT_LT(chi_squared, 20.5);  // 5 degrees of freedom, p = 0.001
}

// Stopping early and starting anew must not favour any item: the arrangement left behind is arbitrary, not sorted.
TEST(random, a_lazy_shuffle_that_stops_after_one_draw_is_uniform) {
  random_stream random{8};
  std::vector<int> items(5);
  std::iota(items.begin(), items.end(), 0);
  std::array<int, 5> first{};
  for (int i = 0; i != 50'000; ++i) ++first.at(static_cast<std::size_t>(filch::lazy_shuffle<int>{items}.next(random)));
  EXPECT_GT(*std::min_element(first.begin(), first.end()), 9'500);
  EXPECT_LT(*std::max_element(first.begin(), first.end()), 10'500);
}

}  // namespace
