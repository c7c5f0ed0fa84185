// Time limits, intervals and the timer beneath them. No test says how long anything may take.
#include <filch/coro/all.hpp>
#include <filch/coro/any.hpp>
#include <filch/coro/await_future.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/stream.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task_group.hpp>
#include <filch/coro/this_task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sync/event.hpp>
#include <filch/time/interval.hpp>
#include <filch/time/timeout.hpp>
#include <filch/time/timer.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using filch::missed_ticks;
using filch::time_ns;

filch::task<int> gives(int value) {
  co_await filch::yield();
  co_return value;
}

filch::task<int> sleeps_long(std::atomic<int>& ended) {
  struct note {
    std::atomic<int>& count;
    ~note() { ++count; }
  } const at_end{ended};
  co_await filch::sleep_for(1h);
  co_return 1;
}

class timeout_on : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{{.workers = GetParam(), .idle = filch::idle::eco}};
  std::atomic<int> ended_{0};
};
INSTANTIATE_TEST_SUITE_P(workers, timeout_on, testing::Values(1u, 2u));

TEST_P(timeout_on, a_task_that_ends_in_time_gives_its_result) {
  EXPECT_EQ(rt_.run(filch::timeout(gives(7), 1h)), 7);
  EXPECT_EQ(rt_.run(filch::try_timeout(gives(8), 1h)), std::optional{8});
  EXPECT_NE(rt_.dump().find("timers: 0 pending"), std::string::npos);
}

TEST_P(timeout_on, results_of_every_kind_pass) {
  int there = 5;
  const auto refers = [](int& what) -> filch::task<int&> { co_return what; };
  const auto moves = []() -> filch::task<std::unique_ptr<int>> { co_return std::make_unique<int>(6); };
  const auto nothing = []() -> filch::task<> { co_return; };
  EXPECT_EQ(&rt_.run(filch::timeout(refers(there), 1h)), &there);
  EXPECT_EQ(&rt_.run(filch::try_timeout(refers(there), 1h))->get(), &there);
  EXPECT_EQ(*rt_.run(filch::timeout(moves(), 1h)), 6);
  rt_.run(filch::timeout(nothing(), 1h));
  EXPECT_TRUE(rt_.run(filch::try_timeout(nothing(), 1h)).has_value());
}

TEST_P(timeout_on, a_task_that_takes_too_long_is_cancelled_and_awaited) {
  EXPECT_THROW(rt_.run(filch::timeout(sleeps_long(ended_), 1ms)), filch::timed_out);
  EXPECT_EQ(ended_.load(), 1);
  EXPECT_FALSE(rt_.run(filch::try_timeout(sleeps_long(ended_), 1ms)).has_value());
  EXPECT_EQ(ended_.load(), 2);
}

TEST_P(timeout_on, a_time_that_is_over_at_once_cancels_too) {
  EXPECT_FALSE(rt_.run(filch::try_timeout(sleeps_long(ended_), 0ms)).has_value());
  EXPECT_FALSE(rt_.run(filch::try_timeout(sleeps_long(ended_), -1h)).has_value());
}

// A callback at the token of a task whose time is over waits, by each of the ways to wait, and everything else resumes:
// what it waits for, other timers, plain tasks. With two workers: the task, which is at its end meanwhile, holds one.
class timeout_told : public testing::TestWithParam<int> {
 protected:
  filch::runtime rt_{{.workers = 2}};
};
INSTANTIATE_TEST_SUITE_P(ways, timeout_told, testing::Range(0, 4));

TEST_P(timeout_told, a_callback_may_wait) {
  filch::manual_event has_begun;
  filch::manual_event may_end;
  std::atomic<bool> has_waited{false};
  const auto wait = [&] {
    struct local {
      static filch::task<> naps() { co_await filch::sleep_for(100us); }
    };
    has_begun.set();
    switch (GetParam()) {
      case 0:
        filch::wait(filch::sleep_for(100us));
        break;
      case 1:
        filch::spawn(rt_, local::naps()).get();
        break;
      case 2:
        rt_.submit([] {}).get();
        break;
      default:
        may_end.wait();
        break;
    }
    has_waited = true;
  };
  const auto listens = [&]() -> filch::task<> {
    const std::stop_token asked = co_await filch::this_task::stop_token();
    const std::stop_callback at_request{asked, wait};
    co_await filch::sleep_for(1h);
  };
  auto limited = filch::spawn(rt_, filch::try_timeout(listens(), 1ms));
  has_begun.wait();
  if (GetParam() == 3) {
    EXPECT_EQ(rt_.submit([] { return 1; }).get(), 1);
    EXPECT_EQ(filch::spawn(rt_, gives(2)).get(), 2);
    rt_.run([] { filch::wait(filch::sleep_for(100us)); });
    EXPECT_FALSE(has_waited);
    may_end.set();
  }
  EXPECT_FALSE(limited.get());
  EXPECT_TRUE(has_waited);
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

// It sees the request between two of its steps, and none of them waits.
TEST_P(timeout_on, a_group_ends_with_its_limit_and_all_its_members) {
  const auto body = [this](filch::task_group& members) -> filch::task<> {
    struct local {
      static filch::task<> member(std::atomic<int>& ended) { (void)co_await sleeps_long(ended); }
    };
    for (int i = 0; i != 3; ++i) members.spawn(local::member(ended_));
    co_await local::member(ended_);
  };
  EXPECT_THROW(rt_.run(filch::timeout(filch::async_scope(body), 5ms)), filch::timed_out);
  EXPECT_LE(ended_, 4);  // those that had not started do not
  EXPECT_GE(ended_, 1);
  rt_.wait_idle();
}

TEST_P(timeout_on, a_stream_that_is_late_is_at_its_end) {
  struct local {
    static filch::async_stream<int> stops_giving(std::atomic<int>& ended) {
      co_yield 1;
      co_yield co_await sleeps_long(ended);
    }
    static filch::task<int> next_of(filch::async_stream<int>& from) {
      const auto got = co_await from.next();
      co_return got.value_or(-1);
    }
    static filch::task<int> ask(std::atomic<int>& ended) {
      auto from = stops_giving(ended);
      int seen = co_await filch::timeout(next_of(from), 1h);
      const auto late = co_await filch::try_timeout(next_of(from), 5ms);
      if (!late) seen += 10;
      co_return seen + co_await next_of(from);
    }
  };
  EXPECT_EQ(rt_.run(local::ask(ended_)), 10);
  EXPECT_EQ(ended_, 1);
}

TEST(timeout, who_waits_for_a_function_does_so_within_its_limit) {
  filch::runtime rt{{.workers = 2}};
  struct local {
    static filch::task<int> result_of(filch::future<int> awaited) { co_return co_await std::move(awaited); }
  };
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_end{false};
  auto slow = rt.submit([&] {
    has_begun = true;
    while (!may_end) std::this_thread::yield();
    return 1;
  });
  while (!has_begun) std::this_thread::yield();
  EXPECT_THROW(rt.run(filch::timeout(local::result_of(std::move(slow)), 5ms)), filch::timed_out);
  may_end = true;
  rt.wait_idle();
}

TEST_P(timeout_on, a_task_that_succeeds_all_the_same_has_succeeded) {
  const auto stubborn = []() -> filch::task<int> {
    const std::stop_token stop = co_await filch::this_task::stop_token();
    while (!stop.stop_requested()) filch::wait(filch::sleep_for(50us));
    co_return 3;
  };
  EXPECT_EQ(rt_.run(filch::try_timeout(stubborn(), 1ms)), std::optional{3});
  EXPECT_EQ(rt_.run(filch::timeout(stubborn(), 1ms)), 3);
}

TEST_P(timeout_on, an_exception_of_the_task_passes) {
  const auto fails = []() -> filch::task<int> {
    co_await filch::yield();
    throw std::runtime_error("broken");
  };
  EXPECT_THROW(rt_.run(filch::timeout(fails(), 1h)), std::runtime_error);
}

TEST_P(timeout_on, the_shorter_of_two_nested_limits_counts) {
  EXPECT_THROW(rt_.run(filch::timeout(filch::timeout(sleeps_long(ended_), 1h), 1ms)), filch::timed_out);
  EXPECT_THROW(rt_.run(filch::timeout(filch::timeout(sleeps_long(ended_), 1ms), 1h)), filch::timed_out);
  EXPECT_EQ(ended_.load(), 2);
}

// Who loses may not even have started; but whoever has started has ended.
TEST_P(timeout_on, limits_are_tasks_and_join_others) {
  std::atomic<int> started{0};
  const auto sleeps = [&]() -> filch::task<int> {
    ++started;
    co_return co_await sleeps_long(ended_);
  };
  const auto both = [&]() -> filch::task<int> {
    auto [a, b] = co_await filch::all(filch::timeout(gives(1), 1h), filch::try_timeout(sleeps(), 1ms));
    const auto first = co_await filch::any(filch::timeout(sleeps(), 1h), gives(20));
    co_return a + b.value_or(300) + static_cast<int>(first.value);
  };
  EXPECT_EQ(rt_.run(both()), 321);
  EXPECT_EQ(ended_.load(), started.load());
}

TEST_P(timeout_on, a_task_that_is_asked_to_stop_wakes_from_its_sleep) {
  auto sleeper = filch::spawn(rt_, sleeps_long(ended_));
  while (rt_.dump().find("timers: 1 pending") == std::string::npos) std::this_thread::yield();
  sleeper.cancel();
  EXPECT_THROW(sleeper.get(), filch::task_cancelled);
  EXPECT_EQ(ended_.load(), 1);
}

TEST_P(timeout_on, a_limit_whose_caller_is_asked_to_stop_is_cancelled_and_not_out_of_time) {
  auto limited = filch::spawn(rt_, filch::timeout(sleeps_long(ended_), 1h));
  while (rt_.dump().find("timers: 2 pending") == std::string::npos) std::this_thread::yield();
  limited.cancel();
  EXPECT_THROW(limited.get(), filch::task_cancelled);
  EXPECT_EQ(ended_.load(), 1);
}

// The end of the task against the end of its time.
TEST_P(timeout_on, limits_that_meet_the_end_of_their_task_end_once) {
  int in_time = 0;
  for (int i = 0; i != 200; ++i) {
    const auto naps = [](std::chrono::microseconds span) -> filch::task<int> {
      co_await filch::sleep_for(span);
      co_return 1;
    };
    in_time += rt_.run(filch::try_timeout(naps(20us + i % 5 * 1us), 22us)).value_or(0);
  }
  EXPECT_LE(in_time, 200);
}

// ---- timer ----------------------------------------------------------------------------------------------------------

TEST_P(timeout_on, a_timer_calls_its_function_once_or_is_cancelled) {
  struct counted {
    std::atomic<int> calls{0};
  };
  rt_.run([&] {
    for (int i = 0; i != 300; ++i) {
      counted here;
      filch::time::timer one{[](void* to) noexcept { ++static_cast<counted*>(to)->calls; }, &here};
      one.start(filch::monotonic_now_ns() + i % 40 * 1000);
      if (i % 4 != 0) filch::wait(filch::sleep_for(std::chrono::microseconds{i % 37}));
      const bool was_prevented = one.cancel();
      EXPECT_EQ(here.calls.load(), was_prevented ? 0 : 1);
      EXPECT_EQ(one.cancel(), was_prevented);
    }
    const filch::time::timer never_started{[](void*) noexcept { std::abort(); }, nullptr};
  });
}

// The worker that set the timer never comes to look at it: another, which slept, must become the keeper and call it.
// Again with the other one busy before, so that it falls asleep meanwhile.
TEST(timer, a_worker_that_computes_does_not_hold_up_its_timers) {
  filch::runtime rt{{.workers = 2, .idle = filch::idle::eco}};
  for (int i = 0; i != 50; ++i) {
    std::vector<filch::future<void>> before;
    if (i % 2 == 0) before.push_back(rt.submit([] {}));
    rt.run([] {
      std::atomic<bool> is_called{false};
      filch::time::timer one{[](void* flag) noexcept { *static_cast<std::atomic<bool>*>(flag) = true; }, &is_called};
      one.start(filch::monotonic_now_ns() + 100'000);
      while (!is_called.load()) std::this_thread::yield();
      EXPECT_FALSE(one.cancel());
    });
  }
}

// ---- interval -------------------------------------------------------------------------------------------------------

// The tick after `now_ns`, in periods of 100 from where the interval began.
class ticks {
 public:
  explicit ticks(missed_ticks missed) : made_{100ns, missed}, began_ns_{made_.next_from(0).until_ns() - 100} {}
  time_ns after(time_ns now_ns) { return made_.next_from(began_ns_ + now_ns).until_ns() - began_ns_; }

 private:
  filch::interval made_;
  time_ns began_ns_;
};

TEST(interval, ticks_lie_on_a_grid) {
  for (const auto missed : {missed_ticks::skip, missed_ticks::burst, missed_ticks::delay}) {
    ticks t{missed};
    EXPECT_EQ(t.after(110), 200);
    EXPECT_EQ(t.after(299), 300);
    EXPECT_EQ(t.after(400), 400);
  }
}

TEST(interval, missed_ticks_are_skipped_or_made_up_for_or_shift_the_grid) {
  ticks skip{missed_ticks::skip};
  EXPECT_EQ(skip.after(450), 500);
  EXPECT_EQ(skip.after(701), 800);
  EXPECT_EQ(skip.after(900), 900);
  ticks burst{missed_ticks::burst};
  EXPECT_EQ(burst.after(450), 200);
  EXPECT_EQ(burst.after(451), 300);
  EXPECT_EQ(burst.after(452), 400);
  EXPECT_EQ(burst.after(453), 500);
  ticks delay{missed_ticks::delay};
  EXPECT_EQ(delay.after(450), 450);
  EXPECT_EQ(delay.after(460), 550);
}

TEST(interval, a_period_must_be_positive) {
  EXPECT_THROW(filch::interval{0ms}, std::invalid_argument);
  EXPECT_THROW(filch::interval{-1s}, std::invalid_argument);
}

TEST_P(timeout_on, an_interval_ticks_in_coroutines_and_plain_functions) {
  const auto counts = []() -> filch::task<int> {
    filch::interval often{50us};
    int seen = 0;
    for (; seen != 10; ++seen) co_await often.next();
    co_return seen;
  };
  EXPECT_EQ(rt_.run(counts()), 10);
  rt_.run([] {
    filch::interval often{50us, missed_ticks::burst};
    for (int i = 0; i != 10; ++i) filch::wait(often.next());
  });
}

}  // namespace
