// Requests to stop on real threads: they come while tasks start, fall asleep and end.
#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sync/event.hpp>

#include <filch/base/random.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <atomic>
#include <cstdint>

namespace {

using filch_test::scaled;

class stop_stress : public testing::TestWithParam<std::uint32_t> {
 protected:
  void pause() {
    for (std::uint64_t i = random_.below(2048); i != 0; --i) asm volatile("");
  }

  std::atomic<std::uint64_t> progress_{0};
  filch::random_stream random_{filch_test::test_seed()};
  filch::runtime rt_{{.workers = GetParam()}};
  filch_test::watchdog dog_{"requests to stop", progress_, [this] { return rt_.dump(); }};
};
INSTANTIATE_TEST_SUITE_P(workers, stop_stress, testing::Values(1u, 2u, 8u));

// Property: a request to stop is not lost where the handle is dropped after it. Oracle: the runtime becomes idle,
// though what the tasks wait for never comes; the watchdog tells if it does not. Method: the requests come at every
// moment between the start of a task and its first wait.
TEST_P(stop_stress, a_task_that_is_cancelled_and_let_go_ends) {
  filch::manual_event never;
  const auto waits = [](const filch::manual_event& what) -> filch::task<> { co_await what.async_wait(); };
  for (const std::uint64_t rounds = scaled(500'000); progress_.load() != rounds; ++progress_) {
    auto task = filch::spawn(rt_, waits(never));
    pause();
    task.cancel();
  }
  rt_.wait_idle();
}

}  // namespace
