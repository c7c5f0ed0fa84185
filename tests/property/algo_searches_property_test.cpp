// Property: searches and comparisons answer what the serial ones answer.
#include "algo_property.hpp"

#include <algorithm>
#include <deque>
#include <forward_list>
#include <list>
#include <vector>

namespace {

using algo_property::random_hint;
using algo_property::random_stream;

FILCH_PROPERTY_SUITE(algo_searches_property);

// All searches for one element among those of `range`, which is any that can be walked.
template <class R>
void expect_found(const R& range, long value, filch::hint given) {
  const auto first = range.begin();
  const auto last = range.end();
  const auto is_it = [&](long x) { return x == value; };
  const auto is_other = [&](long x) { return x != value; };
  const auto expected = std::find(first, last, value);
  ASSERT_TRUE(filch::find(range, value, given) == expected);
  ASSERT_TRUE(filch::find(first, last, value, given) == expected);
  ASSERT_TRUE(filch::find_if(range, is_it, given) == expected);
  ASSERT_TRUE(filch::find_if(first, last, is_it, given) == expected);
  ASSERT_TRUE(filch::find_if_not(range, is_other, given) == expected);
  ASSERT_TRUE(filch::find_if_not(first, last, is_other, given) == expected);
  const bool there = expected != last;
  ASSERT_EQ(filch::any_of(range, is_it, given), there);
  ASSERT_EQ(filch::any_of(first, last, is_it, given), there);
  ASSERT_EQ(filch::none_of(range, is_it, given), !there);
  ASSERT_EQ(filch::none_of(first, last, is_it, given), !there);
  ASSERT_EQ(filch::all_of(range, is_other, given), !there);
  ASSERT_EQ(filch::all_of(first, last, is_other, given), !there);
}

TEST_P(algo_searches_property, searches_equal_the_serial_ones) {
  for_all(20, [](const std::vector<long>& xs, random_stream& random) {
    const long rare = static_cast<long>(xs.size());
    const long value = xs.empty() ? 0 : xs[static_cast<std::size_t>(random.below(xs.size()))];
    for (const long wanted : {value, rare}) {
      ASSERT_NO_FATAL_FAILURE(expect_found(xs, wanted, random_hint(random, xs.size())));
      const std::deque<long> deque(xs.begin(), xs.end());
      ASSERT_NO_FATAL_FAILURE(expect_found(deque, wanted, random_hint(random, xs.size())));
      if (xs.size() > 20'000) continue;
      const std::list<long> list(xs.begin(), xs.end());
      ASSERT_NO_FATAL_FAILURE(expect_found(list, wanted, random_hint(random, xs.size())));
      const std::forward_list<long> forward(xs.begin(), xs.end());
      ASSERT_NO_FATAL_FAILURE(expect_found(forward, wanted, random_hint(random, xs.size())));
    }
  });
}

TEST_P(algo_searches_property, a_range_without_an_end_is_searched_until_something_is_found) {
  for_all(21, [](const std::vector<long>& xs, random_stream& random) {
    const std::size_t wanted = xs.size() + static_cast<std::size_t>(random.below(xs.size() + 1));
    const auto numbers = std::views::iota(std::size_t{0});
    const filch::hint given = random_hint(random, xs.size());
    ASSERT_EQ(*filch::find(numbers, wanted, given), wanted);
    ASSERT_EQ(
        *filch::find_if_not(numbers.begin(), numbers.end(), [&](std::size_t x) { return x < wanted; }, given), wanted);
    ASSERT_TRUE(filch::any_of(numbers, [&](std::size_t x) { return x == wanted; }, given));
    ASSERT_FALSE(filch::all_of(numbers, [&](std::size_t x) { return x != wanted; }, given));
  });
}

TEST_P(algo_searches_property, comparisons_equal_the_serial_ones) {
  for_all(22, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    std::deque<long> ys(xs.begin(), xs.end());
    if (!ys.empty() && random.below(2) == 0) ys[static_cast<std::size_t>(random.below(ys.size()))] += 1;
    if (random.below(4) == 0) ys.resize(static_cast<std::size_t>(random.below(ys.size() + 2)));
    const auto expected = std::mismatch(xs.begin(), xs.end(), ys.begin(), ys.end());
    const bool same = std::equal(xs.begin(), xs.end(), ys.begin(), ys.end());
    ASSERT_TRUE(filch::mismatch(xs, ys, {}, given()) ==
                std::pair(expected.first, ys.begin() + (expected.second - ys.begin())));
    ASSERT_TRUE(filch::mismatch(xs.begin(), xs.end(), ys.begin(), ys.end(), {}, given()) == expected);
    ASSERT_EQ(filch::equal(xs, ys, {}, given()), same);
    ASSERT_EQ(filch::equal(ys.begin(), ys.end(), xs.begin(), xs.end(), {}, given()), same);
    const auto by_half = [](long a, long b) { return a / 2 == b / 2; };
    ASSERT_EQ(filch::equal(xs, ys, by_half, given()), std::equal(xs.begin(), xs.end(), ys.begin(), ys.end(), by_half));
  });
}

TEST_P(algo_searches_property, neighbours_are_compared_as_by_the_serial_ones) {
  for_all(23, [](const std::vector<long>& numbers, random_stream& random) {
    const auto given = [&] { return random_hint(random, numbers.size()); };
    std::vector<long> xs = numbers;
    if (random.below(2) == 0) std::sort(xs.begin(), xs.end());
    else if (!xs.empty()) std::iota(xs.begin() + static_cast<std::ptrdiff_t>(random.below(xs.size())), xs.end(), 0L);
    ASSERT_EQ(filch::adjacent_find(xs, {}, given()), std::adjacent_find(xs.begin(), xs.end()));
    ASSERT_EQ(filch::adjacent_find(xs.begin(), xs.end(), std::greater<>{}, given()),
              std::adjacent_find(xs.begin(), xs.end(), std::greater<>{}));
    ASSERT_EQ(filch::is_sorted(xs, {}, given()), std::is_sorted(xs.begin(), xs.end()));
    ASSERT_EQ(filch::is_sorted(xs.rbegin(), xs.rend(), std::greater<>{}, given()),
              std::is_sorted(xs.rbegin(), xs.rend(), std::greater<>{}));
    if (!xs.empty()) --xs[static_cast<std::size_t>(random.below(xs.size()))];
    ASSERT_EQ(filch::is_sorted(xs, {}, given()), std::is_sorted(xs.begin(), xs.end()));
  });
}

}  // namespace
