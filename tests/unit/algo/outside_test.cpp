// The algorithms on a thread that is no worker.
#include "on_workers.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

TEST(outside, loops_large_and_small_are_complete) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{1000}, std::size_t{1'000'000}}) {
    std::vector<int> xs(n, 1);
    filch::for_each(xs, [](int& x) { ++x; });
    EXPECT_EQ(filch::reduce(xs, 0L), 2 * static_cast<long>(n));
    EXPECT_EQ(filch::count(xs, 2), static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(filch::find(xs, 1), xs.end());
    std::vector<int> sums(n);
    filch::inclusive_scan(xs, sums.begin());
    if (n != 0) {
      EXPECT_EQ(sums.back(), 2 * static_cast<int>(n));
    }
    std::iota(xs.rbegin(), xs.rend(), 0);
    std::vector<int> same = xs;
    filch::sort(xs);
    EXPECT_TRUE(std::is_sorted(xs.begin(), xs.end()));
    filch::stable_sort(same);
    EXPECT_EQ(same, xs);
    std::vector<int> both(2 * n);
    filch::merge(xs, same, both.begin());
    EXPECT_TRUE(std::is_sorted(both.begin(), both.end()));
    const auto middle = filch::partition(xs, [](int x) { return x % 2 == 0; });
    EXPECT_EQ(middle - xs.begin(), static_cast<std::ptrdiff_t>((n + 1) / 2));
  }
}

TEST(outside, a_few_large_elements_are_complete_and_an_exception_arrives) {
  std::atomic<int> count{0};
  filch::for_index(8, [&](int) {
    algo_test::take_time();
    ++count;
  });
  EXPECT_EQ(count, 8);
  EXPECT_THROW(filch::for_index(8, [&](int) { throw std::runtime_error{"no"}; }), std::runtime_error);
  int sum = 0;
  filch::pipeline(4, std::vector<int>{1, 2, 3}, filch::serial([&](int x) { sum += x; }));
  EXPECT_EQ(sum, 6);
}

}  // namespace
