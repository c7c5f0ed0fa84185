// Workers that linger: asleep for everybody else, and awake.
#include <filch/filch.hpp>

#include "runtime/core.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace {

// The second function is always stolen, and takes long enough for the thief to linger behind it.
void have_something_stolen() {
  std::atomic<bool> is_taken{false};
  filch::join(
      [&] {
        while (!is_taken) std::this_thread::yield();
      },
      [&] {
        is_taken = true;
        std::this_thread::sleep_for(std::chrono::microseconds{50});
      });
}

class lingering : public testing::TestWithParam<unsigned> {
 protected:
  // Longer than the test may take: a worker that is not woken while it lingers hangs.
  filch::runtime rt_{{.workers = GetParam(), .idle = {.linger_ns = 3600 * filch::k_ns_per_s}}};
};
INSTANTIATE_TEST_SUITE_P(workers, lingering, testing::Values(2u, 4u));

TEST_P(lingering, hears_forks_submissions_and_the_end) {
  for (int i = 0; i != 50; ++i) {
    rt_.run(have_something_stolen);
    for (std::uint32_t at = 0; at != GetParam(); ++at) {
      EXPECT_EQ(rt_.submit_to(filch::worker_id{at}, [] { return filch::this_worker().value; }).get(), at);
    }
    EXPECT_EQ(rt_.submit([i] { return i; }).get(), i);
  }
}

TEST_P(lingering, hears_timers) {
  for (int i = 0; i != 10; ++i) {
    rt_.run(have_something_stolen);
    rt_.run([]() -> filch::task<> { co_await filch::sleep_for(std::chrono::milliseconds{1}); }());
  }
}

TEST_P(lingering, lingers_and_is_idle) {
  rt_.run(have_something_stolen);
  // With fewer CPUs than workers no worker lingers.
  while (rt_.inside().has_cpu_each && !rt_.inside().wakes->lingering.is_anybody()) std::this_thread::yield();
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().suspended_stacks, 0u);
}

// No worker lingers here and nothing runs, so that only the test makes deferred requests.
TEST(deferred_requests, are_made_by_other_workers_than_their_owner) {
  filch::runtime rt{{.workers = 2, .idle = filch::idle::eco}};
  rt.run([] {});
  auto& inside = rt.inside();
  EXPECT_FALSE(inside.shares->board.flush_deferred(inside.workers[0]));
  inside.workers[1].point.requests.defer();
  EXPECT_FALSE(inside.shares->board.flush_deferred(inside.workers[1]));
  EXPECT_TRUE(inside.shares->board.has_deferred());
  EXPECT_TRUE(inside.shares->board.flush_deferred(inside.workers[0]));
  EXPECT_FALSE(inside.shares->board.has_deferred());
}

}  // namespace
