// Property: reductions give what the serial ones give; those of floating point numbers the bits that they have on one
// worker, and so do scans.
#include "algo_property.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <list>
#include <numeric>
#include <string>
#include <vector>

namespace {

using algo_property::random_hint;
using algo_property::random_numbers;
using algo_property::random_stream;

FILCH_PROPERTY_SUITE(algo_reductions_property);

TEST_P(algo_reductions_property, sums_equal_the_serial_ones) {
  for_all(10, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    const std::list<long> list(xs.begin(), xs.end());
    const long sum = std::accumulate(xs.begin(), xs.end(), 5L);
    ASSERT_EQ(filch::reduce(xs, 5L, std::plus<>{}, given()), sum);
    ASSERT_EQ(filch::reduce(xs.begin(), xs.end(), 5L, std::plus<>{}, given()), sum);
    ASSERT_EQ(filch::reduce(list, 5L, std::plus<>{}, given()), sum);
    ASSERT_EQ(filch::reduce(xs), sum - 5);
    ASSERT_EQ(filch::reduce(list.begin(), list.end()), sum - 5);
    const auto square = [](long x) { return x * x; };
    const long squares = std::transform_reduce(xs.begin(), xs.end(), 3L, std::plus<>{}, square);
    ASSERT_EQ(filch::transform_reduce(xs, 3L, std::plus<>{}, square, given()), squares);
    ASSERT_EQ(filch::transform_reduce(list.begin(), list.end(), 3L, std::plus<>{}, square, given()), squares);
  });
}

TEST_P(algo_reductions_property, inner_products_equal_the_serial_ones_as_long_as_the_shorter) {
  for_all(11, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    const std::vector<long> ys = random_numbers(random, xs.size());
    const long product = std::inner_product(xs.begin(), xs.end(), ys.begin(), 1L);
    ASSERT_EQ(filch::transform_reduce(xs, ys, 1L), product);
    ASSERT_EQ(filch::transform_reduce(xs.begin(), xs.end(), ys.begin(), 1L), product);
    const std::deque<long> fewer(ys.begin(), ys.begin() + static_cast<std::ptrdiff_t>(random.below(ys.size() + 1)));
    const auto larger = [](long a, long b) { return std::max(a, b); };
    const auto apart = [](long a, long b) { return a < b ? b - a : a - b; };
    const long farthest = std::transform_reduce(fewer.begin(), fewer.end(), xs.begin(), 0L, larger, apart);
    ASSERT_EQ(filch::transform_reduce(xs, fewer, 0L, larger, apart, given()), farthest);
    ASSERT_EQ(filch::transform_reduce(fewer.begin(), fewer.end(), xs.begin(), 0L, larger, apart, given()), farthest);
  });
}

// An operation that does not commute, and elements that are temporaries.
TEST_P(algo_reductions_property, joined_strings_keep_their_order) {
  const auto law = [](const std::vector<long>& xs, random_stream& random) {
    std::string expected = "first";
    for (const long x : xs) expected += std::to_string(x);
    const auto words = xs | std::views::transform([](long x) { return std::to_string(x); });
    ASSERT_EQ(filch::reduce(words, std::string{"first"}, std::plus<>{}, random_hint(random, xs.size())), expected);
  };
  for_all(12, law, 20'000);
}

TEST_P(algo_reductions_property, counts_and_extremes_equal_the_serial_ones) {
  for_all(13, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    const std::list<long> list(xs.begin(), xs.end());
    const auto is_even = [](long x) { return x % 2 == 0; };
    const auto even = std::count_if(xs.begin(), xs.end(), is_even);
    ASSERT_EQ(filch::count_if(xs, is_even, given()), even);
    ASSERT_EQ(filch::count_if(list.begin(), list.end(), is_even, given()), even);
    const long value = xs.empty() ? 0 : xs[static_cast<std::size_t>(random.below(xs.size()))];
    ASSERT_EQ(filch::count(list, value, given()), std::count(xs.begin(), xs.end(), value));
    ASSERT_EQ(filch::count(xs.begin(), xs.end(), value, given()), std::count(xs.begin(), xs.end(), value));
    ASSERT_EQ(filch::min_element(xs, {}, given()), std::min_element(xs.begin(), xs.end()));
    ASSERT_EQ(filch::max_element(xs, {}, given()), std::max_element(xs.begin(), xs.end()));
    ASSERT_EQ(filch::minmax_element(xs, {}, given()), std::minmax_element(xs.begin(), xs.end()));
    const auto by_half = [](long a, long b) { return a / 2 > b / 2; };
    ASSERT_EQ(filch::min_element(list.begin(), list.end(), by_half, given()),
              std::min_element(list.begin(), list.end(), by_half));
    ASSERT_EQ(filch::max_element(list.begin(), list.end(), by_half, given()),
              std::max_element(list.begin(), list.end(), by_half));
    ASSERT_EQ(filch::minmax_element(list.begin(), list.end(), by_half, given()),
              std::minmax_element(list.begin(), list.end(), by_half));
  });
}

// Every number that a reduction or a scan of `xs` gives, as its bits. Elements are doubles and values mostly floats, so
// that it matters where one becomes the other.
std::vector<std::uint64_t> all_bits(const std::vector<double>& xs, filch::hint given) {
  const auto add = [](float a, float b) { return a + b; };
  const auto square = [](double x) { return static_cast<float>(x * x); };
  std::vector<std::uint64_t> all;
  const auto append = [&](const std::vector<float>& values) {
    for (const float x : values) all.push_back(std::bit_cast<std::uint32_t>(x));
  };
  append({filch::reduce(xs | std::views::transform(square), 0.0F),
          filch::transform_reduce(xs, 0.5F, add, square, given),
          filch::transform_reduce(xs, 0.5F, std::plus<>{}, square, given)});
  const double product = filch::transform_reduce(xs, xs, 0.5, std::plus<>{}, std::multiplies<>{}, given);
  all.push_back(std::bit_cast<std::uint64_t>(product));
  std::vector<float> out(xs.size());
  const auto mixed = [](float a, auto b) { return static_cast<float>(a + b); };
  filch::exclusive_scan(xs, out.begin(), 0.5F, mixed, given);
  append(out);
  filch::inclusive_scan(xs, out.begin(), mixed, 0.5F, given);
  append(out);
  filch::transform_inclusive_scan(xs, out.begin(), add, square, given);
  append(out);
  filch::transform_exclusive_scan(xs, out.begin(), 0.5F, add, square, given);
  append(out);
  filch::exclusive_scan(out, out.begin(), 0.5F);
  append(out);
  filch::inclusive_scan(out, out.begin());
  append(out);
  return all;
}

TEST_P(algo_reductions_property, floating_point_numbers_give_the_bits_of_one_worker) {
  filch::runtime one{{.workers = 1}};
  const auto law = [&](const std::vector<long>& numbers, random_stream& random) {
    std::vector<double> xs(numbers.size());
    for (double& x : xs) x = random.uniform(-1.0, 1.0) * static_cast<double>(std::uint64_t{1} << random.below(20));
    const filch::hint given = random_hint(random, xs.size());
    const std::vector<std::uint64_t> here = all_bits(xs, given);
    const std::vector<std::uint64_t> there = one.run([&] { return all_bits(xs, given); });
    const auto differ = std::mismatch(here.begin(), here.end(), there.begin()).first;
    ASSERT_EQ(differ - here.begin(), std::ssize(here)) << "the first value that differs; grain " << given.grain;
  };
  for_all(14, law);
}

}  // namespace
