// Timers on real threads: workers that never spin, deadlines that come, go and are cancelled while everybody falls
// asleep.
#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/time/sleep.hpp>
#include <filch/time/timeout.hpp>

#include <filch/base/random.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using filch_test::scaled;

class time_stress : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{{.workers = GetParam(), .idle = filch::idle::eco}};
  std::atomic<std::uint64_t> progress_{0};
  filch_test::watchdog dog_{"timers", progress_, [this] { return rt_.dump() + to_string(rt_.statistics()); }};
};
INSTANTIATE_TEST_SUITE_P(workers, time_stress, testing::Values(1u, 2u, 3u));

filch::task<> naps(filch::random_stream random, std::uint64_t rounds, std::atomic<std::uint64_t>& progress) {
  for (std::uint64_t i = 0; i != rounds; ++i) {
    co_await filch::sleep_for(std::chrono::nanoseconds{random.below(random.below(4) == 0 ? 200'000 : 20'000)});
    ++progress;
  }
}

// Property: no deadline is overlooked. Oracle: every nap ends; the watchdog tells of one that does not. Method: few
// sleepers with short and irregular naps, and work from outside now and then, so that keepers come and go; nothing else
// would wake a worker that slept too long.
TEST_P(time_stress, every_nap_ends) {
  const std::uint64_t rounds = scaled(2000);
  std::vector<filch::join_handle<void>> all;
  const filch::random_stream random{filch_test::test_seed()};
  for (std::uint64_t i = 0; i != 3; ++i) all.push_back(filch::spawn(rt_, naps(random.split(i), rounds, progress_)));
  for (std::uint64_t i = 0; i != rounds / 2; ++i) {
    rt_.submit([] {}).get();
    ++progress_;
  }
  for (auto& each : all) each.get();
  EXPECT_EQ(progress_.load(), 3 * rounds + rounds / 2);
}

filch::task<std::uint64_t> limited_naps(filch::random_stream random, std::uint64_t rounds,
                                        std::atomic<std::uint64_t>& progress) {
  std::uint64_t in_time = 0;
  for (std::uint64_t i = 0; i != rounds; ++i) {
    const auto nap = [](std::chrono::nanoseconds span) -> filch::task<> { co_await filch::sleep_for(span); };
    const std::chrono::nanoseconds span{random.below(60'000)};
    const std::chrono::nanoseconds limit{random.below(60'000)};
    if (co_await filch::try_timeout(nap(span), limit)) ++in_time;
    ++progress;
  }
  co_return in_time;
}

// Property: the end of a task and the end of its time meet in every way, and each limit ends once. Oracle: all rounds
// are done; no timer is left.
TEST_P(time_stress, limits_and_naps_end_in_every_order) {
  const std::uint64_t rounds = scaled(1500);
  std::vector<filch::join_handle<std::uint64_t>> all;
  const filch::random_stream random{filch_test::test_seed()};
  for (std::uint64_t i = 0; i != 4; ++i)
    all.push_back(filch::spawn(rt_, limited_naps(random.split(i), rounds, progress_)));
  std::uint64_t in_time = 0;
  for (auto& each : all) in_time += each.get();
  EXPECT_LE(in_time, 4 * rounds);
  EXPECT_EQ(progress_.load(), 4 * rounds);
  EXPECT_NE(rt_.dump().find("timers: 0 pending"), std::string::npos);
}

}  // namespace
