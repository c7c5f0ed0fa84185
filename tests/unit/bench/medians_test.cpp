// Medians, and the rounds that count.
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

TEST(counted, disturbed_rounds_are_left_out_if_seven_others_are_there) {
  const std::vector<double> values = down_from(9);
  EXPECT_EQ(counted(values, {false, true, false, false, false, true, false, false, false}),
            (std::vector<double>{9, 7, 6, 5, 3, 2, 1}));
  EXPECT_EQ(counted(values, {false, true, false, false, true, true, false, false, false}), values);
  EXPECT_EQ(counted(values, {}), values);
}

}  // namespace
