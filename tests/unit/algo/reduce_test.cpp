// Reductions: the same bits always, in an order that depends on the number of elements only.
#include "on_workers.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <list>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

FILCH_ON_WORKERS(reduce);

// The order of combination as text: leaves in brackets of their own.
std::string shape(std::size_t n, filch::hint given = {}) {
  std::vector<std::string> xs;
  for (std::size_t i = 0; i != n; ++i) xs.push_back(std::to_string(i));
  return filch::reduce(
      xs, std::string{"i"}, [](const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; }, given);
}

TEST_P(reduce, the_shape_is_the_documented_one) {
  run([] {
    EXPECT_EQ(shape(0), "i");
    EXPECT_EQ(shape(1), "(i 0)");
    EXPECT_EQ(shape(2), "(i (0 1))");
    EXPECT_EQ(shape(3), "(i ((0 1) 2))");
    EXPECT_EQ(shape(5), "(i (((0 1) (2 3)) 4))");
    EXPECT_EQ(shape(7), "(i (((0 1) (2 3)) ((4 5) 6)))");
    EXPECT_EQ(shape(7, filch::hint{.grain = 3}), "(i ((((0 1) 2) ((3 4) 5)) 6))");
  });
}

std::vector<double> awkward_doubles(std::size_t n) {
  std::vector<double> xs(n);
  for (std::size_t i = 0; i != n; ++i) {
    const auto x = static_cast<double>(i * 2654435761U % 1000003U);
    xs[i] = std::ldexp(x - 500'000.0, static_cast<int>(i % 60) - 30);
  }
  return xs;
}

// Bit for bit: compared with one worker, for 1 to 8 workers, again and again, cheap and expensive.
TEST(reduce_of_doubles, gives_the_same_bits_for_any_number_of_workers_in_every_run) {
  for (const std::size_t n : {std::size_t{10}, std::size_t{1000}, std::size_t{65'537}, std::size_t{300'000}}) {
    const std::vector<double> xs = awkward_doubles(n);
    const std::list<double> same(xs.begin(), xs.end());
    const auto sum = [&] { return std::bit_cast<std::uint64_t>(filch::reduce(xs, 0.1)); };
    const auto norm = [&] {
      const auto square = [](double x) { return x * std::sqrt(std::abs(x)); };
      const auto add = [](double a, double b) { return a + b; };
      return std::bit_cast<std::uint64_t>(filch::transform_reduce(xs, 0.1, add, square));
    };
    const auto sum_of_list = [&] { return std::bit_cast<std::uint64_t>(filch::reduce(same, 0.1)); };
    const std::uint64_t expected_sum = sum();
    const std::uint64_t expected_norm = norm();
    for (unsigned workers = 1; workers <= 8; ++workers) {
      filch::runtime rt{{.workers = workers}};
      for (int i = 0; i != 5; ++i) {
        ASSERT_EQ(rt.run(sum), expected_sum) << n << " elements, " << workers << " workers";
        ASSERT_EQ(rt.run(norm), expected_norm) << n << " elements, " << workers << " workers";
        ASSERT_EQ(rt.run(sum_of_list), expected_sum) << n << " elements, " << workers << " workers";
      }
    }
  }
}

TEST_P(reduce, an_expensive_operation_gives_the_same_as_a_cheap_one) {
  run([] {
    std::vector<int> xs(200);
    std::iota(xs.begin(), xs.end(), 1);
    const auto slowly = [](int x) {
      algo_test::take_time();
      return static_cast<double>(x) / 7;
    };
    const auto quickly = [](int x) { return static_cast<double>(x) / 7; };
    const double a = filch::transform_reduce(xs, 0.0, std::plus<>{}, slowly);
    const double b = filch::transform_reduce(xs, 0.0, std::plus<>{}, quickly);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b));
  });
}

// A call site that was cheap and becomes expensive, and the other way round.
TEST_P(reduce, the_result_does_not_depend_on_what_the_call_cost_before) {
  run([] {
    const std::vector<double> xs = awkward_doubles(300);
    const auto sum = [&](bool is_slow) {
      const auto value = [&](double x) {
        if (is_slow) algo_test::take_time();
        return x;
      };
      return std::bit_cast<std::uint64_t>(filch::transform_reduce(xs, 0.0, std::plus<>{}, value));
    };
    const std::uint64_t expected = sum(false);
    for (const bool is_slow : {true, true, false, false, true, false}) EXPECT_EQ(sum(is_slow), expected);
  });
}

// Pairs of elements are combined in the same tree as elements are.
TEST_P(reduce, an_inner_product_has_the_shape_and_so_the_bits_of_a_reduction) {
  run([] {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1000}, std::size_t{65'537}}) {
      const std::vector<double> xs = awkward_doubles(n);
      const std::deque<double> ys(xs.rbegin(), xs.rend());
      std::vector<double> products(n);
      filch::transform(xs, ys, products.begin(), std::multiplies<>{});
      EXPECT_EQ(std::bit_cast<std::uint64_t>(filch::transform_reduce(xs, ys, 0.1)),
                std::bit_cast<std::uint64_t>(filch::reduce(products, 0.1)));
    }
  });
}

TEST_P(reduce, results_may_be_moved_only) {
  run([] {
    std::vector<int> xs(1000);
    std::iota(xs.begin(), xs.end(), 0);
    using boxed = std::unique_ptr<int>;
    const boxed sum = filch::transform_reduce(
        xs, std::make_unique<int>(0),
        [](boxed a, boxed b) {
          *a += *b;
          return a;
        },
        [](int x) { return std::make_unique<int>(x); });
    EXPECT_EQ(*sum, 499'500);
  });
}

TEST_P(reduce, an_operation_that_does_not_commute_keeps_the_order) {
  run([] {
    std::string expected;
    std::deque<std::string> xs;
    for (int i = 0; i != 3000; ++i) {
      xs.push_back(std::to_string(i) + ",");
      expected += xs.back();
    }
    EXPECT_EQ(filch::reduce(xs, std::string{}), expected);
    EXPECT_EQ(filch::reduce(std::forward_list<std::string>(xs.begin(), xs.end())), expected);
    EXPECT_EQ(filch::reduce(xs.begin(), xs.end()), expected);
  });
}

TEST_P(reduce, an_exception_of_any_element_arrives) {
  run([] {
    std::vector<int> xs(3000);
    std::iota(xs.begin(), xs.end(), 0);
    for (const int bad : {0, 1, 999, 1024, 2999}) {
      const auto value = [&](int x) { return x == bad ? throw std::runtime_error{"bad"} : x; };
      EXPECT_THROW((void)filch::transform_reduce(xs, 0, std::plus<>{}, value), std::runtime_error) << bad;
    }
  });
}

TEST_P(reduce, counts_and_extremes_are_those_of_the_standard_library) {
  run([] {
    std::vector<int> xs(10'007);
    for (std::size_t i = 0; i != xs.size(); ++i) xs[i] = static_cast<int>(i * 7919 % 101);
    EXPECT_EQ(filch::count_if(xs, [](int x) { return x < 50; }),
              std::count_if(xs.begin(), xs.end(), [](int x) { return x < 50; }));
    EXPECT_EQ(filch::count(xs, 17), std::count(xs.begin(), xs.end(), 17));
    EXPECT_EQ(filch::min_element(xs), std::min_element(xs.begin(), xs.end()));
    EXPECT_EQ(filch::max_element(xs), std::max_element(xs.begin(), xs.end()));
    EXPECT_EQ(filch::minmax_element(xs), std::minmax_element(xs.begin(), xs.end()));
    EXPECT_EQ(filch::min_element(xs, std::greater<>{}), std::min_element(xs.begin(), xs.end(), std::greater<>{}));
    const std::vector<int> none;
    EXPECT_EQ(filch::min_element(none), none.end());
    EXPECT_EQ(filch::minmax_element(none).second, none.end());
    const std::list<int> list(xs.begin(), xs.end());
    EXPECT_EQ(filch::max_element(list), std::max_element(list.begin(), list.end()));
  });
}

}  // namespace
