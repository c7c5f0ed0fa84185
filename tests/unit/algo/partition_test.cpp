// partition and copy_if.
#include "on_workers.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

FILCH_ON_WORKERS(partition);

std::vector<int> numbers(std::size_t n) {
  std::vector<int> xs(n);
  for (std::size_t i = 0; i != n; ++i) xs[i] = static_cast<int>(i * 2654435761U % 1009);
  return xs;
}

TEST_P(partition, accepted_elements_come_first_and_none_is_lost) {
  run([] {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{1000}, std::size_t{300'000}}) {
      for (const int limit : {-1, 0, 100, 500, 2000}) {
        std::vector<int> xs = numbers(n);
        const auto is_small = [&](int x) { return x < limit; };
        const auto middle = filch::partition(xs, is_small, filch::hint{.grain = 1000});
        EXPECT_TRUE(std::all_of(xs.begin(), middle, is_small));
        EXPECT_TRUE(std::none_of(middle, xs.end(), is_small));
        std::vector<int> before = numbers(n);
        std::sort(before.begin(), before.end());
        std::sort(xs.begin(), xs.end());
        ASSERT_EQ(xs, before);
      }
    }
  });
}

TEST_P(partition, elements_may_be_moved_only_and_take_time) {
  run([] {
    std::vector<std::unique_ptr<int>> xs;
    for (int i = 0; i != 300; ++i) xs.push_back(std::make_unique<int>(i * 7 % 300));
    const auto middle = filch::partition(xs, [](const std::unique_ptr<int>& x) {
      if (*x % 4 == 0) algo_test::take_time();
      return *x < 100;
    });
    EXPECT_EQ(middle - xs.begin(), 100);
    int sum = 0;
    for (const auto& x : xs) {
      ASSERT_NE(x, nullptr);
      sum += *x;
    }
    EXPECT_EQ(sum, 300 * 299 / 2);
  });
}

TEST_P(partition, an_exception_leaves_all_elements_in_the_range) {
  run([] {
    for (const int bad : {0, 500, 1008}) {
      std::vector<std::string> xs;
      for (const int x : numbers(20'000)) xs.push_back(std::to_string(x));
      const auto predicate = [&](const std::string& x) {
        return x == std::to_string(bad) ? throw std::runtime_error{"bad"} : x < "5";
      };
      EXPECT_THROW(filch::partition(xs, predicate, filch::hint{.grain = 100}), std::runtime_error);
      std::vector<std::string> before;
      for (const int x : numbers(20'000)) before.push_back(std::to_string(x));
      std::sort(before.begin(), before.end());
      std::sort(xs.begin(), xs.end());
      EXPECT_EQ(xs, before);
    }
  });
}

TEST_P(partition, copy_if_keeps_the_order) {
  run([] {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1024}, std::size_t{500'009}}) {
      const std::vector<int> xs = numbers(n);
      const auto is_small = [](int x) { return x < 300; };
      std::vector<int> expected(n);
      std::vector<int> got(n);
      expected.erase(std::copy_if(xs.begin(), xs.end(), expected.begin(), is_small), expected.end());
      got.erase(filch::copy_if(xs, got.begin(), is_small), got.end());
      ASSERT_EQ(got, expected);
    }
  });
}

}  // namespace
