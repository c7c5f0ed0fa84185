// mismatch, equal, adjacent_find, is_sorted: the first place that counts, and an early end.
#include "on_workers.hpp"

#include <atomic>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

namespace {

FILCH_ON_WORKERS(compare);

TEST_P(compare, the_first_difference_of_several_is_found) {
  run([] {
    std::vector<int> xs(100'000);
    std::iota(xs.begin(), xs.end(), 0);
    std::vector<long> ys(xs.begin(), xs.end());
    EXPECT_TRUE(filch::equal(xs, ys));
    ys[70'000] = ys[99'999] = -1;
    EXPECT_FALSE(filch::equal(xs, ys));
    const auto [x, y] = filch::mismatch(xs, ys);
    EXPECT_EQ(x - xs.begin(), 70'000);
    EXPECT_EQ(y - ys.begin(), 70'000);
    ys.resize(5);
    EXPECT_FALSE(filch::equal(xs, ys));
    EXPECT_EQ(filch::mismatch(xs, ys).second, ys.end());
    EXPECT_TRUE(
        filch::equal(std::vector<int>{}, std::vector<std::string>{}, [](int, const std::string&) { return false; }));
  });
}

TEST_P(compare, the_first_of_equal_neighbours_and_the_order_are_found) {
  run([] {
    const std::vector<int> none;
    EXPECT_EQ(filch::adjacent_find(none), none.end());
    EXPECT_TRUE(filch::is_sorted(none));
    const std::vector<int> one{1};
    EXPECT_EQ(filch::adjacent_find(one), one.end());
    EXPECT_TRUE(filch::is_sorted(one, std::greater<>{}));
    std::vector<int> xs(100'000);
    std::iota(xs.begin(), xs.end(), 0);
    EXPECT_EQ(filch::adjacent_find(xs), xs.end());
    EXPECT_TRUE(filch::is_sorted(xs));
    xs[99'999] = 99'998;  // the last two
    EXPECT_EQ(filch::adjacent_find(xs), xs.end() - 2);
    EXPECT_TRUE(filch::is_sorted(xs));
    xs[99'999] = 5;
    EXPECT_FALSE(filch::is_sorted(xs));
  });
}

TEST_P(compare, what_lies_far_behind_a_difference_is_not_looked_at) {
  std::atomic<int> looked{0};
  const std::vector<int> xs(1'000'000, 1);
  run([&] {
    EXPECT_FALSE(filch::equal(xs, xs, [&](int, int) {
      ++looked;
      algo_test::take_time();
      return false;
    }));
  });
  EXPECT_LT(looked, 1000);
}

// The distance in a range of the longest integers is no integer of the standard's.
TEST_P(compare, ranges_whose_distance_is_wider_than_any_integer_are_compared) {
  run([] {
    const auto numbers = std::views::iota(0L, 100L);
    EXPECT_TRUE(filch::equal(numbers, std::views::iota(0L, 100L)));
    EXPECT_FALSE(filch::equal(numbers, std::views::iota(0L, 99L)));
    EXPECT_FALSE(filch::equal(numbers, std::views::iota(1L, 101L)));
    EXPECT_EQ(*filch::mismatch(numbers, std::vector<int>{0, 1, 5}).first, 2);
    EXPECT_TRUE(filch::is_sorted(numbers));
    EXPECT_EQ(filch::adjacent_find(numbers), numbers.end());
  });
}

}  // namespace
