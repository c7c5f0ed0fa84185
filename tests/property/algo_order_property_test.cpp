// Property: scans, sorts, merges and partitions give what the serial ones give.
#include "algo_property.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using algo_property::random_hint;
using algo_property::random_numbers;
using algo_property::random_stream;

FILCH_PROPERTY_SUITE(algo_order_property);

constexpr auto is_even = [](long x) { return x % 2 == 0; };
constexpr auto by_half = [](long a, long b) { return a / 2 < b / 2; };

TEST_P(algo_order_property, scans_equal_the_serial_ones) {
  for_all(30, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    const auto first = xs.begin();
    const auto last = xs.end();
    std::vector<long> expected(xs.size());
    std::vector<long> got(xs.size());
    std::inclusive_scan(first, last, expected.begin());
    ASSERT_EQ(filch::inclusive_scan(xs, got.begin(), std::plus<>{}, given()), got.end());
    ASSERT_EQ(got, expected);
    std::deque<long> deque(xs.size());
    ASSERT_EQ(filch::inclusive_scan(first, last, deque.begin(), std::plus<>{}, given()), deque.end());
    ASSERT_TRUE(std::ranges::equal(deque, expected));
    std::inclusive_scan(first, last, expected.begin(), std::plus<>{}, 7L);
    filch::inclusive_scan(xs, got.begin(), std::plus<>{}, 7L, given());
    ASSERT_EQ(got, expected);
    filch::inclusive_scan(first, last, deque.begin(), std::plus<>{}, 7L, given());
    ASSERT_TRUE(std::ranges::equal(deque, expected));
    std::exclusive_scan(first, last, expected.begin(), 7L);
    filch::exclusive_scan(xs, got.begin(), 7L, std::plus<>{}, given());
    ASSERT_EQ(got, expected);
    got = xs;
    filch::exclusive_scan(got.begin(), got.end(), got.begin(), 7L, std::plus<>{}, given());
    ASSERT_EQ(got, expected) << "in place";
  });
}

TEST_P(algo_order_property, transforming_scans_equal_the_serial_ones) {
  for_all(31, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    const auto first = xs.begin();
    const auto last = xs.end();
    const auto twice = [](long x) { return 2 * x + 1; };
    const auto plus = std::plus<>{};
    std::vector<long> expected(xs.size());
    std::vector<long> got(xs.size());
    std::transform_inclusive_scan(first, last, expected.begin(), plus, twice);
    ASSERT_EQ(filch::transform_inclusive_scan(xs, got.begin(), plus, twice, given()), got.end());
    ASSERT_EQ(got, expected);
    filch::transform_inclusive_scan(first, last, got.rbegin(), plus, twice, given());
    ASSERT_TRUE(std::equal(got.rbegin(), got.rend(), expected.begin()));
    std::transform_inclusive_scan(first, last, expected.begin(), plus, twice, 7L);
    filch::transform_inclusive_scan(xs, got.begin(), plus, twice, 7L, given());
    ASSERT_EQ(got, expected);
    filch::transform_inclusive_scan(first, last, got.begin(), plus, twice, 7L, given());
    ASSERT_EQ(got, expected);
    std::transform_exclusive_scan(first, last, expected.begin(), 7L, plus, twice);
    filch::transform_exclusive_scan(xs, got.begin(), 7L, plus, twice, given());
    ASSERT_EQ(got, expected);
    filch::transform_exclusive_scan(first, last, got.rbegin(), 7L, plus, twice, given());
    ASSERT_TRUE(std::equal(got.rbegin(), got.rend(), expected.begin()));
  });
}

TEST_P(algo_order_property, copy_if_and_partition_equal_the_serial_ones) {
  for_all(32, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    std::vector<long> expected;
    std::copy_if(xs.begin(), xs.end(), std::back_inserter(expected), is_even);
    std::vector<long> got(xs.size());
    got.erase(filch::copy_if(xs, got.begin(), is_even, given()), got.end());
    ASSERT_EQ(got, expected);
    std::deque<long> deque(xs.size());
    deque.erase(filch::copy_if(xs.begin(), xs.end(), deque.begin(), is_even, given()), deque.end());
    ASSERT_TRUE(std::ranges::equal(deque, expected));

    std::vector<long> all = xs;
    std::sort(all.begin(), all.end());
    for (const bool takes_range : {true, false}) {
      got = xs;
      const auto middle = takes_range ? filch::partition(got, is_even, given())
                                      : filch::partition(got.begin(), got.end(), is_even, given());
      ASSERT_EQ(middle - got.begin(), std::ssize(expected));
      ASSERT_TRUE(std::is_partitioned(got.begin(), got.end(), is_even));
      std::sort(got.begin(), got.end());
      ASSERT_EQ(got, all);
    }
  });
}

TEST_P(algo_order_property, sorts_equal_the_serial_ones) {
  for_all(33, [](const std::vector<long>& xs, random_stream&) {
    std::vector<long> expected = xs;
    std::sort(expected.begin(), expected.end());
    std::vector<long> got = xs;
    filch::sort(got);
    ASSERT_EQ(got, expected);
    std::deque<long> deque(xs.begin(), xs.end());
    filch::sort(deque.begin(), deque.end(), std::greater<>{});
    ASSERT_TRUE(std::equal(deque.rbegin(), deque.rend(), expected.begin(), expected.end()));
    std::vector<std::pair<long, std::size_t>> numbered;
    for (const long x : xs) numbered.emplace_back(x / 2, numbered.size());
    std::sort(numbered.begin(), numbered.end());
    std::ranges::transform(numbered, expected.begin(), [&](const auto& one) { return xs[one.second]; });
    got = xs;
    filch::stable_sort(got, by_half);
    ASSERT_EQ(got, expected);
    deque.assign(xs.begin(), xs.end());
    filch::stable_sort(deque.begin(), deque.end(), by_half);
    ASSERT_TRUE(std::ranges::equal(deque, expected));
  });
}

TEST_P(algo_order_property, nth_element_puts_there_what_the_sorted_range_has_there) {
  for_all(34, [](const std::vector<long>& xs, random_stream& random) {
    std::vector<long> sorted = xs;
    std::sort(sorted.begin(), sorted.end());
    for (const bool takes_range : {true, false}) {
      const auto n = static_cast<std::ptrdiff_t>(random.below(xs.size() + 1));
      std::vector<long> got = xs;
      const auto nth = got.begin() + n;
      if (takes_range) filch::nth_element(got, nth);
      else filch::nth_element(got.begin(), nth, got.end(), std::less<>{});
      if (nth != got.end()) {
        const long value = *nth;
        ASSERT_EQ(value, sorted[static_cast<std::size_t>(n)]);
        ASSERT_TRUE(std::all_of(got.begin(), nth, [&](long x) { return x <= value; }));
        ASSERT_TRUE(std::all_of(nth, got.end(), [&](long x) { return x >= value; }));
      }
      std::sort(got.begin(), got.end());
      ASSERT_EQ(got, sorted);
    }
  });
}

TEST_P(algo_order_property, merges_equal_the_serial_ones) {
  for_all(35, [](const std::vector<long>& numbers, random_stream& random) {
    std::vector<long> xs = numbers;
    std::vector<long> ys = random_numbers(random, static_cast<std::size_t>(random.below(xs.size() + 1)));
    std::sort(xs.begin(), xs.end(), by_half);
    std::sort(ys.begin(), ys.end(), by_half);
    std::vector<long> expected(xs.size() + ys.size());
    std::merge(xs.begin(), xs.end(), ys.begin(), ys.end(), expected.begin(), by_half);
    std::vector<long> got(expected.size());
    ASSERT_EQ(filch::merge(xs, ys, got.begin(), by_half, random_hint(random, xs.size())), got.end());
    ASSERT_EQ(got, expected);
    const std::deque<long> deque(ys.begin(), ys.end());
    std::fill(got.begin(), got.end(), 0L);
    filch::merge(xs.begin(), xs.end(), deque.begin(), deque.end(), got.begin(), by_half,
                 random_hint(random, xs.size()));
    ASSERT_EQ(got, expected);
  });
}

TEST_P(algo_order_property, sorts_of_strings_equal_the_serial_ones) {
  const auto law = [](const std::vector<long>& numbers, random_stream& random) {
    std::vector<std::string> xs;
    for (const long x : numbers) xs.push_back(std::string(random.below(30), 'a') + std::to_string(x));
    std::vector<std::string> expected = xs;
    std::sort(expected.begin(), expected.end());
    std::vector<std::string> copy = xs;
    filch::sort(copy);
    ASSERT_EQ(copy, expected);
    filch::stable_sort(xs);
    ASSERT_EQ(xs, expected);
  };
  for_all(36, law, filch_test::scaled(60'000));
}

}  // namespace
