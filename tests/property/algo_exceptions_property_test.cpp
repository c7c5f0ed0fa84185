// Property: an exception of the caller's function arrives, whichever call throws; then nothing runs any more, as many elements live
// as before and all are whole. What permutes its elements and promises to keep them has kept them.
//
// Oracle: a fuse that all calls share. One of them, chosen at random, burns it and throws. The exception must arrive if and
// only if the fuse has burnt. Elements count themselves, so a leak or a second destruction is seen.
#include "algo_property.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace {

using algo_property::random_hint;
using algo_property::random_stream;

struct burnt {};

class fuse {
 public:
  explicit fuse(std::uint64_t calls) : left_{static_cast<long>(calls)} {}

  void use() {
    ++running_;
    const bool burns = left_-- == 0;
    --running_;
    if (burns) throw burnt{};
  }
  [[nodiscard]] bool has_burnt() const { return left_ < 0; }
  [[nodiscard]] bool is_used_now() const { return running_ != 0; }

 private:
  std::atomic<long> left_;
  std::atomic<long> running_{0};
};

class item {
 public:
  explicit item(long number = 0) : number_{number} { ++alive; }
  item(const item& other) : number_{other.number_} { ++alive; }
  item(item&& other) noexcept : number_{other.number_} { ++alive; }
  item& operator=(const item&) = default;
  item& operator=(item&&) noexcept = default;
  ~item() {
    mark_ = 0;
    --alive;
  }

  [[nodiscard]] long number() const { return number_; }
  [[nodiscard]] bool is_whole() const { return mark_ == k_mark; }
  friend bool operator<(const item& a, const item& b) { return a.number_ < b.number_; }

  static inline std::atomic<long> alive{0};

 private:
  static constexpr unsigned k_mark = 0xfeedbead;

  long number_;
  unsigned mark_ = k_mark;
};

enum class promise { valid, all_kept };

class algo_exceptions_property : public algo_property::on_workers {
 protected:
  // work(items, fuse, hint) is some algorithm whose functions use the fuse, about `calls` times for each element.
  template <class F>
  void expect_arrival(std::uint64_t stream, std::uint64_t calls, F&& work, promise given = promise::valid) {
    const long alive = item::alive;
    const auto law = [&](const std::vector<long>& numbers, random_stream& random) {
      std::vector<item> items;
      for (const long x : numbers) items.emplace_back(x);
      fuse one{random.below(calls * numbers.size() + 2)};
      bool arrived = false;
      try {
        work(items, one, random_hint(random, items.size()));
      } catch (const burnt&) {
        arrived = true;
      }
      ASSERT_FALSE(one.is_used_now());
      ASSERT_EQ(arrived, one.has_burnt());
      ASSERT_EQ(item::alive, alive + std::ssize(numbers));
      ASSERT_TRUE(std::ranges::all_of(items, &item::is_whole));
      if (given == promise::valid) return;
      std::vector<long> kept;
      for (const item& x : items) kept.push_back(x.number());
      ASSERT_TRUE(std::ranges::is_permutation(sorted(std::move(kept)), sorted(numbers)));
    };
    for_all(stream, law, filch_test::scaled(20'000));
    ASSERT_EQ(item::alive, alive);
  }

 private:
  static std::vector<long> sorted(std::vector<long> xs) {
    std::sort(xs.begin(), xs.end());
    return xs;
  }
};
INSTANTIATE_TEST_SUITE_P(workers, algo_exceptions_property, testing::Values(1U, 2U, 4U, 7U));

auto less_until(fuse& one) {
  return [&one](const item& a, const item& b) {
    one.use();
    return a < b;
  };
}
auto sum_until(fuse& one) {
  return [&one](const item& a, const item& b) {
    one.use();
    return item{a.number() + b.number()};
  };
}
auto is_even_until(fuse& one) {
  return [&one](const item& x) {
    one.use();
    return x.number() % 2 == 0;
  };
}
auto copy_until(fuse& one) {
  return [&one](const item& x) {
    one.use();
    return item{x.number() + 1};
  };
}

TEST_P(algo_exceptions_property, loops) {
  expect_arrival(40, 1, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    filch::for_each(xs, [&](item&) { one.use(); }, given);
    filch::for_index(0, xs.size(), [&](std::size_t) { one.use(); }, given);
  });
  expect_arrival(41, 2, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    filch::transform(xs, xs.begin(), copy_until(one), given);
    filch::generate(xs, [&] { return one.use(), item{3}; }, given);
  });
}

TEST_P(algo_exceptions_property, reductions) {
  expect_arrival(42, 2, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    (void)filch::transform_reduce(xs, item{}, sum_until(one), copy_until(one), given);
  });
  expect_arrival(43, 3, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    (void)filch::transform_reduce(xs, xs, item{}, sum_until(one), [&](const item& a, const item&) { return one.use(), a; }, given);
    (void)filch::count_if(xs, is_even_until(one), given);
    (void)filch::minmax_element(xs, less_until(one), given);
  });
}

TEST_P(algo_exceptions_property, searches) {
  expect_arrival(44, 3, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    (void)filch::find_if(xs, [&](const item& x) { return one.use(), x.number() == 7; }, given);
    (void)filch::equal(xs, xs, [&](const item& a, const item& b) { return one.use(), a.number() == b.number(); }, given);
    (void)filch::is_sorted(xs, less_until(one), given);
  });
}

TEST_P(algo_exceptions_property, scans) {
  expect_arrival(45, 2, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    filch::inclusive_scan(xs, xs.begin(), sum_until(one), given);
  });
  expect_arrival(46, 3, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    filch::transform_exclusive_scan(xs, xs.begin(), item{}, sum_until(one), copy_until(one), given);
  });
  expect_arrival(47, 1, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    std::vector<item> out(xs.size());
    filch::copy_if(xs, out.begin(), is_even_until(one), given);
  });
}

TEST_P(algo_exceptions_property, partition_and_stable_sort_keep_all_elements) {
  expect_arrival(
      48, 1, [](std::vector<item>& xs, fuse& one, filch::hint given) { filch::partition(xs, is_even_until(one), given); },
      promise::all_kept);
  expect_arrival(
      49, 10, [](std::vector<item>& xs, fuse& one, filch::hint) { filch::stable_sort(xs, less_until(one)); }, promise::all_kept);
}

TEST_P(algo_exceptions_property, sorts_and_merges) {
  expect_arrival(50, 12, [](std::vector<item>& xs, fuse& one, filch::hint) { filch::sort(xs, less_until(one)); });
  expect_arrival(51, 3, [](std::vector<item>& xs, fuse& one, filch::hint) {
    filch::nth_element(xs, xs.begin() + std::ssize(xs) / 2, less_until(one));
  });
  expect_arrival(52, 2, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    std::vector<item> other = xs;
    std::sort(xs.begin(), xs.end());
    std::sort(other.begin(), other.end());
    std::vector<item> out(2 * xs.size());
    filch::merge(xs, other, out.begin(), less_until(one), given);
  });
}

TEST_P(algo_exceptions_property, pipelines) {
  expect_arrival(53, 3, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    std::size_t next = 0;
    const auto source = [&]() -> std::optional<item> {
      if (next == std::min<std::size_t>(xs.size(), 500)) return std::nullopt;
      one.use();
      return xs[next++];
    };
    filch::pipeline(given.grain % 16 + 1, source, filch::parallel(copy_until(one)), filch::serial(copy_until(one)));
  });
}

}  // namespace
