// Scans: the same bits always.
#include "on_workers.hpp"

#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

FILCH_ON_WORKERS(scan);

constexpr std::size_t k_sizes[] = {0, 1, 2, 1023, 1024, 1025, 40'000, 600'011};

TEST_P(scan, integers_give_what_the_standard_library_gives) {
  run([] {
    for (const std::size_t n : k_sizes) {
      std::vector<long> xs(n);
      for (std::size_t i = 0; i != n; ++i) xs[i] = static_cast<long>(i * 7919 % 1013);
      std::vector<long> expected(n);
      std::vector<long> got(n);
      std::inclusive_scan(xs.begin(), xs.end(), expected.begin());
      EXPECT_EQ(filch::inclusive_scan(xs, got.begin()), got.end());
      ASSERT_EQ(got, expected) << n;
      std::inclusive_scan(xs.begin(), xs.end(), expected.begin(), std::plus<>{}, 5L);
      EXPECT_EQ(filch::inclusive_scan(xs, got.begin(), std::plus<>{}, 5L), got.end());
      ASSERT_EQ(got, expected) << n;
      std::exclusive_scan(xs.begin(), xs.end(), expected.begin(), 5L);
      EXPECT_EQ(filch::exclusive_scan(xs, got.begin(), 5L), got.end());
      ASSERT_EQ(got, expected) << n;
      filch::exclusive_scan(xs.begin(), xs.end(), xs.begin(), 5L);
      ASSERT_EQ(xs, expected) << n << ", in place";
    }
  });
}

TEST(scan_of_doubles, gives_the_same_bits_for_any_number_of_workers_in_every_run) {
  std::vector<double> xs(600'011);
  for (std::size_t i = 0; i != xs.size(); ++i) xs[i] = 1.0 / static_cast<double>(i * 31 % 1009 + 1) - 0.01;
  const auto scanned = [&] {
    std::vector<double> out(xs.size());
    filch::inclusive_scan(xs, out.begin());
    return out;
  };
  const std::vector<double> expected = scanned();
  for (unsigned workers = 1; workers <= 8; ++workers) {
    filch::runtime rt{{.workers = workers}};
    for (int i = 0; i != 3; ++i) {
      const std::vector<double> got = rt.run(scanned);
      for (std::size_t k = 0; k != xs.size(); ++k) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[k]), std::bit_cast<std::uint64_t>(expected[k])) << k;
      }
    }
  }
}

TEST_P(scan, an_operation_that_does_not_commute_keeps_the_order) {
  run([] {
    std::deque<std::string> xs;
    for (int i = 0; i != 3000; ++i) xs.push_back(std::string(1, static_cast<char>('a' + i % 26)));
    std::vector<std::string> expected(xs.size());
    std::vector<std::string> got(xs.size());
    std::inclusive_scan(xs.begin(), xs.end(), expected.begin());
    filch::inclusive_scan(xs, got.begin());
    EXPECT_EQ(got, expected);
    std::exclusive_scan(xs.begin(), xs.end(), expected.begin(), std::string{"-"});
    filch::exclusive_scan(xs, got.begin(), std::string{"-"});
    EXPECT_EQ(got, expected);
  });
}

// The order of combination as text, with blocks of two.
TEST_P(scan, the_shape_is_the_documented_one) {
  run([] {
    const std::vector<int> xs{0, 1, 2, 3, 4};
    const auto combine = [](const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; };
    const auto text = [](int x) { return std::to_string(x); };
    std::vector<std::string> out(xs.size());
    filch::transform_inclusive_scan(xs, out.begin(), combine, text, std::string{"i"}, filch::hint{.grain = 2});
    const std::vector<std::string> expected{"(i 0)", "((i 0) 1)", "((i (0 1)) 2)", "(((i (0 1)) 2) 3)",
                                            "(((i (0 1)) (2 3)) 4)"};
    EXPECT_EQ(out, expected);
    filch::transform_exclusive_scan(xs, out.begin(), std::string{"i"}, combine, text, filch::hint{.grain = 2});
    EXPECT_EQ(out[0], "i");
    EXPECT_EQ(out[2], "(i (0 1))");
    EXPECT_EQ(out[4], "((i (0 1)) (2 3))");
    filch::transform_inclusive_scan(xs, out.begin(), combine, text, filch::hint{.grain = std::size_t{0} - 1});
    EXPECT_EQ(out[4], "((((0 1) 2) 3) 4)");
  });
}

// A grain makes few elements that take time worth sharing, too: whoever asks, the order stays.
TEST_P(scan, few_elements_that_take_time_give_what_many_cheap_ones_give) {
  run([] {
    const std::vector<int> xs(60, 1);
    std::vector<int> out(xs.size());
    const auto slowly = [](int x) {
      algo_test::take_time();
      return x;
    };
    filch::transform_inclusive_scan(xs, out.begin(), std::plus<>{}, slowly, filch::hint{.grain = 1});
    for (std::size_t i = 0; i != out.size(); ++i) ASSERT_EQ(out[i], static_cast<int>(i) + 1);
    out.erase(
        filch::copy_if(xs, out.begin(), [&](int x) { return slowly(x) == 1; }, filch::hint{.grain = 7}), out.end());
    EXPECT_EQ(out, xs);
  });
}

// Bug: the second pass of a scan that was shared read what the first one had moved away.
TEST_P(scan, elements_that_are_moved_when_they_are_read_are_read_once) {
  run([] {
    std::vector<std::string> words(100, "a word that is too long to be a short string");
    const std::size_t length = words.front().size();
    std::vector<std::size_t> lengths(words.size());
    const auto moved = std::views::transform([](std::string& word) -> std::string&& { return std::move(word); });
    const auto take = [](std::string&& word) {
      algo_test::take_time();
      return std::string{std::move(word)}.size();
    };
    filch::transform_inclusive_scan(words | moved, lengths.begin(), std::plus<>{}, take, filch::hint{.grain = 1});
    for (std::size_t i = 0; i != lengths.size(); ++i) ASSERT_EQ(lengths[i], (i + 1) * length);

    std::vector<std::string> letters(30, "a");
    std::vector<std::string> sums(letters.size());
    filch::inclusive_scan(letters | moved, sums.begin());
    EXPECT_EQ(sums.back(), std::string(30, 'a'));
  });
}

TEST_P(scan, an_exception_of_the_operation_arrives) {
  std::vector<int> xs(100'000, 1);
  std::vector<int> out(xs.size());
  const auto add = [](int a, int b) { return a > 50'000 ? throw std::runtime_error{"large"} : a + b; };
  EXPECT_THROW(run([&] { filch::inclusive_scan(xs, out.begin(), add); }), std::runtime_error);
}

}  // namespace
