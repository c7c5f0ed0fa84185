// Property: an exception of the caller's function arrives, whichever call throws; then nothing runs any more, as many
// elements live as before and all are whole. What permutes its elements and promises to keep them has kept them.
//
// Oracle: a fuse that all calls share and hold from their begin to their end. One of them, chosen at random, burns it
// and throws; those that hold it then hold it for longer. The exception must arrive if and only if the fuse has burnt,
// and when nobody holds it. Elements count themselves, so a leak or a second destruction is seen, and say what they are
// when they were moved from, so a lost one is seen and one that is used in vain.
#include "algo_property.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace {

using algo_property::random_hint;
using algo_property::random_stream;

struct burnt {};

class fuse {
 public:
  explicit fuse(std::uint64_t calls) : left_{static_cast<long>(calls)} {}

  // A call of the caller's function, as long as it lives.
  class held {
   public:
    explicit held(fuse& one) : one_{one} {
      ++one_.holders_;
      if (one_.left_-- != 0) return;
      --one_.holders_;
      throw burnt{};
    }
    held(const held&) = delete;
    held& operator=(const held&) = delete;
    ~held() {
      const long left = one_.left_;
      if (left < 0 && left >= -k_late) std::this_thread::yield();
      --one_.holders_;
    }

   private:
    static constexpr long k_late = 16;  // calls that take longer, since the fuse has just burnt

    fuse& one_;
  };

  [[nodiscard]] bool has_burnt() const { return left_ < 0; }
  [[nodiscard]] bool is_held() const { return holders_ != 0; }

 private:
  std::atomic<long> left_;
  std::atomic<long> holders_{0};
};

class item {
 public:
  explicit item(long number = 0) : number_{number} { ++alive; }
  item(const item& other) : number_{other.number_} { ++alive; }
  item(item&& other) noexcept : number_{std::exchange(other.number_, k_gone)} { ++alive; }
  item& operator=(const item&) = default;
  item& operator=(item&& other) noexcept {
    const long number = std::exchange(other.number_, k_gone);  // first: `other` may be this one
    number_ = number;
    return *this;
  }
  ~item() {
    mark_ = 0;
    --alive;
  }

  [[nodiscard]] long number() const {
    if (number_ == k_gone) ++read_when_gone;
    return number_;
  }
  [[nodiscard]] bool is_whole() const { return mark_ == k_mark; }
  [[nodiscard]] bool is_gone() const { return number_ == k_gone; }
  friend bool operator<(const item& a, const item& b) { return a.number() < b.number(); }

  static inline std::atomic<long> alive{0};
  static inline std::atomic<long> read_when_gone{0};

 private:
  static constexpr unsigned k_mark = 0xfeedbead;
  static constexpr long k_gone = std::numeric_limits<long>::min();

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
      ASSERT_FALSE(one.is_held());
      ASSERT_EQ(arrived, one.has_burnt());
      ASSERT_EQ(item::alive, alive + std::ssize(numbers));
      ASSERT_TRUE(std::ranges::all_of(items, &item::is_whole));
      ASSERT_EQ(item::read_when_gone, 0);
      if (!arrived || given == promise::all_kept) {
        ASSERT_TRUE(std::ranges::none_of(items, &item::is_gone));
      }
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
    const fuse::held now{one};
    return a < b;
  };
}
auto sum_until(fuse& one) {
  return [&one](const item& a, const item& b) {
    const fuse::held now{one};
    return item{a.number() + b.number()};
  };
}
auto is_even_until(fuse& one) {
  return [&one](const item& x) {
    const fuse::held now{one};
    return x.number() % 2 == 0;
  };
}
auto copy_until(fuse& one) {
  return [&one](const item& x) {
    const fuse::held now{one};
    return item{x.number() + 1};
  };
}

TEST_P(algo_exceptions_property, loops) {
  expect_arrival(40, 1, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    filch::for_each(xs, [&](item&) { const fuse::held now{one}; }, given);
    filch::for_index(0, xs.size(), [&](std::size_t) { const fuse::held now{one}; }, given);
  });
  expect_arrival(41, 2, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    filch::transform(xs, xs.begin(), copy_until(one), given);
    const auto three = [&] {
      const fuse::held now{one};
      return item{3};
    };
    filch::generate(xs, three, given);
  });
}

TEST_P(algo_exceptions_property, reductions) {
  expect_arrival(42, 2, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    (void)filch::transform_reduce(xs, item{}, sum_until(one), copy_until(one), given);
  });
  expect_arrival(43, 3, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    const auto left = [&](const item& a, const item&) {
      const fuse::held now{one};
      return a;
    };
    (void)filch::transform_reduce(xs, xs, item{}, sum_until(one), left, given);
    (void)filch::count_if(xs, is_even_until(one), given);
    (void)filch::minmax_element(xs, less_until(one), given);
  });
}

TEST_P(algo_exceptions_property, searches) {
  expect_arrival(44, 3, [](std::vector<item>& xs, fuse& one, filch::hint given) {
    const auto is_seven = [&](const item& x) {
      const fuse::held now{one};
      return x.number() == 7;
    };
    const auto are_same = [&](const item& a, const item& b) {
      const fuse::held now{one};
      return a.number() == b.number();
    };
    (void)filch::find_if(xs, is_seven, given);
    (void)filch::equal(xs, xs, are_same, given);
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
      48, 1,
      [](std::vector<item>& xs, fuse& one, filch::hint given) { filch::partition(xs, is_even_until(one), given); },
      promise::all_kept);
  expect_arrival(
      49, 10, [](std::vector<item>& xs, fuse& one, filch::hint) { filch::stable_sort(xs, less_until(one)); },
      promise::all_kept);
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
      const fuse::held now{one};
      return xs[next++];
    };
    filch::pipeline(given.grain % 16 + 1, source, filch::parallel(copy_until(one)), filch::serial(copy_until(one)));
  });
}

}  // namespace
