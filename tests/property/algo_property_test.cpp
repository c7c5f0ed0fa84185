// Every algorithm gives what its counterpart in the standard library gives.
//
// Property: equality with std:: on random inputs; for sums of floating point numbers, with one's own result on one worker.
// Method: sizes 0, 1, 2, primes, powers of two and their neighbours, and random ones up to a million; 1, 2, 4 and 7 workers;
// vectors, deques, pointers and lists; random hints where there are any. The seed is printed, and taken from FILCH_SEED.
#include <filch/algo/algo.hpp>
#include <filch/base/random.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using filch::random_stream;

std::vector<std::size_t> sizes(random_stream& random) {
  std::vector<std::size_t> all{0, 1, 2, 3, 5, 31, 32, 33, 101, 1009, 65'537};
  for (const int k : {4, 7, 10, 13, 16}) {
    const std::size_t power = std::size_t{1} << k;
    all.insert(all.end(), {power - 1, power, power + 1});
  }
  const std::uint64_t most = filch_test::scaled(1'000'000);
  for (int i = 0; i != 4; ++i) all.push_back(static_cast<std::size_t>(random.below(most)));
  all.push_back(static_cast<std::size_t>(most));
  return all;
}

filch::hint random_hint(random_stream& random, std::size_t n) {
  if (random.below(2) == 0) return {};
  return {.grain = 1 + static_cast<std::size_t>(random.below(n / 8 + 2))};
}

std::vector<long> random_numbers(random_stream& random, std::size_t n) {
  const std::uint64_t different = random.below(3) == 0 ? 3 : n + 1;
  std::vector<long> xs(n);
  for (long& x : xs) x = static_cast<long>(random.below(different)) - static_cast<long>(different / 2);
  return xs;
}

class algo_property : public testing::TestWithParam<unsigned> {
 protected:
  // Calls `law` with random numbers of all sizes, on a worker.
  template <class F>
  void for_all(std::uint64_t stream, F&& law) {
    random_stream random = random_stream{filch_test::test_seed()}.split(stream);
    for (const std::size_t n : sizes(random)) {
      const std::vector<long> xs = random_numbers(random, n);
      rt_.run([&] { law(xs, random); });
      if (HasFatalFailure()) FAIL() << "n = " << n << ", workers = " << GetParam();
    }
  }

  filch::runtime rt_{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(workers, algo_property, testing::Values(1U, 2U, 4U, 7U));

TEST_P(algo_property, loops_equal_the_serial_loop) {
  for_all(1, [](const std::vector<long>& xs, random_stream& random) {
    const auto step = [](long& x) { x = x * 3 + 1; };
    std::vector<long> expected = xs;
    std::for_each(expected.begin(), expected.end(), step);
    std::vector<long> vector = xs;
    filch::for_each(vector, step, random_hint(random, xs.size()));
    ASSERT_EQ(vector, expected);
    std::deque<long> deque(xs.begin(), xs.end());
    filch::for_each(deque, step, random_hint(random, xs.size()));
    ASSERT_TRUE(std::equal(deque.begin(), deque.end(), expected.begin(), expected.end()));
    std::list<long> list(xs.begin(), xs.end());
    filch::for_each(list, step, random_hint(random, xs.size()));
    ASSERT_TRUE(std::equal(list.begin(), list.end(), expected.begin(), expected.end()));
    std::vector<long> raw = xs;
    filch::transform(raw.data(), raw.data() + raw.size(), raw.data(), [](long x) { return x * 3 + 1; },
                     random_hint(random, xs.size()));
    ASSERT_EQ(raw, expected);
  });
}

TEST_P(algo_property, reductions_equal_the_serial_ones) {
  for_all(2, [](const std::vector<long>& xs, random_stream& random) {
    const long sum = std::accumulate(xs.begin(), xs.end(), 5L);
    ASSERT_EQ(filch::reduce(xs, 5L, std::plus<>{}, random_hint(random, xs.size())), sum);
    const std::list<long> list(xs.begin(), xs.end());
    ASSERT_EQ(filch::reduce(list, 5L, std::plus<>{}, random_hint(random, xs.size())), sum);
    const auto is_even = [](long x) { return x % 2 == 0; };
    ASSERT_EQ(filch::count_if(xs, is_even, random_hint(random, xs.size())), std::count_if(xs.begin(), xs.end(), is_even));
    ASSERT_EQ(filch::min_element(xs, {}, random_hint(random, xs.size())), std::min_element(xs.begin(), xs.end()));
    ASSERT_EQ(filch::max_element(xs, {}, random_hint(random, xs.size())), std::max_element(xs.begin(), xs.end()));
    ASSERT_EQ(filch::minmax_element(xs, {}, random_hint(random, xs.size())), std::minmax_element(xs.begin(), xs.end()));
  });
}

TEST_P(algo_property, sums_of_floating_point_numbers_have_the_bits_of_one_worker) {
  filch::runtime one{{.workers = 1}};
  random_stream random = random_stream{filch_test::test_seed()}.split(3);
  for (const std::size_t n : sizes(random)) {
    std::vector<float> xs(n);
    for (float& x : xs) x = static_cast<float>(random.uniform(-1.0, 1.0)) * static_cast<float>(std::uint64_t{1} << random.below(40));
    const auto sum = [&] { return std::bit_cast<std::uint32_t>(filch::reduce(xs, 0.0F)); };
    const auto own = [&] {
      return std::bit_cast<std::uint32_t>(filch::reduce(xs, 0.0F, [](float a, float b) { return a + b; }));
    };
    ASSERT_EQ(rt_.run(sum), one.run(sum)) << n;
    ASSERT_EQ(rt_.run(own), one.run(own)) << n;
    const auto scan = [&] {
      std::vector<float> out(n);
      filch::inclusive_scan(xs, out.begin());
      return out;
    };
    const std::vector<float> a = rt_.run(scan);
    const std::vector<float> b = one.run(scan);
    for (std::size_t i = 0; i != n; ++i) ASSERT_EQ(std::bit_cast<std::uint32_t>(a[i]), std::bit_cast<std::uint32_t>(b[i]));
  }
}

TEST_P(algo_property, searches_equal_the_serial_ones) {
  for_all(4, [](const std::vector<long>& xs, random_stream& random) {
    const long value = xs.empty() ? 0 : xs[static_cast<std::size_t>(random.below(xs.size()))];
    ASSERT_EQ(filch::find(xs, value, random_hint(random, xs.size())), std::find(xs.begin(), xs.end(), value));
    const long rare = static_cast<long>(xs.size());
    const auto is_rare = [&](long x) { return x == rare; };
    ASSERT_EQ(filch::any_of(xs, is_rare, random_hint(random, xs.size())), std::any_of(xs.begin(), xs.end(), is_rare));
    ASSERT_EQ(filch::none_of(xs, is_rare), std::none_of(xs.begin(), xs.end(), is_rare));
    const auto is_low = [&](long x) { return x <= rare; };
    ASSERT_EQ(filch::all_of(xs, is_low), std::all_of(xs.begin(), xs.end(), is_low));
  });
}

TEST_P(algo_property, scans_equal_the_serial_ones) {
  for_all(5, [](const std::vector<long>& xs, random_stream&) {
    std::vector<long> expected(xs.size());
    std::vector<long> got(xs.size());
    std::inclusive_scan(xs.begin(), xs.end(), expected.begin());
    filch::inclusive_scan(xs, got.begin());
    ASSERT_EQ(got, expected);
    std::exclusive_scan(xs.begin(), xs.end(), expected.begin(), 7L);
    filch::exclusive_scan(xs, got.begin(), 7L);
    ASSERT_EQ(got, expected);
    const auto is_even = [](long x) { return x % 2 == 0; };
    expected.erase(std::copy_if(xs.begin(), xs.end(), expected.begin(), is_even), expected.end());
    got.erase(filch::copy_if(xs, got.begin(), is_even), got.end());
    ASSERT_EQ(got, expected);
  });
}

TEST_P(algo_property, sorts_merges_and_partitions_equal_the_serial_ones) {
  for_all(6, [](const std::vector<long>& xs, random_stream& random) {
    std::vector<long> expected = xs;
    std::sort(expected.begin(), expected.end());
    std::vector<long> got = xs;
    filch::sort(got);
    ASSERT_EQ(got, expected);
    std::deque<long> deque(xs.begin(), xs.end());
    filch::sort(deque, std::greater<>{});
    ASSERT_TRUE(std::equal(deque.rbegin(), deque.rend(), expected.begin(), expected.end()));

    const auto by_half = [](long a, long b) { return a / 2 < b / 2; };
    std::vector<std::pair<long, std::size_t>> numbered;
    for (const long x : xs) numbered.emplace_back(x, numbered.size());
    std::sort(numbered.begin(), numbered.end(), [](const auto& a, const auto& b) {
      return a.first / 2 < b.first / 2 || (a.first / 2 == b.first / 2 && a.second < b.second);
    });
    std::vector<long> stable;
    for (const auto& [x, number] : numbered) stable.push_back(x);
    got = xs;
    filch::stable_sort(got, by_half);
    ASSERT_EQ(got, stable);

    std::vector<long> other = random_numbers(random, static_cast<std::size_t>(random.below(xs.size() + 1)));
    std::sort(other.begin(), other.end(), by_half);
    std::vector<long> merged(stable.size() + other.size());
    std::merge(stable.begin(), stable.end(), other.begin(), other.end(), merged.begin(), by_half);
    std::vector<long> got_merged(merged.size());
    filch::merge(stable, other, got_merged.begin(), by_half, random_hint(random, xs.size()));
    ASSERT_EQ(got_merged, merged);

    const auto is_even = [](long x) { return x % 2 == 0; };
    got = xs;
    const auto middle = filch::partition(got, is_even, random_hint(random, xs.size()));
    ASSERT_EQ(middle - got.begin(), std::count_if(xs.begin(), xs.end(), is_even));
    ASSERT_TRUE(std::is_partitioned(got.begin(), got.end(), is_even));
    std::sort(got.begin(), got.end());
    ASSERT_EQ(got, expected);
  });
}

TEST_P(algo_property, sorts_of_strings_equal_the_serial_ones) {
  random_stream random = random_stream{filch_test::test_seed()}.split(7);
  for (std::size_t n : sizes(random)) {
    n = std::min<std::size_t>(n, filch_test::scaled(60'000));
    std::vector<std::string> xs;
    for (std::size_t i = 0; i != n; ++i) xs.push_back(std::string(random.below(30), 'a') + std::to_string(random.below(n + 1)));
    std::vector<std::string> expected = xs;
    std::sort(expected.begin(), expected.end());
    std::vector<std::string> copy = xs;
    rt_.run([&] { filch::sort(copy); });
    ASSERT_EQ(copy, expected);
    rt_.run([&] { filch::stable_sort(xs); });
    ASSERT_EQ(xs, expected);
  }
}

}  // namespace
