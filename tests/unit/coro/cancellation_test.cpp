// Requests to stop: how they come to tasks, what they end, and that everything that was made is destroyed.
#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/coro/all.hpp>
#include <filch/coro/any.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/this_task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sync/event.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace {

using filch::join_handle;
using filch::spawn;
using filch::task;

// Every number of workers, and the idle policy that sleeps at once.
class cancellation : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  filch::runtime rt_{
      {.workers = std::get<0>(GetParam()), .idle = std::get<1>(GetParam()) ? filch::idle::eco : filch::idle::balanced}};
};
INSTANTIATE_TEST_SUITE_P(workers, cancellation, testing::Combine(testing::Values(1u, 2u, 4u), testing::Bool()));

// Yields until it is asked to stop.
task<int> forever(std::atomic<int>& begun) {
  ++begun;
  while (true) co_await filch::yield();
  co_return 0;
}

void wait_until(const std::atomic<int>& count, int is) {
  while (count != is) std::this_thread::yield();
}

TEST_P(cancellation, a_task_that_runs_is_asked_to_stop_through_its_handle) {
  std::atomic<int> begun{0};
  auto handle = spawn(rt_, forever(begun));
  wait_until(begun, 1);
  handle.cancel();
  handle.cancel();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

TEST_P(cancellation, awaited_tasks_and_children_are_asked_with_their_parent) {
  struct local {
    static task<int> children(std::atomic<int>& begun) {
      auto [a, b, c] = co_await filch::all(forever(begun), forever(begun), forever(begun));
      co_return a + b + c;
    }
    static task<int> parent(std::atomic<int>& begun) { co_return co_await children(begun); }
  };
  std::atomic<int> begun{0};
  auto handle = spawn(rt_, local::parent(begun));
  wait_until(begun, 3);
  handle.cancel();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
}

TEST_P(cancellation, a_spawned_task_is_asked_only_while_it_is_awaited) {
  struct local {
    static task<int> parent(std::atomic<int>& begun, std::atomic<int>& beside_begun, join_handle<int>& beside) {
      beside = spawn(forever(beside_begun));
      auto awaited = spawn(forever(begun));
      co_return co_await std::move(awaited);
    }
  };
  std::atomic<int> begun{0};
  std::atomic<int> beside_begun{0};
  auto beside = spawn(rt_, forever(beside_begun));
  beside.cancel();
  try {
    (void)beside.get();
  } catch (const filch::task_cancelled&) {}
  beside_begun = 0;
  auto handle = spawn(rt_, local::parent(begun, beside_begun, beside));
  wait_until(begun, 1);
  handle.cancel();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  wait_until(beside_begun, 1);
  EXPECT_FALSE(beside.is_ready());
  beside.cancel();
  EXPECT_THROW((void)beside.get(), filch::task_cancelled);
}

TEST_P(cancellation, a_token_given_at_the_spawn_asks_it_also_after_the_start) {
  std::stop_source source;
  std::atomic<int> begun{0};
  auto handle = spawn(rt_, forever(begun), {.stop = source.get_token()});
  wait_until(begun, 1);
  source.request_stop();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
}

TEST_P(cancellation, a_task_looks_at_its_token) {
  struct local {
    static task<int> compute(std::atomic<int>& begun) {
      const std::stop_token asked = co_await filch::this_task::stop_token();
      EXPECT_TRUE(asked.stop_possible());
      EXPECT_EQ(co_await filch::this_task::stop_token(), asked);
      ++begun;
      int turns = 0;
      while (!asked.stop_requested()) ++turns;
      co_return turns >= 0 ? 7 : 0;
    }
    static task<int> passes_on(std::atomic<int>& begun) { co_return co_await compute(begun); }
    static task<bool> alone() {
      const std::stop_token asked = co_await filch::this_task::stop_token();
      co_return asked.stop_possible();
    }
  };
  std::atomic<int> begun{0};
  auto handle = spawn(rt_, local::passes_on(begun));
  wait_until(begun, 1);
  handle.cancel();
  EXPECT_EQ(handle.get(), 7);
  EXPECT_FALSE(rt_.run(local::alone()));
}

TEST_P(cancellation, a_task_knows_the_number_of_the_spawned_task_it_belongs_to) {
  struct local {
    static task<filch::task_id> own() { co_return co_await filch::this_task::id(); }
    static task<bool> same() {
      const filch::task_id mine = co_await own();
      auto [a, b] = co_await filch::all(own(), own());
      const filch::task_id other = co_await spawn(own());
      co_return mine.is_some() && mine == a&& mine == b&& other.is_some() && mine != other;
    }
  };
  EXPECT_TRUE(spawn(rt_, local::same()).get());
  EXPECT_FALSE(rt_.run(local::own()).is_some());
}

TEST_P(cancellation, a_detached_task_is_asked_by_nobody) {
  struct local {
    static task<> look(std::atomic<int>& ended, const std::atomic<bool>& may_go_on) {
      while (!may_go_on) co_await filch::yield();
      const std::stop_token asked = co_await filch::this_task::stop_token();
      EXPECT_FALSE(asked.stop_possible());
      ++ended;
    }
  };
  std::atomic<int> ended{0};
  std::atomic<bool> may_go_on{false};
  spawn(rt_, local::look(ended, may_go_on)).detach();
  may_go_on = true;
  rt_.wait_idle();
  EXPECT_EQ(ended, 1);
}

// What lives in a frame, counted.
struct resident {
  explicit resident(std::atomic<std::int64_t>& of) : alive{of} { ++alive; }
  resident(const resident& other) : alive{other.alive} { ++alive; }
  resident& operator=(const resident&) = delete;
  ~resident() { --alive; }

  std::atomic<std::int64_t>& alive;
};

task<int> grow(resident mine, filch::random_stream random, int depth) {
  const resident here{mine};
  if (depth == 0) co_return 1;
  int sum = 1;
  const std::uint64_t width = 1 + random.below(3);
  switch (random.below(4)) {
    case 0:
      for (std::uint64_t i = 0; i != width; ++i) {
        co_await filch::yield();
        sum += co_await grow(mine, random.split(i), depth - 1);
      }
      break;
    case 1: {
      std::vector<task<int>> children;
      for (std::uint64_t i = 0; i != width; ++i) children.push_back(grow(mine, random.split(i), depth - 1));
      const std::vector<int> sums = co_await filch::all(std::move(children));
      for (const int each : sums) sum += each;
      break;
    }
    case 2: {
      auto beside = spawn(grow(mine, random.split(1), depth - 1));
      sum += co_await grow(mine, random.split(2), depth - 1);
      if (random.below(2) == 0) beside.cancel();
      sum += co_await std::move(beside);
      break;
    }
    default: {
      const std::stop_token asked = co_await filch::this_task::stop_token();
      auto beside = spawn(grow(mine, random.split(1), depth - 1), {.stop = asked});
      if (random.below(3) == 0) beside.detach();
      sum += co_await grow(mine, random.split(2), depth - 1);
      break;
    }
  }
  co_return sum;
}

// Property: whenever a tree of tasks is cancelled, every object in its frames is destroyed, and the books balance.
// Oracle: the number of objects alive.
TEST_P(cancellation, a_tree_cancelled_at_any_time_destroys_what_it_made) {
  filch::random_stream random{filch_test::test_seed()};
  std::atomic<std::int64_t> alive{0};
  for (std::uint64_t i = 0; i != 60; ++i) {
    filch::random_stream own = random.split(i);
    std::vector<join_handle<int>> roots;
    for (std::uint64_t k = 0; k != 3; ++k) roots.push_back(spawn(rt_, grow(resident{alive}, own.split(k), 6)));
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds{own.below(300)};
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    for (auto& each : roots) {
      if (own.below(4) != 0) each.cancel();
    }
    for (auto& each : roots) {
      try {
        (void)each.get();
      } catch (const filch::task_cancelled&) {}
    }
    roots.clear();
    rt_.wait_idle();
    ASSERT_EQ(alive, 0);
  }
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

// A callback at a token waits for what the same request tells: a task that was spawned with the token, and one below
// the context of the token. Who requests it is no worker, so the callback holds none. All tasks wait for an event, so
// that they end only when they are told.
class cancellation_order : public testing::Test {
 public:
  struct end_mark {
    filch::manual_event& of;
    ~end_mark() { of.set(); }
  };
  static task<int> waits_for(cancellation_order& in) {
    const end_mark at_end{in.gone_};
    ++in.begun_;
    co_await in.never_.async_wait();
    co_return 0;
  }
  // A child that has not begun would not begin any more.
  void cancel_when_all_wait(join_handle<int> asked, int children) {
    while (begun_ != children || rt_.statistics().unfinished() != 0) std::this_thread::yield();
    asked.cancel();
    EXPECT_THROW((void)asked.get(), filch::task_cancelled);
  }

  filch::manual_event never_;
  filch::manual_event gone_;
  std::atomic<int> begun_{0};
  filch::runtime rt_{{.workers = 2}};
};

TEST_F(cancellation_order, a_callback_may_wait_for_a_task_that_was_spawned_with_its_token) {
  const auto parent = [](cancellation_order& in) -> task<int> {
    const std::stop_token asked = co_await filch::this_task::stop_token();
    const std::stop_callback waits{asked, [&] { in.gone_.wait(); }};
    const auto child = spawn(waits_for(in), {.stop = asked});
    co_await in.never_.async_wait();
    co_return 0;
  };
  cancel_when_all_wait(spawn(rt_, parent(*this)), 1);
}

TEST_F(cancellation_order, a_callback_may_wait_for_what_lies_below_its_task) {
  const auto parent = [](cancellation_order& in) -> task<int> {
    const std::stop_token asked = co_await filch::this_task::stop_token();
    const std::stop_callback waits{asked, [&] { in.gone_.wait(); }};
    const auto first = co_await filch::any(waits_for(in), waits_for(in));
    co_return first.value;
  };
  cancel_when_all_wait(spawn(rt_, parent(*this)), 2);
}

TEST(cancellation_one, a_task_cancelled_before_its_start_never_starts_and_its_frame_is_destroyed) {
  filch::runtime rt{{.workers = 1}};
  std::atomic<std::int64_t> alive{0};
  std::atomic<bool> may_go_on{false};
  struct local {
    static task<int> never(resident, bool& has_started) {
      has_started = true;
      co_return 1;
    }
  };
  rt.spawn([&] {
    while (!may_go_on) std::this_thread::yield();
  });
  bool has_started = false;
  auto handle = spawn(rt, local::never(resident{alive}, has_started));
  EXPECT_EQ(alive, 1);
  handle.cancel();
  may_go_on = true;
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  EXPECT_FALSE(has_started);
  EXPECT_EQ(alive, 0);
}

}  // namespace
