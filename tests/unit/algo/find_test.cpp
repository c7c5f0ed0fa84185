// Searches: the first that is found, and an early end.
#include "on_workers.hpp"

#include <atomic>
#include <list>
#include <stdexcept>
#include <vector>

namespace {

FILCH_ON_WORKERS(find);

TEST_P(find, the_first_of_several_is_found) {
  run([] {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{20}, std::size_t{1000}, std::size_t{200'000}}) {
      std::vector<int> xs(n, 0);
      EXPECT_EQ(filch::find(xs, 1), xs.end());
      EXPECT_TRUE(filch::none_of(xs, [](int x) { return x == 1; }));
      EXPECT_TRUE(filch::all_of(xs, [](int x) { return x == 0; }));
      for (std::size_t at = n / 3; at < n; at += n / 3 + 1) {
        xs[at] = 1;
        xs[n - 1] = 1;
        EXPECT_EQ(filch::find(xs, 1), xs.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_EQ(filch::find_if_not(xs, [](int x) { return x == 0; }), xs.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_TRUE(filch::any_of(xs, [](int x) { return x == 1; }));
        EXPECT_FALSE(filch::all_of(xs, [](int x) { return x == 0; }));
        xs[at] = xs[n - 1] = 0;
      }
    }
  });
}

// Several strands find something at the same time; the lowest counts.
TEST_P(find, the_first_is_found_when_elements_take_time) {
  run([] {
    std::list<int> xs;
    for (int i = 0; i != 60; ++i) xs.push_back(i);
    for (const int first : {0, 1, 13, 29, 59}) {
      const auto slowly = [&](int x) {
        algo_test::take_time();
        return x == first || x > first + 3;
      };
      const auto found = filch::find_if(xs, slowly);
      ASSERT_NE(found, xs.end());
      EXPECT_EQ(*found, first);
    }
  });
}

TEST_P(find, what_lies_far_behind_the_found_element_is_not_looked_at) {
  std::atomic<int> looked{0};
  const std::vector<int> xs(1'000'000, 1);
  run([&] {
    const auto slowly = [&](int x) {
      ++looked;
      algo_test::take_time();
      return x == 1;
    };
    EXPECT_EQ(filch::find_if(xs, slowly), xs.begin());
  });
  EXPECT_LT(looked, 1000);
}

TEST_P(find, an_exception_arrives) {
  const std::vector<int> xs(5000, 1);
  EXPECT_THROW(run([&] { (void)filch::find_if(xs, [](int) -> bool { throw std::runtime_error{"no"}; }); }), std::runtime_error);
}

}  // namespace
