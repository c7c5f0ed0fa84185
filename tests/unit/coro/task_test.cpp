// task: results, exceptions, laziness, and waiting for one on a worker and elsewhere.
#include <filch/coro/task.hpp>
#include <filch/coro/all.hpp>
#include <filch/fork/join.hpp>
#include <filch/fork/stay_on_thread.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace {

using filch::task;

class tasks : public testing::TestWithParam<unsigned> {
 protected:
  filch::runtime rt_{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(workers, tasks, testing::Values(1u, 2u, 4u));

task<int> seven() { co_return 7; }
task<> nothing_at_all() { co_return; }
task<std::unique_ptr<int>> owned(int value) { co_return std::make_unique<int>(value); }
task<int&> same(int& there) { co_return there; }
task<const std::string> constant() { co_return "constant"; }
task<int> failing() {
  throw std::runtime_error("from the task");
  co_return 0;
}
task<> failing_with_nothing() {
  throw std::runtime_error("from the task");
  co_return;
}

TEST_P(tasks, a_task_gives_its_result_to_an_outside_thread) {
  EXPECT_EQ(rt_.run(seven()), 7);
  EXPECT_EQ(rt_.submit(seven()).get(), 7);
  rt_.run(nothing_at_all());
  EXPECT_EQ(*rt_.run(owned(3)), 3);
  EXPECT_EQ(rt_.run(constant()), "constant");
  int there = 1;
  static_assert(std::is_same_v<decltype(rt_.run(same(there))), int&>);
  EXPECT_EQ(&rt_.run(same(there)), &there);
}

TEST_P(tasks, results_pass_through_awaits) {
  struct chain {
    static task<int> sum(int& there) {
      co_await nothing_at_all();
      int& got = co_await same(there);
      got += 1;
      std::unique_ptr<int> three = co_await owned(3);
      co_return got + *three + co_await seven();
    }
  };
  int there = 10;
  EXPECT_EQ(rt_.run(chain::sum(there)), 21);
  EXPECT_EQ(there, 11);
}

TEST_P(tasks, an_exception_arrives_where_the_task_is_awaited_or_waited_for) {
  struct chain {
    static task<std::string> caught() {
      std::string text;
      try {
        (void)co_await failing();
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      co_return text;
    }
    static task<int> passed_on() { co_return 1 + co_await failing(); }
  };
  EXPECT_EQ(rt_.run(chain::caught()), "from the task");
  EXPECT_THROW(rt_.run(chain::passed_on()), std::runtime_error);
  EXPECT_THROW(rt_.run(failing_with_nothing()), std::runtime_error);
  EXPECT_EQ(rt_.run(seven()), 7);
}

TEST_P(tasks, a_task_that_nobody_starts_does_not_run_and_destroys_its_arguments) {
  const auto counted = std::make_shared<int>(0);
  struct local {
    static task<> count(std::shared_ptr<int> in) {
      ++*in;
      co_return;
    }
  };
  {
    const task<> unused = local::count(counted);
    EXPECT_EQ(counted.use_count(), 2);
  }
  EXPECT_EQ(counted.use_count(), 1);
  EXPECT_EQ(*counted, 0);
  rt_.run(local::count(counted));
  EXPECT_EQ(counted.use_count(), 1);
  EXPECT_EQ(*counted, 1);
}

TEST_P(tasks, a_task_runs_on_a_worker) {
  struct local {
    static task<filch::worker_id> where() { co_return filch::this_worker(); }
  };
  EXPECT_TRUE(rt_.run(local::where()).is_some());
  EXPECT_FALSE(filch::this_worker().is_some());
  EXPECT_TRUE(filch::wait(local::where()).is_some());
}

TEST_P(tasks, a_task_is_waited_for_on_a_worker) {
  EXPECT_EQ(rt_.run([] { return filch::wait(seven()) + filch::wait(seven()); }), 14);
  struct local {
    static task<int> nested() { co_return filch::wait(seven()) + 1; }
  };
  EXPECT_EQ(rt_.run(local::nested()), 8);
  EXPECT_THROW(rt_.run([] { return filch::wait(failing()); }), std::runtime_error);
}

long joined(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return joined(n - 1); }, [n] { return joined(n - 2); });
  return a + b;
}

TEST_P(tasks, plain_joins_work_inside_tasks_and_tasks_inside_plain_joins) {
  struct local {
    static task<long> outer(int n) {
      if (n < 12) co_return joined(n);
      auto [a, b] = co_await filch::all(outer(n - 1), outer(n - 2));
      co_return a + b;
    }
  };
  EXPECT_EQ(rt_.run(local::outer(20)), 6765);
  EXPECT_EQ(rt_.run([] {
    const auto [a, b] =
        filch::join([] { return filch::wait(local::outer(18)); }, [] { return filch::wait(local::outer(17)); });
    return a + b;
  }),
            6765 - 2584);
}

// Property: a stack that handles an exception while it waits resumes with it on whichever thread. The first function
// throws when the second was taken, so the join waits inside a handler.
TEST_P(tasks, a_join_in_a_task_rethrows_what_it_held_while_it_waited) {
  if (GetParam() == 1) return;  // nobody takes the second function
  struct local {
    static task<> join_and_fail() {
      std::atomic<bool> is_taken{false};
      filch::join(
          [&] {
            const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
            while (!is_taken && std::chrono::steady_clock::now() < end) {}
            throw std::runtime_error("from the first");
          },
          [&] {
            is_taken = true;
            std::this_thread::sleep_for(std::chrono::microseconds{50});
          });
      co_return;
    }
  };
  for (int i = 0; i != 200; ++i) EXPECT_THROW(rt_.run(local::join_and_fail()), std::runtime_error);
}

TEST_P(tasks, a_stack_that_stays_on_its_thread_waits_there) {
  struct local {
    static task<long> fib(int n) {
      if (n < 2) co_return n;
      auto [a, b] = co_await filch::all(fib(n - 1), fib(n - 2));
      co_return a + b;
    }
  };
  for (int i = 0; i != 20; ++i) {
    EXPECT_TRUE(rt_.run([] {
      const filch::stay_on_thread here;
      const auto before = std::this_thread::get_id();
      const bool is_right = filch::wait(local::fib(15)) == 610;
      return is_right && std::this_thread::get_id() == before;
    }));
  }
}

TEST(task_type, a_task_that_was_moved_from_says_so) {
  task<int> first = seven();
  task<int> second = std::move(first);
  EXPECT_FALSE(first.valid());
  EXPECT_TRUE(second.valid());
  EXPECT_THROW((void)filch::wait(std::move(first)), filch::usage_error);
  first = std::move(second);
  EXPECT_EQ(filch::wait(std::move(first)), 7);
  static_assert(!std::is_copy_constructible_v<task<int>>);
}

// Property: awaiting needs no stack, also where g++ makes calls of the transfers: without optimisation, and for
// sanitizers.
TEST_P(tasks, a_loop_of_awaits_and_a_deep_chain_of_awaits_need_no_stack) {
  constexpr int k_awaits = 1'000'000;
  struct local {
    static task<long> loop(int n) {
      long sum = 0;
      for (int i = 0; i != n; ++i) sum += co_await seven();
      co_return sum;
    }
    static task<long> pairs(int n) {
      long sum = 0;
      for (int i = 0; i != n; ++i) {
        const auto [a, b] = co_await filch::all(seven(), seven());
        sum += a + b;
      }
      co_return sum;
    }
    static task<long> chain(int n) {
      if (n == 0) co_return 0;
      co_return 1 + co_await chain(n - 1);
    }
  };
  EXPECT_EQ(rt_.run(local::loop(k_awaits)), 7L * k_awaits);
  EXPECT_EQ(rt_.run(local::pairs(k_awaits / 10)), 14L * k_awaits / 10);
  EXPECT_EQ(rt_.run(local::chain(k_awaits / 10)), k_awaits / 10);
}

}  // namespace
