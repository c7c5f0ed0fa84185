// Sleeping in coroutines, in plain functions and on other threads. No test says how long anything may take: only that
// nothing is early, and who comes first.
#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>
#include <filch/fork/join.hpp>
#include <filch/fork/stay_on_thread.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/time/sleep.hpp>

#include <gtest/gtest.h>
#include <support/address_space.hpp>
#include <support/thread_here.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

filch::task<bool> sleeps(std::chrono::nanoseconds span) {
  const auto until = steady_clock::now() + span;
  co_await filch::sleep_for(span);
  co_return steady_clock::now() >= until;
}

class sleep_on : public testing::TestWithParam<std::uint32_t> {
 protected:
  static filch::options with_workers() { return {.workers = GetParam(), .idle = filch::idle::eco}; }
};
INSTANTIATE_TEST_SUITE_P(workers, sleep_on, testing::Values(1u, 2u, 4u));

TEST_P(sleep_on, a_coroutine_goes_on_and_not_before_its_time) {
  filch::runtime rt{with_workers()};
  for (const auto span : {0ns, 1ns, 1000ns, 50'000ns, 1'000'000ns, 5'000'000ns}) EXPECT_TRUE(rt.run(sleeps(span)));
}

TEST_P(sleep_on, a_plain_function_goes_on_and_not_before_its_time) {
  filch::runtime rt{with_workers()};
  const bool is_late = rt.run([] {
    const auto until = steady_clock::now() + 2ms;
    filch::wait(filch::sleep_for(2ms));
    return steady_clock::now() >= until;
  });
  EXPECT_TRUE(is_late);
}

TEST(sleep, a_thread_that_is_no_worker_sleeps) {
  const auto until = steady_clock::now() + 1ms;
  filch::wait(filch::sleep_until(until));
  EXPECT_GE(steady_clock::now(), until);
}

// One worker: if the plain function held it, the other would never come to its turn.
TEST(sleep, a_plain_function_that_sleeps_holds_no_worker) {
  filch::runtime rt{{.workers = 1, .max_spare_threads = 0}};
  std::atomic<bool> has_run{false};
  rt.run([&] {
    filch::join(
        [&] {
          while (!has_run.load()) filch::wait(filch::sleep_for(100us));
        },
        [&] { has_run = true; });
  });
  EXPECT_TRUE(has_run.load());
}

// In a process of its own, where no thread can be started beside the only worker's. Who waits for a future stays on its
// thread, and has to make way for the one that it waits for, which resumes after a sleep.
[[noreturn]] void stay_and_wait_where_no_thread_starts() {
  constexpr std::uint64_t k_stack_bytes = std::uint64_t{512} << 20;
  const rlim_t limit = filch_test::address_space_bytes() + k_stack_bytes + k_stack_bytes / 2;
  const rlimit room{limit, limit};
  if (::setrlimit(RLIMIT_AS, &room) != 0) ::_exit(10);
  filch::runtime rt{{.workers = 1, .thread_stack_bytes = k_stack_bytes}};
  std::atomic<int> begun{0};
  const auto sleepy = [&] {
    ++begun;
    filch::wait(filch::sleep_for(10ms));
    return 7;
  };
  auto first = rt.submit(sleepy);
  auto second = rt.submit(sleepy);
  while (begun.load() != 2) std::this_thread::yield();
  const bool is_right = rt.run([&] {
    const filch::stay_on_thread here;
    const auto self = filch_test::thread_here();
    auto third = rt.submit([&] { return second.get() + 1; });
    filch::wait(filch::sleep_for(1ms));
    return filch_test::thread_here() == self && first.get() == 7 && filch_test::thread_here() == self &&
           third.get() == 8 && filch_test::thread_here() == self;
  });
  ::_exit(is_right && rt.statistics().spare_threads == 0 ? 0 : 11);
}
TEST(sleep_death, who_stays_on_its_thread_makes_way_there_where_no_thread_can_be_started) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(stay_and_wait_where_no_thread_starts(), testing::ExitedWithCode(0), "");
}

filch::task<> sleeps_and_notes(std::chrono::nanoseconds span, int number, std::mutex& mutex, std::vector<int>& order) {
  co_await filch::sleep_for(span);
  const std::lock_guard lock{mutex};
  order.push_back(number);
}

// The second is set while the keeper sleeps until the first: it must not sleep on. The long one is cancelled by nobody,
// so the test would take a minute if the short one waited for it.
TEST_P(sleep_on, an_earlier_timer_wakes_the_keeper) {
  filch::runtime rt{with_workers()};
  std::stop_source stop;
  const auto long_one =
      rt.submit([&] { EXPECT_THROW(filch::wait(filch::sleep_for(60s), stop.get_token()), filch::task_cancelled); });
  for (int i = 0; i != 20; ++i) EXPECT_TRUE(rt.run(sleeps(200us)));
  stop.request_stop();
  long_one.wait();
}

TEST_P(sleep_on, many_sleep_at_once_and_all_go_on) {
  filch::runtime rt{with_workers()};
  const bool all_late = rt.run([]() -> filch::task<bool> {
    std::vector<filch::task<bool>> each;
    for (int i = 0; i != 2000; ++i) each.push_back(sleeps(std::chrono::microseconds{i % 97 * 50}));
    bool all = true;
    for (const bool is_late : co_await filch::all(std::move(each))) all &= is_late;
    co_return all;
  }());
  EXPECT_TRUE(all_late);
}

TEST_P(sleep_on, each_that_sleeps_is_woken_once) {
  filch::runtime rt{with_workers()};
  std::mutex mutex;
  std::vector<int> order;
  for (int i = 0; i != 50; ++i) filch::spawn(rt, sleeps_and_notes((i * 7919) % 50 * 20us, i, mutex, order)).detach();
  rt.wait_idle();
  ASSERT_EQ(order.size(), 50u);
  std::ranges::sort(order);
  for (int i = 0; i != 50; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

// Tasks that run all the time must not keep a timer waiting: the loop below ends only when the sleeper has gone on.
TEST_P(sleep_on, timers_do_not_starve_while_all_workers_are_busy) {
  filch::runtime rt{with_workers()};
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> ran{0};
  std::function<void()> again = [&] {
    ran.fetch_add(1);
    if (!is_over.load()) rt.spawn(again);
  };
  for (std::uint32_t i = 0; i != GetParam() + 2; ++i) rt.spawn(again);
  EXPECT_TRUE(rt.run(sleeps(1ms)));
  is_over = true;
  rt.wait_idle();
  EXPECT_GE(ran.load(), 1u);
}

TEST_P(sleep_on, a_stop_that_was_requested_before_refuses_the_sleep) {
  filch::runtime rt{with_workers()};
  std::stop_source stop;
  stop.request_stop();
  rt.run([&] { EXPECT_THROW(filch::wait(filch::sleep_for(60s), stop.get_token()), filch::task_cancelled); });
  EXPECT_THROW(filch::wait(filch::sleep_for(60s), stop.get_token()), filch::task_cancelled);
}

TEST(sleep, a_stop_wakes_a_thread_that_is_no_worker) {
  std::stop_source stop;
  std::thread sleeper{
      [&] { EXPECT_THROW(filch::wait(filch::sleep_for(60s), stop.get_token()), filch::task_cancelled); }};
  stop.request_stop();
  sleeper.join();
}

// Stop against time: one of the two ends each sleep, and each ends.
TEST_P(sleep_on, a_stop_that_meets_the_end_of_the_sleep_ends_it_once) {
  filch::runtime rt{with_workers()};
  for (int i = 0; i != 300; ++i) {
    std::stop_source stop;
    auto sleeper = rt.submit([&] {
      try {
        filch::wait(filch::sleep_for(30us), stop.get_token());
      } catch (const filch::task_cancelled&) {}
    });
    if (i % 3 != 0) std::this_thread::sleep_for(std::chrono::microseconds{i % 60});
    stop.request_stop();
    sleeper.get();
  }
}

TEST_P(sleep_on, a_runtime_that_is_destroyed_waits_for_those_who_sleep) {
  std::atomic<int> ended{0};
  {
    filch::runtime rt{with_workers()};
    for (int i = 0; i != 10; ++i) {
      filch::spawn(rt,
                   [](std::atomic<int>& count) -> filch::task<> {
                     co_await filch::sleep_for(3ms);
                     co_await filch::sleep_for(1ms);
                     ++count;
                   }(ended))
          .detach();
    }
  }
  EXPECT_EQ(ended.load(), 10);
}

TEST_P(sleep_on, the_deadline_of_a_shutdown_cancels_those_who_sleep) {
  filch::runtime rt{with_workers()};
  std::atomic<int> cancelled{0};
  for (int i = 0; i != 10; ++i) {
    filch::spawn(rt,
                 [](std::atomic<int>& count) -> filch::task<> {
                   try {
                     co_await filch::sleep_for(1h);
                   } catch (const filch::task_cancelled&) {
                     ++count;
                   }
                   EXPECT_THROW((co_await filch::sleep_for(1h)), filch::task_cancelled);  // nobody sleeps any more
                 }(cancelled))
        .detach();
  }
  while (rt.dump().find("timers: 10 pending") == std::string::npos) std::this_thread::yield();
  EXPECT_FALSE(rt.shutdown(1ms));
  EXPECT_EQ(cancelled.load(), 10);
}

// Nobody wakes up in turns to look at the clock. Oracle: how often workers went to sleep stands still. Two looks that
// agree are enough: with a period of its own anywhere in the runtime no two would.
TEST_P(sleep_on, an_idle_runtime_with_a_timer_far_away_sleeps_on) {
  filch::runtime rt{with_workers()};
  auto sleeper = filch::spawn(rt, sleeps(1h));
  while (rt.dump().find("timers: 1 pending") == std::string::npos) std::this_thread::yield();
  const auto parks = [&] { return rt.statistics().total()[filch::trace::count::parks]; };
  std::uint64_t before = parks();
  for (int i = 0; i != 200; ++i) {
    std::this_thread::sleep_for(20ms);
    const std::uint64_t now = parks();
    if (std::exchange(before, now) == now) break;
    EXPECT_NE(i, 199) << "workers never stay asleep";
  }
  sleeper.cancel();
  EXPECT_THROW((void)sleeper.get(), filch::task_cancelled);
}

TEST(sleep, a_dump_says_how_many_timers_are_pending) {
  filch::runtime rt{{.workers = 2}};
  EXPECT_EQ(rt.dump().find("timers:"), std::string::npos);
  std::stop_source stop;
  const auto sleeper =
      rt.submit([&] { EXPECT_THROW(filch::wait(filch::sleep_for(1h), stop.get_token()), filch::task_cancelled); });
  while (rt.dump().find("timers: 1 pending") == std::string::npos) std::this_thread::yield();
  stop.request_stop();
  sleeper.wait();
  EXPECT_NE(rt.dump().find("timers: 0 pending"), std::string::npos);
}

TEST(sleep, a_sleep_that_is_too_long_to_count_lasts_for_ever) {
  EXPECT_EQ(filch::sleep_for(std::chrono::hours::max()).until_ns(), filch::k_never_ns);
  EXPECT_EQ(filch::sleep_for(std::chrono::duration<double>{1e300}).until_ns(), filch::k_never_ns);
  const filch::time_ns past_ns = filch::sleep_for(-1h).until_ns();
  EXPECT_LE(past_ns, filch::monotonic_now_ns());
}

}  // namespace
