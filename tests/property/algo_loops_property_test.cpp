// Property: loops and pipelines do to every element what the serial loop does, once.
#include "algo_property.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <list>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

using algo_property::random_hint;
using algo_property::random_numbers;
using algo_property::random_stream;

FILCH_PROPERTY_SUITE(algo_loops_property);

TEST_P(algo_loops_property, for_each_equals_the_serial_loop) {
  for_all(1, [](const std::vector<long>& xs, random_stream& random) {
    const auto step = [](long& x) { x = x * 3 + 1; };
    const auto given = [&] { return random_hint(random, xs.size()); };
    std::vector<long> expected = xs;
    std::for_each(expected.begin(), expected.end(), step);
    std::vector<long> vector = xs;
    filch::for_each(vector, step, given());
    ASSERT_EQ(vector, expected);
    std::deque<long> deque(xs.begin(), xs.end());
    filch::for_each(deque.begin(), deque.end(), step, given());
    ASSERT_TRUE(std::ranges::equal(deque, expected));
    std::list<long> list(xs.begin(), xs.end());
    filch::for_each(list, step, given());
    ASSERT_TRUE(std::ranges::equal(list, expected));
    filch::for_each(list.begin(), list.end(), step, given());
    std::for_each(expected.begin(), expected.end(), step);
    ASSERT_TRUE(std::ranges::equal(list, expected));
    vector = xs;
    expected = xs;
    const auto part = static_cast<std::size_t>(random.below(xs.size() + 1));
    std::for_each_n(expected.begin(), part, step);
    ASSERT_EQ(filch::for_each_n(vector.data(), part, step, given()), vector.data() + part);
    ASSERT_EQ(vector, expected);
  });
}

TEST_P(algo_loops_property, a_range_that_is_read_once_gives_every_element_once) {
  const auto law = [](const std::vector<long>& xs, random_stream& random) {
    std::stringstream stream;
    for (const long x : xs) stream << x << ' ';
    std::vector<long> got(xs.size());
    std::atomic<std::size_t> next{0};
    filch::for_each(
        std::views::istream<long>(stream), [&](long x) { got.at(next++) = x; }, random_hint(random, xs.size()));
    ASSERT_EQ(next, xs.size());
    std::vector<long> expected = xs;
    std::sort(expected.begin(), expected.end());
    std::sort(got.begin(), got.end());
    ASSERT_EQ(got, expected);
  };
  for_all(2, law, 20'000);
}

TEST_P(algo_loops_property, for_index_calls_every_index_once_whatever_the_types) {
  for_all(3, [](const std::vector<long>& xs, random_stream& random) {
    std::vector<unsigned char> calls(xs.size());
    const auto given = [&] { return random_hint(random, xs.size()); };
    filch::for_index(xs.size(), [&](std::size_t i) { ++calls[i]; }, given());
    filch::for_index(0, xs.size(), [&](std::size_t i) { ++calls[i]; }, given());
    const long first = xs.empty() ? 0 : xs[0];
    const long last = first + static_cast<long>(xs.size());
    filch::for_index(first, last, [&](long i) { ++calls[static_cast<std::size_t>(i - first)]; }, given());
    ASSERT_EQ(calls, std::vector<unsigned char>(xs.size(), 3));
  });
}

TEST_P(algo_loops_property, transform_equals_the_serial_one) {
  for_all(4, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    const auto step = [](long x) { return static_cast<double>(x) * 0.5; };
    std::vector<double> expected(xs.size());
    std::transform(xs.begin(), xs.end(), expected.begin(), step);
    std::vector<double> got(xs.size());
    ASSERT_EQ(filch::transform(xs, got.begin(), step, given()), got.end());
    ASSERT_EQ(got, expected);
    std::deque<double> deque(xs.size());
    ASSERT_EQ(filch::transform(xs.begin(), xs.end(), deque.begin(), step, given()), deque.end());
    ASSERT_TRUE(std::ranges::equal(deque, expected));
    std::vector<long> same = xs;
    filch::transform(same.data(), same.data() + same.size(), same.data(), [](long x) { return x + 1; }, given());
    ASSERT_EQ(
        filch::count_if(same, [&](const long& x) { return x == xs[static_cast<std::size_t>(&x - same.data())] + 1; }),
        std::ssize(xs));
  });
}

TEST_P(algo_loops_property, transform_of_two_equals_the_serial_one_as_long_as_the_shorter) {
  for_all(5, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    const std::vector<long> ys = random_numbers(random, xs.size());
    const auto both = [](long x, long y) { return 3 * x - y; };
    std::vector<long> expected(xs.size());
    std::transform(xs.begin(), xs.end(), ys.begin(), expected.begin(), both);
    std::vector<long> got(xs.size());
    ASSERT_EQ(filch::transform(xs.begin(), xs.end(), ys.begin(), got.begin(), both, given()), got.end());
    ASSERT_EQ(got, expected);
    const std::deque<long> fewer(ys.begin(), ys.begin() + static_cast<std::ptrdiff_t>(random.below(ys.size() + 1)));
    expected.resize(fewer.size());
    got.assign(xs.size(), 0);
    got.erase(filch::transform(xs, fewer, got.begin(), both, given()), got.end());
    ASSERT_EQ(got, expected);
    got.assign(xs.size(), 0);
    got.erase(filch::transform(fewer, xs, got.begin(), [&](long y, long x) { return both(x, y); }, given()), got.end());
    ASSERT_EQ(got, expected);
  });
}

TEST_P(algo_loops_property, copy_fill_and_generate_equal_the_serial_ones) {
  for_all(6, [](const std::vector<long>& xs, random_stream& random) {
    const auto given = [&] { return random_hint(random, xs.size()); };
    std::vector<long> got(xs.size());
    ASSERT_EQ(filch::copy(xs, got.begin(), given()), got.end());
    ASSERT_EQ(got, xs);
    std::deque<std::string> words(xs.size());
    filch::transform(xs, words.begin(), [](long x) { return std::to_string(x); });
    std::vector<std::string> copies(xs.size());
    ASSERT_EQ(filch::copy(words.begin(), words.end(), copies.begin(), given()), copies.end());
    ASSERT_TRUE(std::ranges::equal(copies, words));

    // A part of the whole: what lies beside it stays.
    const auto from = static_cast<std::ptrdiff_t>(random.below(xs.size() + 1));
    std::vector<long> expected = xs;
    std::fill(expected.begin() + from, expected.end(), 7L);
    filch::fill(got.begin() + from, got.end(), 7L, given());
    ASSERT_EQ(got, expected);
    std::generate(expected.begin(), expected.begin() + from, [] { return 9L; });
    filch::generate(got.begin(), got.begin() + from, [] { return 9L; }, given());
    ASSERT_EQ(got, expected);
    std::list<long> list(xs.begin(), xs.end());
    filch::fill(list, 5, given());
    ASSERT_EQ(std::count(list.begin(), list.end(), 5), std::ssize(xs));
    std::atomic<long> next{0};
    filch::generate(list, [&] { return next++; }, given());
    list.sort();
    ASSERT_TRUE(std::ranges::equal(list, std::views::iota(0L, static_cast<long>(xs.size()))));
  });
}

TEST_P(algo_loops_property, a_pipeline_equals_the_serial_loop) {
  const auto law = [](const std::vector<long>& xs, random_stream& random) {
    const std::size_t tokens = 1 + static_cast<std::size_t>(random.below(random.below(2) == 0 ? 4 : 100));
    std::vector<std::string> expected;
    std::vector<long> doubled;
    for (const long x : xs) {
      doubled.push_back(x * 2);
      expected.push_back(std::to_string(x * 2));
    }
    std::vector<long> between;
    std::vector<std::string> got;
    const auto last = [&](std::string word) { got.push_back(std::move(word)); };
    filch::pipeline(tokens, xs, filch::parallel([](long x) { return x * 2; }), filch::serial([&](long x) {
                      between.push_back(x);
                      return x;
                    }),
                    filch::parallel([](long x) { return std::to_string(x); }), filch::serial(last));
    ASSERT_EQ(got, expected);
    ASSERT_EQ(between, doubled);
    std::size_t next = 0;
    got.clear();
    const auto source = [&]() -> std::optional<long> {
      if (next == xs.size()) return std::nullopt;
      return xs[next++] * 2;
    };
    filch::pipeline(tokens, source, filch::parallel([](long x) { return std::to_string(x); }), filch::serial(last));
    ASSERT_EQ(got, expected);
  };
  for_all(7, law, 2000);
}

}  // namespace
