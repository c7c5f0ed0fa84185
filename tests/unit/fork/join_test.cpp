// join: results, exceptions, depth, and joins among blocking calls, with few and with many workers.
#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>

namespace {

using filch::join;

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// Every number of workers, and the idle policy that sleeps at once.
class joining : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  filch::runtime rt_{
      {.workers = std::get<0>(GetParam()), .idle = std::get<1>(GetParam()) ? filch::idle::eco : filch::idle::balanced}};
};
INSTANTIATE_TEST_SUITE_P(workers, joining, testing::Combine(testing::Values(1u, 2u, 4u, 8u), testing::Bool()));

TEST_P(joining, a_tree_of_joins_gives_what_the_serial_program_gives) {
  for (int i = 0; i != 5; ++i) EXPECT_EQ(rt_.run([] { return fib(20); }), 6765);
}

// Bug: a small function that is trivially copyable was copied, although its type may only be moved.
struct moved_only {
  explicit moved_only(int x) : value{x} {}
  moved_only(moved_only&&) = default;
  moved_only& operator=(moved_only&&) = default;
  int value;
};
TEST_P(joining, functions_may_be_moved_only) {
  rt_.run([] {
    const auto [a, b, c] =
        join([h = moved_only{3}] { return h.value; }, [h = moved_only{4}] { return moved_only{h.value}; },
             [h = std::make_unique<int>(5)] { return *h; });
    EXPECT_EQ(a, 3);
    EXPECT_EQ(b.value, 4);
    EXPECT_EQ(c, 5);
  });
}

TEST_P(joining, results_may_be_moved_only_references_and_nothing) {
  rt_.run([] {
    int there = 1;
    auto [a, b, c, d] = join([] { return std::make_unique<int>(7); }, [&]() -> int& { return there; },
                             [&] { there = 2; }, [] { return std::string(100, 'x'); });
    static_assert(std::is_same_v<decltype(c), filch::nothing>);
    b = 5;
    EXPECT_EQ(*a, 7);
    EXPECT_EQ(there, 5);
    EXPECT_EQ(d.size(), 100u);
    static_assert(std::is_void_v<decltype(join([] {}, [] {}))>);
  });
}

// Leaves long enough to be taken: the same results through the hands of thieves.
TEST_P(joining, results_of_children_that_were_taken_arrive) {
  rt_.run([] {
    const auto slowly = [](auto value) {
      std::this_thread::sleep_for(std::chrono::microseconds{300});
      return value;
    };
    for (int i = 0; i != 20; ++i) {
      int there = 0;
      auto [a, b, c, d] =
          join([&] { return slowly(std::make_unique<int>(i)); }, [&]() -> int& { return slowly(0), there; },
               [&] { return slowly(std::string(50, 'y')); }, [&] { (void)slowly(0); });
      EXPECT_EQ(*a, i);
      EXPECT_EQ(&b, &there);
      EXPECT_EQ(c.size(), 50u);
      (void)d;
    }
  });
}

TEST_P(joining, all_end_and_the_first_exception_in_the_order_of_arguments_is_rethrown) {
  for (int i = 0; i != 50; ++i) {
    std::atomic<int> ended{0};
    const auto fail = [&](const char* text, int delay_us) {
      if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds{delay_us});
      ++ended;
      throw std::runtime_error{text};
    };
    std::string caught;
    rt_.run([&] {
      try {
        join([&] { ++ended; }, [&] { fail("second", 200); }, [&] { fail("third", 0); }, [&] { ++ended; });
      } catch (const std::runtime_error& error) {
        caught = error.what();
      }
    });
    EXPECT_EQ(caught, "second");
    EXPECT_EQ(ended, 4);
  }
}

// A tree some of whose leaves fail, one in `every`.
template <class Result>
Result failing_tree(std::atomic<int>& leaves, int first, int count, int every) {
  if (count == 1) {
    ++leaves;
    if (first % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds{20});
    if (first % every == every - 1) throw first;
    return Result();
  }
  const int half = count / 2;
  (void)join(
      [&leaves, first, half, every] { return failing_tree<Result>(leaves, first, half, every); },
      [&leaves, first, half, count, every] { return failing_tree<Result>(leaves, first + half, count - half, every); });
  return Result();
}

TEST_P(joining, in_a_tree_with_many_failures_all_leaves_run_and_the_first_failure_is_rethrown) {
  const auto first_failure = [&](auto tree, std::atomic<int>& leaves, int every) {
    return rt_.run([&] {
      try {
        (void)tree(leaves, 0, 200, every);
      } catch (int number) {
        return number;
      }
      return -1;
    });
  };
  for (const int every : {2, 5, 17, 150, 1000}) {
    for (int i = 0; i != 5; ++i) {
      std::atomic<int> leaves{0};
      EXPECT_EQ(first_failure(&failing_tree<int>, leaves, every), every == 1000 ? -1 : every - 1);
      EXPECT_EQ(leaves, 200);
      EXPECT_EQ(first_failure(&failing_tree<std::string>, leaves, every), every == 1000 ? -1 : every - 1);
      EXPECT_EQ(leaves, 400);
    }
  }
}

TEST_P(joining, a_join_inside_a_handler_keeps_the_exception_that_is_handled) {
  rt_.run([] {
    for (int i = 0; i != 20; ++i) {
      try {
        throw i;
      } catch (...) {
        EXPECT_EQ(fib(12), 144);
        join([] { std::this_thread::sleep_for(std::chrono::microseconds{50}); },
             [] { std::this_thread::sleep_for(std::chrono::microseconds{200}); });
        try {
          throw;
        } catch (int value) {
          EXPECT_EQ(value, i);
        }
      }
    }
  });
}

// Joins, blocking calls and futures below each other: stacks change workers and threads at every turn.
long mixed(filch::runtime& rt, int n) {
  if (n < 2) return n;
  const auto [a, b] = join(
      [&] {
        if (n % 5 == 0) filch::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds{20}); });
        return mixed(rt, n - 1);
      },
      [&, n] {
        if (n % 4 == 0) return rt.submit([&rt, n] { return mixed(rt, n - 2); }).get();
        return filch::blocking([&] { return n % 7 == 0 ? mixed(rt, n - 2) : -1; }) >= 0 ? mixed(rt, n - 2)
                                                                                        : mixed(rt, n - 2);
      });
  return a + b;
}

TEST_P(joining, joins_mix_with_blocking_calls_and_futures) {
  EXPECT_EQ(rt_.run([&] { return mixed(rt_, 13); }), 233);
}

TEST_P(joining, everything_is_counted_and_nothing_is_left) {
  EXPECT_EQ(rt_.run([] { return fib(18); }), 2584);
  rt_.wait_idle();
  const auto stats = rt_.statistics();
  EXPECT_EQ(stats.unfinished(), 0u);
  EXPECT_EQ(stats.total()[filch::trace::count::suspends], stats.total()[filch::trace::count::resumes]);
}

// A task that helps while it waits, because no spare thread may stand in.
TEST(join, without_spare_threads_waits_inside_joins_still_end) {
  filch::runtime rt{{.workers = 2, .max_spare_threads = 0}};
  for (int i = 0; i != 10; ++i) EXPECT_EQ(rt.run([&] { return mixed(rt, 11); }), 89);
}

TEST(join, outside_a_runtime_goes_through_the_default_runtime) {
  EXPECT_EQ(fib(15), 610);
  EXPECT_THROW(join([] { throw 1; }, [] {}), int);
  join([] {}, [] {});
}

TEST(join, works_in_the_hook_that_starts_a_thread) {
  std::atomic<long> sum{0};
  {
    filch::runtime rt{{.workers = 2, .on_thread_start = [&](filch::worker_id) { sum += fib(5); }}};
    rt.run([] {});
    while (sum != 10) std::this_thread::yield();  // a thread that comes when all is over starts nothing
  }
  EXPECT_EQ(sum, 10);
}

TEST(join, a_deadline_of_a_shutdown_cancels_no_child_of_a_running_task) {
  filch::runtime rt{{.workers = 2}};
  std::atomic<bool> has_started{false};
  auto result = rt.submit([&] {
    has_started = true;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    return fib(18);
  });
  while (!has_started) std::this_thread::yield();
  (void)rt.shutdown(std::chrono::milliseconds{1});
  EXPECT_EQ(result.get(), 2584);
}

}  // namespace
