// all: results, exceptions, ranges, and that every child runs once whoever runs it.
//
// Results are awaited into variables before a loop goes over them, and co_await stands in no conditional operator: g++
// 12 is known to handle temporaries wrongly there.
#include <filch/coro/all.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using filch::all;
using filch::task;

// Every number of workers, and the idle policy that sleeps at once.
class all_tasks : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  filch::runtime rt_{
      {.workers = std::get<0>(GetParam()), .idle = std::get<1>(GetParam()) ? filch::idle::eco : filch::idle::balanced}};
};
INSTANTIATE_TEST_SUITE_P(workers, all_tasks, testing::Combine(testing::Values(1u, 2u, 4u), testing::Bool()));

task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await all(fib(n - 1), fib(n - 2));
  co_return a + b;
}

TEST_P(all_tasks, a_tree_gives_what_the_serial_program_gives) {
  for (int i = 0; i != 5; ++i) EXPECT_EQ(rt_.run(fib(18)), 2584);
}

template <class T>
task<T> give(T value) {
  co_return value;
}
task<int&> refer(int& there) { co_return there; }
task<std::unique_ptr<int>> owned(int value) { co_return std::make_unique<int>(value); }
task<> add(std::atomic<int>& sum, int value) {
  sum += value;
  co_return;
}

TEST_P(all_tasks, results_may_be_moved_only_references_and_nothing) {
  struct local {
    static task<> several() {
      int there = 1;
      std::atomic<int> sum{0};
      auto [a, b, c, d] = co_await all(owned(7), refer(there), add(sum, 5), give(std::string(100, 'x')));
      static_assert(std::is_same_v<decltype(c), filch::nothing>);
      b = 5;
      EXPECT_EQ(*a, 7);
      EXPECT_EQ(there, 5);
      EXPECT_EQ(d.size(), 100u);
      EXPECT_EQ(sum, 5);
      co_await all(add(sum, 1), add(sum, 2), add(sum, 3));
      EXPECT_EQ(sum, 11);
      const auto [only] = co_await all(give(3));
      EXPECT_EQ(only, 3);
    }
  };
  rt_.run(local::several());
}

TEST_P(all_tasks, ranges_of_tasks_give_vectors) {
  struct local {
    static task<> ranges() {
      std::vector<task<int>> tasks;
      for (int i = 0; i != 100; ++i) tasks.push_back(give(i));
      const std::vector<int> got = co_await all(std::move(tasks));
      EXPECT_EQ(got.size(), 100u);
      for (int i = 0; i != 100; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i);

      std::atomic<int> sum{0};
      co_await all(std::views::iota(0, 10) | std::views::transform([&](int i) { return add(sum, i); }));
      EXPECT_EQ(sum, 45);

      std::array<int, 3> there{1, 2, 3};
      const std::vector<std::reference_wrapper<int>> same =
          co_await all(there | std::views::transform([](int& each) { return refer(each); }));
      for (std::size_t i = 0; i != 3; ++i) EXPECT_EQ(&same[i].get(), &there[i]);

      const std::vector<int> none = co_await all(std::vector<task<int>>{});
      EXPECT_TRUE(none.empty());
    }
  };
  rt_.run(local::ranges());
  static_assert(!filch::coro::owned_task_range<std::vector<task<int>>&>);
}

task<int> fail(const char* why, std::atomic<int>& ended) {
  ++ended;
  throw std::runtime_error(why);
  co_return 0;
}
task<int> count(std::atomic<int>& ended) {
  ++ended;
  co_return 1;
}

TEST_P(all_tasks, all_children_end_before_the_first_exception_is_rethrown) {
  struct local {
    static task<std::string> first_of_several(std::atomic<int>& ended) {
      std::string why;
      try {
        (void)co_await all(count(ended), fail("first", ended), count(ended), fail("second", ended), count(ended));
      } catch (const std::runtime_error& error) {
        why = error.what();
      }
      co_return why;
    }
    static task<std::string> first_of_many(std::atomic<int>& ended) {
      std::vector<task<int>> tasks;
      for (int i = 0; i != 20; ++i)
        tasks.push_back(i == 7 ? fail("7", ended) : i == 13 ? fail("13", ended) : count(ended));
      std::string why;
      try {
        (void)co_await all(std::move(tasks));
      } catch (const std::runtime_error& error) {
        why = error.what();
      }
      co_return why;
    }
  };
  for (int i = 0; i != 10; ++i) {
    std::atomic<int> ended{0};
    EXPECT_EQ(rt_.run(local::first_of_several(ended)), "first");
    EXPECT_EQ(ended, 5);
    EXPECT_EQ(rt_.run(local::first_of_many(ended)), "7");
    EXPECT_EQ(ended, 25);
  }
}

// Property: two children run at the same time if there are two workers. Each waits for the other, for a minute at most.
TEST_P(all_tasks, children_run_in_parallel) {
  if (std::get<0>(GetParam()) == 1) return;  // one worker runs one at a time
  struct local {
    static task<bool> meet(std::atomic<int>& there) {
      ++there;
      const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
      while (there != 2 && std::chrono::steady_clock::now() < end) {}
      co_return there == 2;
    }
    static task<bool> both(std::atomic<int>& there) {
      auto [a, b] = co_await all(meet(there), meet(there));
      co_return a&& b;
    }
  };
  for (int i = 0; i != 20; ++i) {
    std::atomic<int> there{0};
    EXPECT_TRUE(rt_.run(local::both(there)));
  }
}

task<long> tree(int depth, int width) {
  if (depth == 0) co_return 1;
  std::vector<task<long>> children;
  for (int i = 0; i != width; ++i) children.push_back(tree(depth - 1, width));
  const std::vector<long> counts = co_await all(std::move(children));
  long sum = 0;
  for (const long each : counts) sum += each;
  co_return sum;
}

// Oracle: conservation. What was spawned was executed, and nothing is left.
TEST_P(all_tasks, the_books_balance_when_everything_is_done) {
  EXPECT_EQ(rt_.run(tree(4, 6)), 1296);
  EXPECT_EQ(rt_.run(fib(15)), 610);
  rt_.wait_idle();
  const auto stats = rt_.statistics();
  EXPECT_EQ(stats.unfinished(), 0u);
  const auto total = stats.total();
  EXPECT_EQ(total[filch::trace::count::spawned] + stats.submitted_outside, total[filch::trace::count::executed]);
}

TEST_P(all_tasks, many_roots_run_at_the_same_time) {
  std::vector<filch::future<long>> roots;
  for (int i = 0; i != 50; ++i) roots.push_back(rt_.submit(fib(10)));
  for (auto& each : roots) EXPECT_EQ(each.get(), 55);
}

}  // namespace
