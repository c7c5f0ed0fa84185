// Medians, their confidence intervals, and the rounds that count.
#include <medians.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using namespace filch::tool;

// From the greatest to the least.
std::vector<double> down_from(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = count; i != 0; --i) values.push_back(static_cast<double>(i));
  return values;
}

TEST(median, is_the_middle_one_or_between_the_two_in_the_middle) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({9, 1, 2, 4}), 3);
}

TEST(median_range, ranks_agree_with_the_printed_tables) {
  struct printed {
    std::size_t count;
    double low;
  };
  for (const auto& [count, low] :
       {printed{6, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {20, 6}, {21, 6}, {25, 8}, {50, 18}, {100, 40}}) {
    const auto range = median_range(down_from(count));
    ASSERT_TRUE(range) << count;
    EXPECT_EQ(range->low, low) << count;
    EXPECT_EQ(range->high, static_cast<double>(count + 1) - low) << count;
  }
}

TEST(median_range, fewer_than_six_values_have_none) {
  for (std::size_t count = 0; count != 6; ++count) EXPECT_FALSE(median_range(down_from(count))) << count;
}

// The chance of few heads in 2000 throws is smaller than any double. The normal distribution says 1000.5 - 1.96 *
// sqrt(500).
TEST(median_range, as_many_values_as_rounds_are_allowed_have_one) {
  const auto range = median_range(down_from(2000));
  ASSERT_TRUE(range);
  EXPECT_NEAR(range->low, 956.7, 1);
  EXPECT_EQ(range->high, 2001 - range->low);
}

TEST(counted, disturbed_rounds_are_left_out_if_seven_others_are_there) {
  const std::vector<double> values = down_from(9);
  EXPECT_EQ(counted(values, {false, true, false, false, false, true, false, false, false}),
            (std::vector<double>{9, 7, 6, 5, 3, 2, 1}));
  EXPECT_EQ(counted(values, {false, true, false, false, true, true, false, false, false}), values);
  EXPECT_EQ(counted(values, {}), values);
}

}  // namespace
