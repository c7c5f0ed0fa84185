// async_scope: all members end before it does, failures and requests reach all of them, and nothing is left behind.
#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/coro/any.hpp>
#include <filch/coro/await_future.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/task_group.hpp>
#include <filch/coro/this_task.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using filch::async_scope;
using filch::spawn;
using filch::task;
using filch::task_group;

// Every number of workers, and the idle policy that sleeps at once.
class group : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  filch::runtime rt_{
      {.workers = std::get<0>(GetParam()), .idle = std::get<1>(GetParam()) ? filch::idle::eco : filch::idle::balanced}};
};
INSTANTIATE_TEST_SUITE_P(workers, group, testing::Combine(testing::Values(1u, 2u, 4u), testing::Bool()));

// What lives in a frame, counted.
struct resident {
  explicit resident(std::atomic<std::int64_t>& of) : alive{of} { ++alive; }
  resident(const resident& other) : alive{other.alive} { ++alive; }
  resident& operator=(const resident&) = delete;
  ~resident() { --alive; }

  std::atomic<std::int64_t>& alive;
};

task<> count_up(std::atomic<int>& count, int turns) {
  for (int i = 0; i != turns; ++i) co_await filch::yield();
  ++count;
}
task<> forever(resident, std::atomic<int>& begun) {
  ++begun;
  while (true) co_await filch::yield();
}
task<> nothing() { co_return; }

TEST_P(group, all_members_have_ended_when_the_scope_has) {
  std::atomic<int> count{0};
  const auto body = [&](task_group& members) -> task<> {
    for (int i = 0; i != 100; ++i) {
      members.spawn(count_up(count, i % 5), "member");
      if (i % 10 == 0) co_await filch::yield();
    }
  };
  rt_.run(async_scope(body));
  EXPECT_EQ(count, 100);
  spawn(rt_, async_scope([](task_group&) { return nothing(); })).get();
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

// A member makes more members.
task<> grow(task_group& members, std::atomic<int>& count, int depth) {
  ++count;
  if (depth == 0) co_return;
  members.spawn(grow(members, count, depth - 1));
  co_await filch::yield();
  members.spawn(grow(members, count, depth - 1));
}

TEST_P(group, members_make_members) {
  std::atomic<int> count{0};
  rt_.run(async_scope([&count](task_group& members) { return grow(members, count, 9); }));
  EXPECT_EQ(count, (1 << 10) - 1);
}

TEST_P(group, what_the_body_captured_lives_as_long_as_the_members) {
  struct local {
    static task<> add(const int& number, std::atomic<int>& sum) {
      co_await filch::yield();
      sum += number;
    }
    static task<int> sum() {
      std::atomic<int> all{0};
      co_await async_scope([&all, number = 7](task_group& members) -> task<> {
        for (int i = 0; i != 10; ++i) members.spawn(add(number, all));
        co_return;
      });
      co_return all;
    }
  };
  EXPECT_EQ(rt_.run(local::sum()), 70);
}

TEST_P(group, the_first_failure_stops_the_others_and_is_rethrown) {
  std::atomic<std::int64_t> alive{0};
  std::atomic<int> begun{0};
  struct local {
    static task<> fails(const std::atomic<int>& begun) {
      while (begun != 5) co_await filch::yield();
      throw std::runtime_error("the first");
    }
  };
  const auto of_a_member = [&](task_group& members) -> task<> {
    for (int i = 0; i != 5; ++i) members.spawn(forever(resident{alive}, begun));
    members.spawn(local::fails(begun));
    co_return;
  };
  EXPECT_THROW(rt_.run(async_scope(of_a_member)), std::runtime_error);
  EXPECT_EQ(alive, 0);
  begun = 0;
  const auto of_the_body = [&](task_group& members) -> task<> {
    for (int i = 0; i != 5; ++i) members.spawn(forever(resident{alive}, begun));
    co_await local::fails(begun);
  };
  EXPECT_THROW(rt_.run(async_scope(of_the_body)), std::runtime_error);
  EXPECT_EQ(alive, 0);
}

TEST_P(group, who_is_asked_to_stop_asks_its_members) {
  std::atomic<std::int64_t> alive{0};
  std::atomic<int> begun{0};
  struct local {
    static task<> inner(std::atomic<std::int64_t>& alive, std::atomic<int>& begun) {
      co_await async_scope([&](task_group& members) -> task<> {
        for (int i = 0; i != 3; ++i) members.spawn(forever(resident{alive}, begun));
        co_return;
      });
    }
    static task<> outer(std::atomic<std::int64_t>& alive, std::atomic<int>& begun) {
      co_await async_scope([&](task_group& members) -> task<> {
        for (int i = 0; i != 2; ++i) members.spawn(inner(alive, begun));
        co_await forever(resident{alive}, begun);
      });
    }
  };
  auto handle = spawn(rt_, local::outer(alive, begun));
  while (begun != 7) std::this_thread::yield();
  handle.cancel();
  EXPECT_THROW(handle.get(), filch::task_cancelled);
  EXPECT_EQ(alive, 0);
}

TEST_P(group, a_scope_that_loses_in_any_ends_with_its_members) {
  std::atomic<std::int64_t> alive{0};
  std::atomic<int> begun{0};
  struct local {
    static task<> quick(const std::atomic<int>& begun) {
      while (begun == 0) co_await filch::yield();
    }
    static task<std::size_t> both(std::atomic<std::int64_t>& alive, std::atomic<int>& begun) {
      auto scope = async_scope([&](task_group& members) -> task<> {
        members.spawn(forever(resident{alive}, begun));
        co_return;
      });
      const auto won = co_await filch::any(std::move(scope), quick(begun));
      co_return won.index;
    }
  };
  EXPECT_EQ(rt_.run(local::both(alive, begun)), 1u);
  EXPECT_EQ(alive, 0);
}

TEST_P(group, who_cancels_its_own_group_has_not_failed) {
  std::atomic<std::int64_t> alive{0};
  std::atomic<int> begun{0};
  const auto body = [&](task_group& members) -> task<> {
    for (int i = 0; i != 5; ++i) members.spawn(forever(resident{alive}, begun));
    while (begun != 5) co_await filch::yield();
    members.cancel();
    members.spawn(forever(resident{alive}, begun));
    co_await filch::yield();
    ADD_FAILURE() << "the body is asked, too";
  };
  rt_.run(async_scope(body));
  EXPECT_EQ(alive, 0);
  const auto fails = [&](task_group& members) -> task<> {
    members.cancel();
    throw std::runtime_error("another reason");
    co_return;
  };
  EXPECT_THROW(rt_.run(async_scope(fails)), std::runtime_error);
}

// On one worker the members do not start before the body has ended.
TEST(group_one, members_that_have_not_started_do_not_and_the_scope_says_so) {
  filch::runtime rt{{.workers = 1}};
  std::atomic<std::int64_t> alive{0};
  std::atomic<int> begun{0};
  const auto fails = [&](task_group& members) -> task<> {
    for (int i = 0; i != 5; ++i) members.spawn(forever(resident{alive}, begun));
    throw std::runtime_error("at once");
    co_return;
  };
  EXPECT_THROW(rt.run(async_scope(fails)), std::runtime_error);
  EXPECT_EQ(begun, 0);
  EXPECT_EQ(alive, 0);

  std::atomic<bool> has_begun{false};
  const auto waits = [&](task_group& members) -> task<> {
    members.spawn(forever(resident{alive}, begun));
    const std::stop_token asked = co_await filch::this_task::stop_token();
    has_begun = true;
    while (!asked.stop_requested()) std::this_thread::yield();
  };
  auto handle = spawn(rt, async_scope(waits));
  while (!has_begun) std::this_thread::yield();
  handle.cancel();
  EXPECT_THROW(handle.get(), filch::task_cancelled);
  EXPECT_EQ(begun, 0);
  EXPECT_EQ(alive, 0);
}

TEST_P(group, members_come_from_plain_functions_and_other_threads_while_one_has_not_ended) {
  std::atomic<int> count{0};
  const auto body = [&](task_group& members) -> task<> {
    std::atomic<bool> is_done{false};
    std::thread outside{[&] {
      for (int i = 0; i != 20; ++i) members.spawn(count_up(count, 1));
      is_done = true;
    }};
    while (!is_done) co_await filch::yield();
    outside.join();
    co_await rt_.submit([&] { members.spawn(count_up(count, 2)); });
  };
  rt_.run([&] { filch::wait(async_scope(body)); });
  EXPECT_EQ(count, 21);
}

TEST_P(group, a_body_that_is_a_plain_function_spawns_members_before_it_returns_or_throws) {
  struct local {
    static task<> member(std::atomic<int>& ended) {
      co_await filch::yield();
      ++ended;
    }
  };
  for (const bool throws : {false, true}) {
    std::atomic<int> ended{0};
    const auto body = [&](task_group& members) {
      for (int i = 0; i != 10; ++i) members.spawn(local::member(ended));
      if (throws) throw std::runtime_error("no body");
      return nothing();
    };
    const auto run = [&] { rt_.run(async_scope(body)); };
    if (throws) {
      EXPECT_THROW(run(), std::runtime_error);  // the members are asked to stop
    } else {
      run();
      EXPECT_EQ(ended, 10);
    }
  }
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

TEST_P(group, a_task_without_a_coroutine_is_refused) {
  const auto body = [](task_group& members) -> task<> {
    task<> made = nothing();
    const task<> moved = std::move(made);
    members.spawn(std::move(made));
    co_return;
  };
  EXPECT_THROW(rt_.run(async_scope(body)), filch::usage_error);
}

// A tree of scopes, some of which fail, cancel themselves or end.
task<> mix(resident mine, filch::random_stream random, int depth) {
  const resident here{mine};
  co_await filch::yield();
  const std::uint64_t kind = random.below(12);
  if (kind == 0) throw std::runtime_error("by chance");
  if (depth == 0) co_return;
  // g++ 12 refuses a lambda whose captures have destructors inside the co_await (runtime/awaited_temporary.hpp).
  task group = async_scope([mine, random, depth, kind](task_group& members) mutable -> task<> {
    const std::uint64_t width = random.below(4);
    for (std::uint64_t i = 0; i != width; ++i) {
      members.spawn(mix(mine, random.split(i), depth - 1));
      if (random.below(2) == 0) co_await filch::yield();
    }
    if (kind == 1) members.cancel();
  });
  co_await std::move(group);
}

// Property: whatever fails or is cancelled, and when, each object in the frames is destroyed. Oracle: the number alive.
TEST_P(group, trees_of_scopes_that_fail_or_are_cancelled_at_any_time_leave_nothing_behind) {
  filch::random_stream random{filch_test::test_seed()};
  std::atomic<std::int64_t> alive{0};
  for (std::uint64_t i = 0; i != 30; ++i) {
    filch::random_stream own = random.split(i);
    std::vector<filch::join_handle<void>> roots;
    for (std::uint64_t k = 0; k != 3; ++k) roots.push_back(spawn(rt_, mix(resident{alive}, own.split(k), 5)));
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds{own.below(300)};
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    for (auto& each : roots) {
      if (own.below(2) != 0) each.cancel();
    }
    for (auto& each : roots) {
      try {
        each.get();
      } catch (const filch::task_cancelled&) {
      } catch (const std::runtime_error&) {}
    }
    roots.clear();
    rt_.wait_idle();
    ASSERT_EQ(alive, 0);
  }
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

}  // namespace
