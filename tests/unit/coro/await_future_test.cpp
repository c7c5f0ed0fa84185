// Awaiting the futures of plain functions: what is held meanwhile, and what a request to stop does.
#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/coro/any.hpp>
#include <filch/coro/await_future.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/this_task.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using filch::future;
using filch::spawn;
using filch::task;

// Every number of workers, and the idle policy that sleeps at once.
class await_future : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  filch::runtime rt_{
      {.workers = std::get<0>(GetParam()), .idle = std::get<1>(GetParam()) ? filch::idle::eco : filch::idle::balanced}};
};
INSTANTIATE_TEST_SUITE_P(workers, await_future, testing::Combine(testing::Values(1u, 2u, 4u), testing::Bool()));

void wait_until(const std::atomic<int>& count, int is) {
  while (count < is) std::this_thread::yield();
}
void spin_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

task<int> result_of(future<int> awaited) { co_return co_await std::move(awaited); }

TEST_P(await_future, futures_of_plain_functions_are_awaited) {
  struct local {
    static task<int> sum(filch::runtime& rt) {
      std::vector<future<int>> all;
      for (int i = 0; i != 50; ++i) all.push_back(rt.submit([i] { return i; }));
      int got = 0;
      for (auto& each : all) got += co_await std::move(each);
      co_await rt.submit([&] { ++got; });
      co_return got;
    }
    static task<int> failing(filch::runtime& rt) {
      co_return co_await rt.submit([]() -> int { throw std::runtime_error("from the function"); });
    }
    static task<std::unique_ptr<int>> moves(filch::runtime& rt) {
      co_return co_await rt.submit([] { return std::make_unique<int>(5); });
    }
    static task<bool> refers(filch::runtime& rt, int& to) {
      int& got = co_await rt.submit([&to]() -> int& { return to; });
      co_return &got == &to;
    }
  };
  int here = 0;
  EXPECT_EQ(rt_.run(local::sum(rt_)), 1226);
  EXPECT_THROW(rt_.run(local::failing(rt_)), std::runtime_error);
  EXPECT_EQ(*rt_.run(local::moves(rt_)), 5);
  EXPECT_TRUE(rt_.run(local::refers(rt_, here)));
  EXPECT_THROW(rt_.run(result_of(future<int>{})), filch::no_state);
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

// Property: who awaits a function of another runtime resumes at its own.
TEST_P(await_future, functions_of_another_runtime_are_awaited) {
  filch::runtime other{{.workers = 2}};
  struct local {
    static task<int> both(filch::runtime& here, filch::runtime& there) {
      int right = 0;
      for (int i = 0; i != 50; ++i) {
        right += co_await there.submit([&there] { return there.is_on_worker() ? 1 : 0; });
        if (here.is_on_worker()) ++right;
      }
      co_return right;
    }
  };
  EXPECT_EQ(rt_.run(local::both(rt_, other)), 100);
  EXPECT_EQ(spawn(rt_, local::both(rt_, other)).get(), 100);
}

// Oracle: so many stacks and threads are there after many coroutines have waited at the same time as were there before.
TEST(await_future_two, a_coroutine_that_waits_holds_no_stack_and_no_thread) {
  filch::runtime rt{{.workers = 2}};
  struct local {
    static task<int> wait_for_one(filch::runtime& rt, std::atomic<int>& begun) {
      future<int> one = rt.submit_to(filch::worker_id{1}, [] { return 1; });
      ++begun;
      co_return co_await std::move(one);
    }
  };
  std::atomic<bool> may_end{false};
  std::atomic<bool> has_begun{false};
  std::atomic<int> begun{0};
  const auto holds_up = rt.submit_to(filch::worker_id{1}, [&] {
    has_begun = true;
    spin_until(may_end);
  });
  spin_until(has_begun);
  std::vector<filch::join_handle<int>> waiting;
  for (int i = 0; i != 200; ++i) waiting.push_back(spawn(rt, local::wait_for_one(rt, begun)));
  wait_until(begun, 200);
  rt.submit_to(filch::worker_id{0}, [] {}).wait();  // after the last has suspended
  EXPECT_EQ(rt.statistics().spare_threads, 0u);
  EXPECT_EQ(rt.statistics().stacks, 2u);
  may_end = true;
  int sum = 0;
  for (auto& each : waiting) sum += each.get();
  EXPECT_EQ(sum, 200);
  holds_up.wait();
}

// Property: a wait ends when its own function has, whichever others last longer.
TEST(await_future_two, waits_end_in_the_order_of_the_functions) {
  filch::runtime rt{{.workers = 2, .max_spare_threads = 0}};
  std::atomic<bool> may_end[2] = {false, false};
  future<int> first = rt.submit_to(filch::worker_id{1}, [&] { return spin_until(may_end[0]), 1; });
  future<int> second = rt.submit_to(filch::worker_id{1}, [&] { return spin_until(may_end[1]), 2; });
  auto waits_for_first = spawn(rt, result_of(std::move(first)));
  auto waits_for_second = spawn(rt, result_of(std::move(second)));
  may_end[0] = true;
  EXPECT_EQ(waits_for_first.get(), 1);
  EXPECT_FALSE(waits_for_second.is_ready());
  may_end[1] = true;
  EXPECT_EQ(waits_for_second.get(), 2);
}

TEST(await_future_two, who_is_asked_to_stop_does_not_wait_for_a_function_that_runs) {
  filch::runtime rt{{.workers = 2}};
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_end{false};
  std::atomic<bool> has_ended{false};
  auto handle = spawn(rt, result_of(rt.submit([&] {
                        has_begun = true;
                        spin_until(may_end);
                        has_ended = true;
                        return 1;
                      })));
  spin_until(has_begun);
  handle.cancel();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  EXPECT_FALSE(has_ended);
  may_end = true;
  rt.wait_idle();
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(rt.statistics().unfinished(), 0u);
}

TEST(await_future_two, a_function_that_has_not_started_does_not_when_nobody_waits_any_more) {
  filch::runtime rt{{.workers = 2}};
  std::atomic<bool> may_end{false};
  std::atomic<bool> has_begun{false};
  std::atomic<bool> has_run{false};
  rt.spawn([&] {
    has_begun = true;
    spin_until(may_end);
  });
  spin_until(has_begun);
  // The other worker runs the coroutine, and so does not take the function before the coroutine waits.
  struct local {
    static task<int> wait_for_late(filch::runtime& rt, filch::worker_id held_up, std::atomic<bool>& has_run,
                                   std::atomic<bool>& waits) {
      future<int> late = rt.submit_to(held_up, [&has_run] { return has_run = true, 1; });
      waits = true;
      co_return co_await std::move(late);
    }
    static task<filch::worker_id> where() { co_return filch::this_worker(); }
  };
  const filch::worker_id free = spawn(rt, local::where()).get();
  const filch::worker_id held_up{1 - free.value};
  std::atomic<bool> waits{false};
  auto handle = spawn(rt, local::wait_for_late(rt, held_up, has_run, waits));
  spin_until(waits);
  handle.cancel();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  may_end = true;
  rt.wait_idle();
  EXPECT_FALSE(has_run);
  EXPECT_EQ(rt.statistics().total()[filch::trace::count::cancelled], 1u);
}

TEST_P(await_future, who_was_asked_before_gets_only_what_is_there) {
  struct local {
    static task<int> late(filch::runtime& rt, std::atomic<bool>& has_begun) {
      future<int> ended = rt.submit([] { return 3; });
      while (!ended.is_ready()) co_await filch::yield();
      const std::stop_token asked = co_await filch::this_task::stop_token();
      has_begun = true;
      while (!asked.stop_requested()) std::this_thread::yield();
      const int there = co_await std::move(ended);
      try {
        // It lies in this worker's inbox, and this worker does not come to it before the coroutine waits.
        (void)co_await rt.submit_to(filch::this_worker(), [] { return 4; });
        co_return 0;
      } catch (const filch::task_cancelled&) {}
      co_return there;
    }
  };
  std::atomic<bool> has_begun{false};
  auto handle = spawn(rt_, local::late(rt_, has_begun));
  spin_until(has_begun);
  handle.cancel();
  EXPECT_EQ(handle.get(), 3);
}

TEST_P(await_future, a_function_cancelled_by_its_own_token_is_reported) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(rt_.run(result_of(rt_.submit([] { return 1; }, {.stop = source.get_token()}))), filch::task_cancelled);
}

TEST(await_future_two, a_loser_of_any_that_waits_for_a_function_ends_at_once) {
  filch::runtime rt{{.workers = 2}};
  struct local {
    static task<int> quick(const std::atomic<bool>& has_begun) {
      while (!has_begun) co_await filch::yield();
      co_return 2;
    }
    static task<int> first(future<int> slow, const std::atomic<bool>& has_begun) {
      const auto won = co_await filch::any(result_of(std::move(slow)), quick(has_begun));
      co_return won.value;
    }
  };
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_end{false};
  future<int> slow = rt.submit([&] {
    has_begun = true;
    spin_until(may_end);
    return 1;
  });
  EXPECT_EQ(spawn(rt, local::first(std::move(slow), has_begun)).get(), 2);
  may_end = true;
  rt.wait_idle();
}

// Property: whenever the request comes, each wait ends once, with the result or with task_cancelled; each function is
// run or cancelled once. Oracle: conservation, and no coroutine that hangs.
TEST_P(await_future, requests_at_any_time_lose_nobody) {
  filch::random_stream random{filch_test::test_seed()};
  std::atomic<std::uint64_t> run{0};
  std::atomic<std::uint64_t> turned{0};
  std::uint64_t submitted = 0;
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i != 40; ++i) {
    std::vector<filch::join_handle<int>> waiting;
    for (int k = 0; k != 6; ++k, ++submitted) {
      const std::uint64_t turns = random.below(3000);
      waiting.push_back(spawn(rt_, result_of(rt_.submit([&run, &turned, turns] {
                                for (std::uint64_t t = 0; t != turns; ++t) ++turned;
                                ++run;
                                return 1;
                              }))));
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds{random.below(100)};
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    for (auto& each : waiting) {
      if (random.below(3) != 0) each.cancel();
    }
    for (auto& each : waiting) {
      try {
        seen += static_cast<std::uint64_t>(each.get());
      } catch (const filch::task_cancelled&) {}
    }
  }
  rt_.wait_idle();
  EXPECT_LE(seen, run);
  EXPECT_LE(run, submitted);
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

// A coroutine that runs wherever it is called.
struct plain_coroutine {
  struct promise_type {
    plain_coroutine get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};
plain_coroutine await_into(future<int> awaited, int& into) { into = co_await std::move(awaited); }

TEST_P(await_future, coroutines_of_others_wait_too_and_block_where_there_is_no_worker) {
  int got = 0;
  await_into(rt_.submit([] { return 6; }), got);
  EXPECT_EQ(got, 6);
  int inside = 0;
  rt_.run([&] { await_into(rt_.submit([] { return 7; }), inside); });
  rt_.wait_idle();
  EXPECT_EQ(inside, 7);
}

TEST(await_future_two, a_dump_says_that_a_function_is_waited_for) {
  filch::runtime rt{{.workers = 2, .track_tasks = true}};
  std::atomic<bool> may_end{false};
  auto handle = spawn(rt, result_of(rt.submit([&] { return spin_until(may_end), 1; })), {.name = "reader"});
  while (rt.dump().find("(reader) waits for a function") == std::string::npos) std::this_thread::yield();
  may_end = true;
  EXPECT_EQ(handle.get(), 1);
}

}  // namespace
