// sort, stable_sort, merge: order, stability, and no element lost when a comparison throws.
#include "on_workers.hpp"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <deque>
#include <functional>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

FILCH_ON_WORKERS(sort);

std::vector<int> numbers(std::size_t n, unsigned different) {
  std::vector<int> xs(n);
  unsigned x = 12345;
  for (int& one : xs) {
    x = x * 1664525U + 1013904223U;
    one = static_cast<int>((x >> 8) % different);
  }
  return xs;
}

TEST_P(sort, shapes_that_are_hard_for_quicksort_are_sorted) {
  run([] {
    constexpr std::size_t n = 200'000;
    std::vector<std::vector<int>> inputs{numbers(n, 1), numbers(n, 2), numbers(n, 17), numbers(n, 1U << 24)};
    std::vector<int> rising = numbers(n, 1U << 24);
    std::sort(rising.begin(), rising.end());
    inputs.push_back(rising);
    inputs.emplace_back(rising.rbegin(), rising.rend());
    std::vector<int> organ = rising;
    std::reverse(organ.begin() + n / 2, organ.end());
    inputs.push_back(organ);
    std::vector<int> saw(n);
    for (std::size_t i = 0; i != n; ++i) saw[i] = static_cast<int>(i % 1000);
    inputs.push_back(saw);
    std::vector<int> almost = rising;
    std::swap(almost[10], almost[n - 10]);
    inputs.push_back(almost);
    for (const auto& input : inputs) {
      std::vector<int> expected = input;
      std::sort(expected.begin(), expected.end());
      std::vector<int> got = input;
      filch::sort(got);
      ASSERT_EQ(got, expected);
      got = input;
      filch::stable_sort(got);
      ASSERT_EQ(got, expected);
      std::sort(expected.begin(), expected.end(), std::greater<>{});
      got = input;
      filch::sort(got.begin(), got.end(), std::greater<>{});
      ASSERT_EQ(got, expected);
    }
  });
}

TEST_P(sort, strings_deques_and_elements_that_are_moved_only_are_sorted) {
  run([] {
    std::vector<std::string> words;
    for (const int x : numbers(60'000, 1U << 20))
      words.push_back(std::to_string(x) + " and some more to be no short string");
    std::vector<std::string> expected = words;
    std::sort(expected.begin(), expected.end());
    std::deque<std::string> deque(words.begin(), words.end());
    filch::sort(deque);
    EXPECT_TRUE(std::equal(deque.begin(), deque.end(), expected.begin()));
    filch::stable_sort(words);
    EXPECT_EQ(words, expected);

    std::vector<std::unique_ptr<int>> boxes;
    for (const int x : numbers(30'000, 1U << 20)) boxes.push_back(std::make_unique<int>(x));
    const auto by_value = [](const auto& a, const auto& b) { return *a < *b; };
    filch::sort(boxes, by_value);
    EXPECT_TRUE(std::is_sorted(boxes.begin(), boxes.end(), by_value));
    std::reverse(boxes.begin(), boxes.end());
    filch::stable_sort(boxes, by_value);
    EXPECT_TRUE(std::is_sorted(boxes.begin(), boxes.end(), by_value));
  });
}

// Bug: a small value that is trivially copyable was copied, although that type may only be moved.
struct moved_only {
  explicit moved_only(int x) : value{x} {}
  moved_only(moved_only&&) = default;
  moved_only& operator=(moved_only&&) = default;
  int value;
};
static_assert(std::is_trivially_copyable_v<moved_only> && !std::copyable<moved_only>);
TEST_P(sort, trivial_elements_that_are_moved_only_are_sorted_and_partitioned) {
  run([] {
    std::vector<int> expected = numbers(60'000, 1U << 20);
    std::vector<moved_only> xs;
    const auto fill = [&] {
      xs.clear();
      for (const int x : numbers(60'000, 1U << 20)) xs.emplace_back(x);
    };
    const auto before = [](const moved_only& a, const moved_only& b) { return a.value < b.value; };
    const auto expect_sorted = [&] {
      for (std::size_t i = 0; i != xs.size(); ++i) ASSERT_EQ(xs[i].value, expected[i]);
    };
    std::sort(expected.begin(), expected.end());
    fill();
    filch::sort(xs, before);
    expect_sorted();
    fill();
    filch::stable_sort(xs, before);
    expect_sorted();
    fill();
    filch::nth_element(xs, xs.begin() + 777, before);
    EXPECT_EQ(xs[777].value, expected[777]);
    const auto middle = filch::partition(xs, [](const moved_only& x) { return x.value % 3 == 0; });
    EXPECT_EQ(middle - xs.begin(), std::ranges::count_if(expected, [](int x) { return x % 3 == 0; }));
  });
}

struct keyed {
  int key;
  std::size_t index;
};

TEST_P(sort, stable_sort_keeps_equal_elements_in_order) {
  run([] {
    for (const std::size_t n : {std::size_t{5}, std::size_t{100}, std::size_t{5000}, std::size_t{300'000}}) {
      std::vector<keyed> xs;
      for (const int x : numbers(n, 100)) xs.push_back({x, xs.size()});
      filch::stable_sort(xs, [](const keyed& a, const keyed& b) { return a.key < b.key; });
      for (std::size_t i = 1; i < n; ++i) {
        ASSERT_TRUE(xs[i - 1].key < xs[i].key || (xs[i - 1].key == xs[i].key && xs[i - 1].index < xs[i].index)) << i;
      }
    }
  });
}

// A type whose move may throw: sorted all the same.
struct may_throw {
  int value = 0;
  may_throw() = default;
  explicit may_throw(int x) : value{x} {}
  may_throw(const may_throw&) = default;
  may_throw& operator=(const may_throw&) = default;
  may_throw(may_throw&& from) noexcept(false) : value{from.value} {}
  may_throw& operator=(may_throw&& from) noexcept(false) {
    value = from.value;
    return *this;
  }
  friend bool operator<(const may_throw& a, const may_throw& b) { return a.value < b.value; }
};
TEST_P(sort, elements_whose_move_may_throw_are_sorted) {
  run([] {
    std::vector<may_throw> xs;
    for (const int x : numbers(20'000, 1U << 20)) xs.emplace_back(x);
    const auto less = [](const may_throw& a, const may_throw& b) { return a < b; };
    filch::stable_sort(xs, less);
    EXPECT_TRUE(std::is_sorted(xs.begin(), xs.end()));
    std::vector<int> expected = numbers(20'000, 1U << 20);
    std::sort(expected.begin(), expected.end());
    for (std::size_t i = 0; i != expected.size(); ++i) ASSERT_EQ(xs[i].value, expected[i]);
  });
}

// Property: a comparison that throws at its k-th call never costs an element of a stable sort.
TEST_P(sort, stable_sort_loses_nothing_when_the_comparison_throws) {
  run([] {
    std::vector<std::string> input;
    for (const int x : numbers(10'000, 1U << 20))
      input.push_back(std::to_string(x) + " and some more to be no short string");
    std::vector<std::string> expected = input;
    std::sort(expected.begin(), expected.end());
    for (const long k : {0L, 1L, 10L, 1000L, 20'000L, 60'000L, 100'000L, 115'000L}) {
      std::atomic<long> left{k};
      std::vector<std::string> xs = input;
      EXPECT_THROW(filch::stable_sort(xs,
                                      [&](const std::string& a, const std::string& b) {
                                        if (left-- == 0) throw std::runtime_error{"compare"};
                                        return a < b;
                                      }),
                   std::runtime_error)
          << k;
      std::sort(xs.begin(), xs.end());
      ASSERT_EQ(xs, expected) << k;
    }
  });
}

TEST_P(sort, an_exception_of_the_comparison_arrives) {
  run([] {
    for (const long k : {0L, 1L, 100L, 50'000L, 1'000'000L}) {
      std::atomic<long> left{k};
      std::vector<int> xs = numbers(100'000, 1U << 24);
      EXPECT_THROW(filch::sort(xs,
                               [&](int a, int b) {
                                 if (left-- == 0) throw std::runtime_error{"compare"};
                                 return a < b;
                               }),
                   std::runtime_error);
    }
  });
}

TEST_P(sort, nth_element_finds_the_middle_of_many_and_of_many_equal_ones) {
  run([] {
    for (const unsigned different : {2U, 1U << 24}) {
      std::vector<int> xs = numbers(200'000, different);
      std::vector<int> sorted = xs;
      std::sort(sorted.begin(), sorted.end());
      const auto nth = xs.begin() + 100'000;
      filch::nth_element(xs, nth);
      EXPECT_EQ(*nth, sorted[100'000]);
      EXPECT_LE(*std::max_element(xs.begin(), nth), *nth);
      EXPECT_GE(*std::min_element(nth, xs.end()), *nth);
    }
    std::vector<int> none;
    filch::nth_element(none, none.end());
  });
}

TEST_P(sort, merge_is_stable_and_complete) {
  run([] {
    const auto by_key = [](const keyed& a, const keyed& b) { return a.key < b.key; };
    for (const auto& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, 0}, {1, 0}, {0, 3}, {1, 1}, {500, 7}, {200'000, 150'000}, {3, 100'000}}) {
      std::vector<keyed> a;
      std::vector<keyed> b;
      for (const int x : numbers(m, 1000)) a.push_back({x, 0});
      for (const int x : numbers(n, 1000)) b.push_back({x, 0});
      std::sort(a.begin(), a.end(), by_key);
      std::sort(b.begin(), b.end(), by_key);
      for (std::size_t i = 0; i != m; ++i) a[i].index = i;
      for (std::size_t i = 0; i != n; ++i) b[i].index = m + i;
      std::vector<keyed> out(m + n);
      EXPECT_EQ(filch::merge(a, b, out.begin(), by_key, filch::hint{.grain = 64}), out.end());
      for (std::size_t i = 1; i < m + n; ++i) {
        ASSERT_TRUE(out[i - 1].key < out[i].key || (out[i - 1].key == out[i].key && out[i - 1].index < out[i].index))
            << i;
      }
      std::vector<std::string> words_a;
      std::vector<std::string> words_b;
      for (const keyed& x : a) words_a.push_back(std::to_string(x.key));
      for (const keyed& x : b) words_b.push_back(std::to_string(x.key));
      std::sort(words_a.begin(), words_a.end());
      std::sort(words_b.begin(), words_b.end());
      std::vector<std::string> expected(m + n);
      std::vector<std::string> got(m + n);
      std::merge(words_a.begin(), words_a.end(), words_b.begin(), words_b.end(), expected.begin());
      filch::merge(words_a, words_b, got.begin());
      ASSERT_EQ(got, expected);
    }
  });
}

// Bug: iterators whose difference is no std::ptrdiff_t were given to algorithms of std that refuse them.
TEST_P(sort, ranges_whose_difference_is_wider_than_64_bits_are_merged_and_compared) {
  run([] {
    constexpr unsigned long long k_count = 200'000;
    const auto numbers = std::views::iota(0ULL, k_count);
    std::vector<unsigned long long> out(2 * k_count);
    filch::merge(numbers, numbers, out.begin(), std::less<>{}, filch::hint{.grain = 64});
    for (std::size_t i = 0; i != out.size(); ++i) ASSERT_EQ(out[i], i / 2);
    EXPECT_EQ(*filch::min_element(numbers), 0u);
    EXPECT_EQ(*filch::max_element(numbers), k_count - 1);
    EXPECT_EQ(*filch::minmax_element(numbers).second, k_count - 1);
    EXPECT_TRUE(filch::is_sorted(numbers));
  });
}

// Bug: an int and an unsigned went through their common type, in which -1 is 4294967295.
TEST_P(sort, merge_of_two_types_writes_the_values_of_each) {
  run([] {
    const auto before = [](auto x, auto y) { return static_cast<long>(x) < static_cast<long>(y); };
    const std::vector<int> few{-1, 5};
    const std::vector<unsigned> others{2, 7};
    std::vector<long> out(4);
    filch::merge(few, others, out.begin(), before);
    EXPECT_EQ(out, (std::vector<long>{-1, 2, 5, 7}));

    std::vector<int> a = numbers(100'000, 1000);
    for (int& x : a) x -= 500;
    std::sort(a.begin(), a.end());
    const std::vector<int> positive = numbers(70'000, 1000);
    std::vector<unsigned> b(positive.begin(), positive.end());
    std::sort(b.begin(), b.end());
    std::vector<long> expected(a.begin(), a.end());
    expected.insert(expected.end(), b.begin(), b.end());
    std::sort(expected.begin(), expected.end());
    std::vector<long> got(expected.size());
    filch::merge(a, b, got.begin(), before);
    EXPECT_EQ(got, expected);
  });
}

}  // namespace
