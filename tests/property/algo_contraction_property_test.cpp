// Property: the bits do not depend on the number of workers where the compiler may contract a multiplication and an
// addition into one operation, and uses vectors where it can.
//
// Oracle: one worker, which takes the serial way through every algorithm; several take the shared one, too. Method: a
// program of its own, compiled with -O3 -march=native -ffp-contract=fast; functions that end with a multiplication,
// operations that begin with an addition; sizes that are shared, several runs of each.
#include "algo_property.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using algo_property::random_stream;

FILCH_PROPERTY_SUITE(algo_contraction_property);

using all_bytes = std::vector<std::byte>;

template <class T>
void append(all_bytes& all, const std::vector<T>& values) {
  const std::size_t before = all.size();
  all.resize(before + values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(all.data() + before, values.data(), values.size() * sizeof(T));
}

// A number that has few zero bits, as one of T.
template <class T>
std::vector<T> random_values(random_stream& random, std::size_t n) {
  std::vector<T> xs(n);
  for (T& x : xs) x = static_cast<T>(random.uniform(-1.0, 2.0));
  return xs;
}

template <class T>
all_bytes scans_of(const std::vector<T>& xs) {
  const auto square = [](T x) { return x * x; };
  const auto add = [](T a, T b) { return a + b; };
  const auto either = [](T a, T b) { return a + b - a * b; };
  const auto small_square = [](T x) { return x * x / 4; };
  all_bytes all;
  std::vector<T> out(xs.size());
  filch::transform_inclusive_scan(xs, out.begin(), std::plus<>{}, square);
  append(all, out);
  filch::transform_inclusive_scan(xs, out.begin(), add, square, T{1} / 3);
  append(all, out);
  filch::transform_exclusive_scan(xs, out.begin(), T{1} / 3, std::plus<>{}, square);
  append(all, out);
  filch::transform_exclusive_scan(xs, out.begin(), T{1} / 3, either, small_square);
  append(all, out);
  filch::inclusive_scan(xs | std::views::transform(square), out.begin());
  append(all, out);
  return all;
}

template <class T>
all_bytes complex_scans_of(const std::vector<T>& xs) {
  using complex = std::complex<T>;
  const auto made = [](T x) { return complex{x * x, x * (x - 1)}; };
  const auto turned = [](T x) { return complex{x, 1 - x} / std::sqrt(x * x + (1 - x) * (1 - x)); };
  const auto times = [](complex a, complex b) {
    return complex{a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  };
  all_bytes all;
  std::vector<complex> out(xs.size());
  filch::transform_inclusive_scan(xs, out.begin(), std::plus<>{}, made);
  append(all, out);
  filch::transform_exclusive_scan(xs, out.begin(), complex{1, 0}, times, turned);
  append(all, out);
  return all;
}

// Two numbers in a class that cannot be copied as bytes.
template <class T>
all_bytes pair_scans_of(const std::vector<T>& xs) {
  using two = std::pair<T, T>;
  static_assert(!std::is_trivially_copyable_v<two>);
  const auto made = [](T x) { return two{x * x, x * (x + 1)}; };
  const auto add = [](const two& a, const two& b) { return two{a.first + b.first, a.second + b.second}; };
  std::vector<two> out(xs.size());
  all_bytes all;
  const auto append_out = [&] {
    std::vector<T> numbers;
    for (const auto& [a, b] : out) numbers.insert(numbers.end(), {a, b});
    append(all, numbers);
  };
  filch::transform_inclusive_scan(xs, out.begin(), add, made);
  append_out();
  filch::transform_inclusive_scan(xs, out.begin(), add, made, two{T{1} / 3, T{1} / 7});
  append_out();
  filch::transform_exclusive_scan(xs, out.begin(), two{T{1} / 3, T{1} / 7}, add, made);
  append_out();
  return all;
}
template <class T>
all_bytes pair_reductions_of(const std::vector<T>& xs, filch::hint given) {
  using two = std::pair<T, T>;
  const auto made = [](T x) { return two{x * x, x * (x + 1)}; };
  // begins with an addition and ends with a multiplication
  const auto mean = [](const two& a, const two& b) {
    return two{(a.first + b.first) * (T{2} / 3), (a.second + b.second) * (T{1} / 3)};
  };
  const two got = filch::transform_reduce(xs, two{T{1} / 3, T{1} / 7}, mean, made, given);
  all_bytes all;
  append(all, std::vector<T>{got.first, got.second});
  return all;
}

template <class T>
all_bytes reductions_of(const std::vector<T>& xs, filch::hint given) {
  const auto square = [](T x) { return x * x; };
  const auto add = [](T a, T b) { return a + b; };
  const auto in_circle = [](T x) { return x * x + (1 - x) * (1 - x) < T{7} / 10; };
  const auto farther = [](T a, T b) { return a * a + (1 - a) * (1 - a) < b * b + (1 - b) * (1 - b); };
  const std::vector<T> values{filch::transform_reduce(xs, T{1} / 3, std::plus<>{}, square, given),
                              filch::transform_reduce(xs, T{1} / 3, add, square, given),
                              filch::transform_reduce(xs, xs, T{1} / 3, std::plus<>{}, std::multiplies<>{}, given),
                              filch::transform_reduce(xs, xs, T{1} / 3, add, std::multiplies<>{}, given),
                              filch::reduce(xs | std::views::transform(square), T{0}),
                              static_cast<T>(filch::count_if(xs, in_circle, given)),
                              *filch::max_element(xs, farther, given)};
  all_bytes all = pair_reductions_of(xs, given);
  append(all, values);
  return all;
}

template <class T>
all_bytes everything_of(const std::vector<T>& xs) {
  all_bytes all = scans_of(xs);
  append(all, complex_scans_of(xs));
  append(all, pair_scans_of(xs));
  append(all, reductions_of(xs, {}));
  append(all, reductions_of(xs, {.grain = 37}));
  return all;
}

template <class T, class Here, class There>
void expect_same_bits(const std::vector<T>& xs, Here& here, There& there) {
  const all_bytes expected = there.run([&] { return everything_of(xs); });
  for (int round = 0; round != 3; ++round) {
    const all_bytes got = here.run([&] { return everything_of(xs); });
    const auto differs = std::mismatch(got.begin(), got.end(), expected.begin()).first;
    ASSERT_EQ(differs - got.begin(), std::ssize(expected))
        << "the first byte that differs; " << xs.size() << " elements";
  }
}

TEST_P(algo_contraction_property, scans_and_reductions_give_the_bits_of_one_worker) {
  filch::runtime one{{.workers = 1}};
  random_stream random = random_stream{filch_test::test_seed()}.split(60);
  for (const std::size_t n : {std::size_t{1000}, std::size_t{20'011}, std::size_t{filch_test::scaled(300'000)}}) {
    SCOPED_TRACE(testing::Message() << "FILCH_SEED=" << filch_test::test_seed());
    expect_same_bits(random_values<float>(random, n), rt_, one);
    expect_same_bits(random_values<double>(random, n), rt_, one);
    if (HasFailure()) return;
  }
}

// A reduction takes three ways through the tree; which one, the cost of the call before decides. Few elements, again
// and again.
TEST_P(algo_contraction_property, small_reductions_give_the_same_bits_every_time) {
  random_stream random = random_stream{filch_test::test_seed()}.split(61);
  for (const std::size_t n : {std::size_t{7}, std::size_t{100}, std::size_t{3000}}) {
    const std::vector<float> xs = random_values<float>(random, n);
    const all_bytes expected = rt_.run([&] { return reductions_of(xs, {}); });
    for (int round = 0; round != 100; ++round) {
      ASSERT_EQ(rt_.run([&] { return reductions_of(xs, {}); }), expected)
          << "FILCH_SEED=" << filch_test::test_seed() << ", n = " << n;
    }
  }
}

}  // namespace
