// yield, on, and awaiting the futures of plain functions.
#include <filch/coro/all.hpp>
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
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> who) const noexcept { return filch::coro::pause_if_spent(who); }
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
  EXPECT_EQ(rt_.run(local::nowhere()),
            "filch: on worker 77: allowed is 0 to " + std::to_string(GetParam() - 1));
}

TEST_P(switching, futures_of_plain_functions_are_awaited) {
  struct local {
    static task<int> sum(filch::runtime& rt) {
      std::vector<filch::future<int>> all;
      for (int i = 0; i != 50; ++i) all.push_back(rt.submit([i] { return i; }));
      int got = 0;
      for (auto& each : all) got += co_await std::move(each);
      co_await rt.submit([&] { ++got; });
      co_return got;
    }
    static task<int> failing(filch::runtime& rt) {
      co_return co_await rt.submit([]() -> int { throw std::runtime_error("from the function"); });
    }
  };
  EXPECT_EQ(rt_.run(local::sum(rt_)), 1226);
  EXPECT_THROW(rt_.run(local::failing(rt_)), std::runtime_error);
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
