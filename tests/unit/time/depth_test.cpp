// No operation on timers takes stack for each of them, or more than a step: hundreds of thousands that end together,
// one after the other, or are cancelled.
//
// Oracle: everybody resumes once, on stacks of 256 KiB, on which a million calls do not fit; and whatever takes a step
// for each at each does not end within the limit of the test.
#include <support/depth.hpp>

#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/time/sleep.hpp>
#include <filch/time/timeout.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace {

using filch::spawn;
using filch::task;
using filch_test::k_deep_least;
using filch_test::k_many;
using filch_test::on_small_stack;
using filch_test::small_stacks;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

class many_timers : public testing::Test {
 protected:
  filch::runtime rt_{small_stacks(2)};
  std::atomic<long> begun_{0};
  std::atomic<long> ended_{0};

  task<> sleep(clock::time_point until) {
    ++begun_;
    co_await filch::sleep_until(until);
    ++ended_;
  }
  static task<> await_all(std::vector<task<>> each) { co_await filch::all(std::move(each)); }

  // So many who sleep until then, and the next ones so much longer.
  filch::join_handle<void> start(long count, clock::time_point until, std::chrono::nanoseconds apart) {
    std::vector<task<>> each;
    for (long i = 0; i != count; ++i) each.push_back(sleep(until + i * apart));
    return spawn(rt_, await_all(std::move(each)));
  }
};

TEST_F(many_timers, that_end_together_or_one_after_the_other_are_told) {
  on_small_stack([&] {
    for (const auto apart : {0ns, 2000ns}) {
      ended_ = 0;
      start(k_many, clock::now() + 300ms, apart).get();
      EXPECT_EQ(ended_, k_many);
    }
  });
}
TEST_F(many_timers, are_cancelled) {
  on_small_stack([&] {
    auto handle = start(k_deep_least, clock::now() + 1h, 1ms);
    while (begun_ != k_deep_least) std::this_thread::yield();
    handle.cancel();
    EXPECT_THROW(handle.get(), filch::task_cancelled);
    EXPECT_EQ(ended_, 0);
  });
}
TEST_F(many_timers, are_cut_short_by_the_deadline_of_a_shutdown) {
  on_small_stack([&] {
    auto handle = start(k_deep_least, clock::now() + 1h, 1ms);
    while (begun_ != k_deep_least) std::this_thread::yield();
    EXPECT_FALSE(rt_.shutdown(1ms));
    EXPECT_THROW(handle.get(), filch::task_cancelled);
  });
}

// The limit of the outermost of many comes first, and of all of them at once.
task<int> limited(long left, std::atomic<long>& begun) {
  ++begun;
  if (left == 0) co_await filch::sleep_for(1h);
  else (void)co_await filch::try_timeout(limited(left - 1, begun), 1h);
  co_return 1;
}
TEST_F(many_timers, inside_each_other_end_with_the_first) {
  struct local {
    static task<bool> outermost(std::atomic<long>& begun) {
      co_return (co_await filch::try_timeout(limited(k_deep_least, begun), 200ms)).has_value();
    }
  };
  on_small_stack([&] {
    // Where the time is over before all have begun, the others do not begin.
    EXPECT_FALSE(rt_.run(local::outermost(begun_)));
    EXPECT_LE(begun_, k_deep_least + 1);
  });
}

}  // namespace
