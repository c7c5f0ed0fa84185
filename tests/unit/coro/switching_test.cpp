// yield and on.
#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/budget.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/trace/session.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using filch::task;

class switching : public testing::TestWithParam<unsigned> {
 protected:
  filch::runtime rt_{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(workers, switching, testing::Values(1u, 2u, 4u));

// Property: on one worker two coroutines that yield take turns, so neither is more than a few turns ahead.
TEST(switching_one, who_yields_lets_the_other_run) {
  filch::runtime rt{{.workers = 1}};
  struct local {
    static task<int> count(int& mine, const int& others) {
      int lead = 0;
      for (; mine != 1000; ++mine) {
        if (others != 0 && others != 1000 && mine - others > lead) lead = mine - others;
        co_await filch::yield();
      }
      co_return lead;
    }
    static task<int> both() {
      int a = 0;
      int b = 0;
      auto [x, y] = co_await filch::all(count(a, b), count(b, a));
      co_return x > y ? x : y;
    }
  };
  EXPECT_LE(rt.run(local::both()), 3);
}

// An operation that is always ready.
struct ready_operation {
  [[nodiscard]] bool await_ready() const noexcept { return filch::coro::has_budget(); }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> who) const noexcept {
    return filch::coro::pause_if_spent(who);
  }
  void await_resume() const noexcept {}
};

// Property: on one worker a coroutine whose operations are always ready lets others run after some of them.
TEST(switching_one, who_never_has_to_wait_lets_others_run_when_its_budget_is_spent) {
  filch::runtime rt{{.workers = 1}};
  struct local {
    static task<int> never_waits(bool& is_told) {
      int operations = 0;
      for (; !is_told && operations != 100'000; ++operations) co_await ready_operation{};
      co_return operations;
    }
    static task<> tell(bool& is_told) {
      is_told = true;
      co_return;
    }
    static task<int> both() {
      bool is_told = false;
      auto [count, none] = co_await filch::all(never_waits(is_told), tell(is_told));
      auto [none_again, again] = co_await filch::all(tell(is_told = false), never_waits(is_told));
      co_return count > again ? count : again;
    }
  };
  EXPECT_LE(rt.run(local::both()), 200);
}

TEST_P(switching, many_yields_lose_nobody) {
  struct local {
    static task<long> turns(int n) {
      long sum = 0;
      for (int i = 0; i != n; ++i) {
        co_await filch::yield();
        ++sum;
      }
      co_return sum;
    }
    static task<long> many() {
      std::vector<task<long>> each;
      for (int i = 0; i != 20; ++i) each.push_back(turns(200));
      long sum = 0;
      const std::vector<long> counts = co_await filch::all(std::move(each));
      for (const long count : counts) sum += count;
      co_return sum;
    }
  };
  EXPECT_EQ(rt_.run(local::many()), 4000);
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

TEST_P(switching, a_coroutine_goes_on_at_the_worker_it_names) {
  struct local {
    static task<int> visit_all(unsigned workers) {
      int right = 0;
      for (unsigned turn = 0; turn != 10 * workers; ++turn) {
        const filch::worker_id there{turn % workers};
        co_await filch::on(there);
        if (filch::this_worker() == there) ++right;
      }
      co_return right;
    }
    static task<std::string> nowhere() {
      std::string why;
      try {
        co_await filch::on(filch::worker_id{77});
      } catch (const std::invalid_argument& error) {
        why = error.what();
      }
      co_return why;
    }
  };
  EXPECT_EQ(rt_.run(local::visit_all(GetParam())), static_cast<int>(10 * GetParam()));
  EXPECT_EQ(rt_.run(local::nowhere()), "filch: on worker 77: allowed is 0 to " + std::to_string(GetParam() - 1));
}

// Oracle: the books of both runtimes, and where the coroutine finds itself.
TEST_P(switching, a_spawned_task_goes_to_another_runtime_and_back) {
  filch::runtime other{{.workers = 2}};
  struct local {
    static task<int> travel(filch::runtime& here, filch::runtime& there, int turns) {
      int right = 0;
      for (int i = 0; i != turns; ++i) {
        co_await filch::on(there);
        if (there.is_on_worker()) ++right;
        co_await filch::yield();
        if (there.is_on_worker()) ++right;
        co_await filch::on(here);
        co_await filch::on(here);
        if (here.is_on_worker()) ++right;
      }
      co_return right;
    }
    static task<bool> awaits(filch::runtime& here, filch::runtime& there) {
      const int right = co_await filch::spawn(travel(here, there, 20));
      co_return right == 60 && here.is_on_worker();
    }
  };
  std::vector<filch::join_handle<bool>> handles;
  for (int i = 0; i != 10; ++i) handles.push_back(filch::spawn(rt_, local::awaits(rt_, other)));
  for (auto& each : handles) EXPECT_TRUE(each.get());
  rt_.wait_idle();
  other.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
  EXPECT_EQ(other.statistics().unfinished(), 0u);
}

// Property: the runtime that a task has gone to waits for it, the one that it left does not.
TEST_P(switching, the_books_of_both_runtimes_are_exact) {
  filch::runtime other{{.workers = 1}};
  struct local {
    static task<> stay(filch::runtime& there, std::atomic<bool>& has_come, const std::atomic<bool>& may_end) {
      co_await filch::on(there);
      has_come = true;
      while (!may_end) co_await filch::yield();
    }
  };
  std::atomic<bool> has_come{false};
  std::atomic<bool> may_end{false};
  auto handle = filch::spawn(rt_, local::stay(other, has_come, may_end));
  while (!has_come) std::this_thread::yield();
  rt_.wait_idle();
  EXPECT_FALSE(other.wait_idle_for(std::chrono::milliseconds{5}));
  may_end = true;
  other.wait_idle();
  EXPECT_TRUE(handle.is_ready());
  handle.get();
}

TEST_P(switching, who_may_not_go_to_another_runtime_is_told_so) {
  filch::runtime other{{.workers = 1}};
  filch::runtime closed{{.workers = 1}};
  closed.shutdown();
  struct local {
    static task<> go(filch::runtime& there) { co_await filch::on(there); }
    static task<> is_awaited(filch::runtime& there) { co_await go(there); }
  };
  EXPECT_THROW(rt_.run(local::go(other)), filch::usage_error);
  EXPECT_THROW(filch::spawn(rt_, local::is_awaited(other)).get(), filch::usage_error);
  EXPECT_THROW(filch::spawn(rt_, local::go(closed)).get(), filch::usage_error);
  rt_.wait_idle();
}

// Property: who awaits a task of another runtime resumes at its own, and holds no stack meanwhile.
TEST_P(switching, tasks_of_another_runtime_are_awaited) {
  filch::runtime other{{.workers = 2}};
  struct local {
    static task<int> there(filch::runtime& at) {
      co_await filch::yield();
      co_return at.is_on_worker() ? 1 : 0;
    }
    static task<int> both(filch::runtime& here, filch::runtime& at) {
      int right = 0;
      for (int i = 0; i != 50; ++i) {
        right += co_await filch::spawn(at, there(at));
        if (here.is_on_worker()) ++right;
      }
      co_return right;
    }
  };
  EXPECT_EQ(rt_.run(local::both(rt_, other)), 100);
}

TEST_P(switching, blocking_calls_inside_coroutines_hold_no_worker) {
  struct local {
    static task<int> sleep_a_little() {
      filch::blocking([] { std::this_thread::sleep_for(std::chrono::milliseconds{1}); });
      co_return filch::this_worker().is_some() ? 1 : 0;
    }
    static task<int> many() {
      std::vector<task<int>> each;
      for (int i = 0; i != 20; ++i) each.push_back(sleep_a_little());
      int sum = 0;
      const std::vector<int> counts = co_await filch::all(std::move(each));
      for (const int count : counts) sum += count;
      co_return sum;
    }
  };
  EXPECT_EQ(rt_.run(local::many()), 20);
}

}  // namespace
