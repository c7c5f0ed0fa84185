// pipeline: order, bounds, and an end when something throws.
#include "on_workers.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

FILCH_ON_WORKERS(pipeline);

auto counting_to(int n) {
  return [next = 0, n]() mutable -> std::optional<int> {
    if (next == n) return std::nullopt;
    return next++;
  };
}

TEST_P(pipeline, a_serial_stage_sees_all_items_in_order_one_at_a_time) {
  for (const std::size_t tokens : {std::size_t{1}, std::size_t{2}, std::size_t{8}, std::size_t{100}}) {
    std::vector<int> seen;
    std::vector<int> again;
    run([&] {
      filch::pipeline(tokens, counting_to(2000), filch::parallel([](int x) {
                        if (x % 50 == 0) algo_test::take_time();
                        return std::make_unique<int>(x);
                      }),
                      filch::serial([&](std::unique_ptr<int> x) {
                        seen.push_back(*x);
                        return x;
                      }),
                      filch::parallel([](std::unique_ptr<int> x) {
                        if (*x % 70 == 0) algo_test::take_time();
                        return std::to_string(*x);
                      }),
                      filch::serial([&](const std::string& x) { again.push_back(std::stoi(x)); }));
    });
    ASSERT_EQ(seen.size(), 2000u);
    for (std::size_t i = 0; i != seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i));
    EXPECT_EQ(again, seen);
  }
}

TEST_P(pipeline, never_more_items_than_tokens_are_on_their_way) {
  constexpr int k_tokens = 3;
  std::atomic<int> on_their_way{0};
  std::atomic<int> most{0};
  int next = 0;
  run([&] {
    filch::pipeline(
        k_tokens,
        [&]() -> std::optional<int> {
          if (next == 300) return std::nullopt;
          return next++;
        },
        filch::parallel([&](int x) {
          const int now = ++on_their_way;
          int before = most;
          while (before < now && !most.compare_exchange_weak(before, now)) {}
          if (x % 10 == 0) algo_test::take_time();
          return x;
        }),
        filch::serial([&](int) { --on_their_way; }));
  });
  EXPECT_LE(most, k_tokens);
  EXPECT_EQ(on_their_way, 0);
}

// Property: when a stage or the source throws, nothing runs any more after the call, no item is kept, and what is
// rethrown is the exception. `items` counts those alive.
TEST_P(pipeline, an_exception_anywhere_ends_it_and_leaves_no_item_behind) {
  for (int where = 0; where != 4; ++where) {
    for (const int bad : {0, 1, 50, 199}) {
      auto items = std::make_shared<int>(0);
      std::atomic<int> running{0};
      const auto step = [&](int stage, int x) {
        ++running;
        if (x % 20 == 0) algo_test::take_time();
        --running;
        if (stage == where && x == bad) throw std::runtime_error{"stage"};
      };
      struct item {
        int number;
        std::shared_ptr<int> alive;
      };
      int next = 0;
      EXPECT_THROW(run([&] {
                     filch::pipeline(
                         5,
                         [&]() -> std::optional<item> {
                           if (next == 200) return std::nullopt;
                           step(0, next);
                           return item{next++, items};
                         },
                         filch::parallel([&](item x) { return step(1, x.number), x; }),
                         filch::serial([&](item x) { return step(2, x.number), x; }),
                         filch::parallel([&](item x) { step(3, x.number); }));
                   }),
                   std::runtime_error);
      EXPECT_EQ(running, 0);
      EXPECT_EQ(items.use_count(), 1);
    }
  }
}

TEST_P(pipeline, a_range_is_a_source_and_an_empty_one_calls_nothing) {
  run([] {
    const std::vector<int> xs{1, 2, 3};
    int sum = 0;
    filch::pipeline(2, xs, filch::serial([&](int x) { sum += x; }));
    EXPECT_EQ(sum, 6);
    filch::pipeline(2, std::vector<int>{}, filch::serial([&](int) { sum = -1; }));
    EXPECT_EQ(sum, 6);
  });
}

TEST_P(pipeline, stages_may_fork) {
  std::atomic<long> sum{0};
  run([&] {
    filch::pipeline(4, counting_to(50), filch::parallel([](int x) {
                      std::vector<int> xs(1000, x);
                      filch::for_each(xs, [](int& y) { ++y; });
                      return filch::reduce(xs, 0L);
                    }),
                    filch::serial([&](long x) { sum += x; }));
  });
  EXPECT_EQ(sum, 1000L * (50 * 51 / 2));
}

// Bug: each serial stage had a place for every token from the beginning.
TEST_P(pipeline, as_many_tokens_as_there_are_numbers_take_no_memory) {
  std::vector<int> seen;
  run([&] {
    filch::pipeline(SIZE_MAX, counting_to(1000), filch::parallel([](int x) { return std::make_unique<int>(x); }),
                    filch::serial([&](std::unique_ptr<int> x) { seen.push_back(*x); }));
  });
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(pipeline_without_tokens, is_refused_with_the_value_and_what_is_allowed) {
  try {
    filch::pipeline(0, counting_to(1), filch::serial([](int) {}));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "filch::pipeline: tokens is 0; allowed are 1 and more");
  }
}

}  // namespace
