// Nobody is forgotten among neighbours who always have something to do.
//
// Property: a coroutine that are ready does go on, wherever it lies: in its worker's list, its deque, the injector, or
// the slot where a signal handler has put it for others. Oracle: the races end; the watchdog tells of one that does
// not. Method: several runtimes share the machine, so workers lose their CPU at every moment, and thieves that asked
// for work come late.
#include <filch/coro/any.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

using filch::task;
using filch_test::scaled;

constexpr int k_runtimes = 6;

task<int> never() {
  while (true) co_await filch::yield();
  co_return 0;
}
task<int> give(int value, int turns) {
  for (int i = 0; i != turns; ++i) co_await filch::yield();
  co_return value;
}

// Calls `body` with a runtime of its own on each of several threads.
template <class Body>
void on_several_runtimes(std::uint32_t workers, const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i != k_runtimes; ++i) {
    threads.emplace_back([&] {
      filch::runtime rt{{.workers = workers, .idle = filch::idle::eco}};
      body(rt);
    });
  }
  for (auto& each : threads) each.join();
}

class fairness : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::atomic<std::uint64_t> progress_{0};
  filch_test::watchdog dog_{"races", progress_, [] { return std::string{}; }};
};
INSTANTIATE_TEST_SUITE_P(workers, fairness, testing::Values(1u, 2u, 3u));

TEST_P(fairness, one_that_ends_wins_against_those_that_yield_for_ever) {
  struct local {
    static task<int> race() { co_return (co_await filch::any(never(), give(7, 5), never(), never())).value; }
  };
  on_several_runtimes(GetParam(), [this](filch::runtime& rt) {
    for (std::uint64_t i = 0; i != scaled(2000); ++i) {
      EXPECT_EQ(rt.run(local::race()), 7);
      ++progress_;
    }
  });
}

// A task that puts itself into its worker's deque again and again.
struct flood {
  filch::runtime& rt;
  std::atomic<bool>& is_over;
  void operator()() const {
    if (!is_over) (void)rt.submit(*this);
  }
};

TEST_P(fairness, one_that_yields_ends_beside_tasks_that_submit_themselves_for_ever) {
  on_several_runtimes(GetParam(), [this](filch::runtime& rt) {
    std::atomic<bool> is_over{false};
    for (std::uint32_t i = 0; i != GetParam(); ++i) (void)rt.submit(flood{rt, is_over});
    for (std::uint64_t i = 0; i != scaled(2000); ++i) {
      EXPECT_EQ(rt.run(give(7, 5)), 7);
      ++progress_;
    }
    is_over = true;
    rt.wait_idle();
  });
}

}  // namespace
