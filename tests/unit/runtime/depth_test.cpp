// No operation on plain tasks takes stack for each level or each task, or more than a step: tasks that submit and wait
// for others in long chains, and a million side by side. A recursion that waits on its own stack ends with an error.
//
// Oracle: stacks of 256 KiB, on which a million calls do not fit, and the limit of the test's time.
#include "helpers.hpp"

#include <support/depth.hpp>

#include <runtime/wait_graph.hpp>

#include <filch/runtime/errors.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace filch_runtime_test;
using namespace std::chrono_literals;
using filch_test::k_deep;
using filch_test::k_deep_least;
using filch_test::on_small_stack;
using filch_test::small_stacks;

class deep_tasks : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{small_stacks(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, deep_tasks, testing::Values(1, 2));

// A level whose stack is used up leaves the next in the queue, where it begins anew: in the end all have run.
long by_get(filch::runtime& rt, long left) {
  if (left == 0) return 0;
  return 1 + rt.submit([&rt, left] { return by_get(rt, left - 1); }).get();
}
long by_timed_wait(filch::runtime& rt, long left) {
  if (left == 0) return 0;
  auto next = rt.submit([&rt, left] { return by_timed_wait(rt, left - 1); });
  while (!next.wait_for(1h)) continue;
  return 1 + next.get();
}

TEST_P(deep_tasks, that_wait_inside_each_other_end_with_an_error_and_the_runtime_stays_usable) {
  on_small_stack(
      [&] { EXPECT_THROW((void)rt_.run([&] { return by_get(rt_, k_deep_least); }), filch::stack_exhausted); });
  rt_.wait_idle();
  EXPECT_EQ(rt_.run([&] { return by_get(rt_, 10); }), 10);
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}
// Where no thread may stand in, a task that waits runs others meanwhile.
TEST(deep_task, that_runs_others_while_it_waits_ends_with_an_error) {
  filch::options chosen = small_stacks(1);
  chosen.max_spare_threads = 0;
  filch::runtime rt{chosen};
  EXPECT_THROW((void)rt.run([&] { return by_timed_wait(rt, k_deep_least); }), filch::stack_exhausted);
  rt.wait_idle();
  EXPECT_EQ(rt.run([&] { return by_timed_wait(rt, 10); }), 10);
}

// Each function holds the future of the one before. They run in this order on one worker; with more than one those that
// wait would need threads that stand in.
TEST(deep_task, of_a_chain_in_which_each_holds_the_future_of_the_one_before_ends) {
  filch::runtime rt{small_stacks(1)};
  on_small_stack([&] {
    auto last = rt.submit([] { return 0L; });
    for (long i = 0; i != k_deep; ++i) {
      last = rt.submit([before = std::move(last)]() mutable { return 1 + before.get(); });
    }
    EXPECT_EQ(last.get(), k_deep);
  });
}
std::vector<std::unique_ptr<occupied_worker>> occupy_all(filch::runtime& rt) {
  std::vector<std::unique_ptr<occupied_worker>> busy;
  for (std::uint32_t i = 0; i != rt.workers(); ++i) {
    busy.push_back(std::make_unique<occupied_worker>(rt, filch::worker_id{i}));
  }
  return busy;
}
TEST_P(deep_tasks, of_which_each_holds_the_future_of_the_one_before_are_cancelled) {
  on_small_stack([&] {
    filch::runtime rt{small_stacks(GetParam())};
    auto busy = occupy_all(rt);
    auto last = rt.submit([] { return 0L; });
    for (long i = 0; i != k_deep; ++i) {
      last = rt.submit([before = std::move(last)]() mutable { return 1 + before.get(); });
    }
    std::thread later{[&] {
      EXPECT_TRUE(eventually([&] { return rt.dump().find("cancelling") != std::string::npos; }));
      for (auto& each : busy) each->let_go();
    }};
    EXPECT_FALSE(rt.shutdown(1ms));
    later.join();
    EXPECT_THROW((void)last.get(), filch::task_cancelled);
  });
}

TEST_P(deep_tasks, submitted_as_one_range_end) {
  on_small_stack([&] {
    std::vector<std::function<int()>> functions(static_cast<std::size_t>(k_deep), [] { return 1; });
    auto all = rt_.submit_all(std::move(functions));
    long sum = 0;
    for (auto& each : all) sum += each.get();
    EXPECT_EQ(sum, k_deep);
  });
}

TEST_P(deep_tasks, that_are_queued_end_before_their_runtime) {
  std::atomic<long> count{0};
  on_small_stack([&] {
    filch::runtime rt{small_stacks(GetParam())};
    gate may_go_on;
    rt.spawn([&] { may_go_on.wait(); });
    for (long i = 0; i != k_deep; ++i) rt.spawn([&] { ++count; });
    may_go_on.open();
  });
  EXPECT_EQ(count, k_deep);
}
TEST_P(deep_tasks, that_are_queued_are_cancelled_by_the_end_of_their_runtime) {
  std::atomic<long> count{0};
  on_small_stack([&] {
    filch::runtime rt{small_stacks(GetParam())};
    auto busy = occupy_all(rt);
    for (long i = 0; i != k_deep; ++i) rt.spawn([&] { ++count; });
    std::thread later{[&] {
      EXPECT_TRUE(eventually([&] { return rt.dump().find("cancelling") != std::string::npos; }));
      for (auto& each : busy) each->let_go();
    }};
    EXPECT_FALSE(rt.shutdown(1ms));
    later.join();
  });
  EXPECT_EQ(count, 0);
}

// ---- the wait graph -------------------------------------------------------------------------------------------------

// Tasks of which each waits for the next, and the last for the first. The limit of the test's time is what a search for
// each of them in all the others would not keep.
TEST(deep_waits, are_described_and_a_deadlock_of_all_is_found) {
  constexpr auto k_tasks = static_cast<std::size_t>(k_deep);
  filch::wait_graph graph;
  std::vector<filch::task_record> records(k_tasks);
  for (std::size_t i = 0; i != k_tasks; ++i) records[i].id = filch::task_id{i + 1};
  for (std::size_t i = 0; i != k_tasks; ++i) {
    EXPECT_TRUE(graph.begin_wait(&records[i], records[i + 1 == k_tasks ? 0 : i + 1]));
  }
  const std::string text = graph.describe();
  const std::size_t found = text.find("  deadlock: task 1 → task 2 → ");
  ASSERT_NE(found, std::string::npos);
  EXPECT_EQ(text.find("deadlock", found + 12), std::string::npos);
}

}  // namespace
