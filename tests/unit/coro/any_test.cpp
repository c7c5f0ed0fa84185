// any: the first result wins, the others stop and are awaited.
#include <filch/coro/all.hpp>
#include <filch/coro/any.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/this_task.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace {

using filch::any;
using filch::task;

class any_task : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  filch::runtime rt_{
      {.workers = std::get<0>(GetParam()), .idle = std::get<1>(GetParam()) ? filch::idle::eco : filch::idle::balanced}};
};
INSTANTIATE_TEST_SUITE_P(workers, any_task, testing::Combine(testing::Values(1u, 2u, 4u), testing::Bool()));

// How many run now.
struct presence {
  explicit presence(std::atomic<int>& count) : here{count} { ++here; }
  presence(const presence&) = delete;
  presence& operator=(const presence&) = delete;
  ~presence() { --here; }
  std::atomic<int>& here;
};

template <class T>
task<T> give(T value, int turns) {
  for (int i = 0; i != turns; ++i) co_await filch::yield();
  co_return value;
}
task<int> never(std::atomic<int>& running) {
  const presence here{running};
  while (true) co_await filch::yield();
  co_return 0;
}
task<int> fail(const char* why, int turns) {
  for (int i = 0; i != turns; ++i) co_await filch::yield();
  throw std::runtime_error(why);
}

TEST_P(any_task, the_first_result_wins_and_none_of_the_others_runs_afterwards) {
  struct local {
    static task<> race(std::atomic<int>& running) {
      const auto first = co_await any(never(running), give(7, 5), never(running), fail("no winner", 0));
      EXPECT_EQ(first.index, 1u);
      EXPECT_EQ(first.value, 7);
      EXPECT_EQ(running, 0);
    }
  };
  std::atomic<int> running{0};
  for (int i = 0; i != 30; ++i) rt_.run(local::race(running));
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

TEST_P(any_task, tasks_of_different_types_give_a_variant) {
  struct local {
    static task<> nothing_now() { co_return; }
    static task<int&> refer(int& there) { co_return there; }
    static task<> race(std::atomic<int>& running) {
      const auto text = co_await any(never(running), give(std::string{"text"}, 2));
      static_assert(std::is_same_v<std::remove_cvref_t<decltype(text.value)>, std::variant<int, std::string>>);
      EXPECT_EQ(text.index, 1u);
      EXPECT_EQ(std::get<1>(text.value), "text");
      const auto empty = co_await any(never(running), nothing_now());
      EXPECT_EQ(empty.index, 1u);
      EXPECT_EQ(empty.value.index(), 1u);
      const auto only = co_await any(nothing_now());
      EXPECT_EQ(only.index, 0u);
      int there = 1;
      auto same = co_await any(refer(there));
      EXPECT_EQ(&same.value.get(), &there);
    }
  };
  std::atomic<int> running{0};
  rt_.run(local::race(running));
  EXPECT_EQ(running, 0);
}

TEST_P(any_task, a_range_of_tasks_gives_the_first) {
  struct local {
    static task<> race(std::atomic<int>& running) {
      std::vector<task<int>> tasks;
      for (int i = 0; i != 50; ++i) tasks.push_back(i == 33 ? give(i, 3) : never(running));
      const auto first = co_await any(std::move(tasks));
      EXPECT_EQ(first.index, 33u);
      EXPECT_EQ(first.value, 33);
      EXPECT_EQ(running, 0);
      const auto viewed =
          co_await any(std::views::iota(0, 3) | std::views::transform([](int i) { return give(i, 0); }));
      EXPECT_EQ(static_cast<int>(viewed.index), viewed.value);
    }
    static task<> of_none() { (void)co_await any(std::vector<task<int>>{}); }
  };
  std::atomic<int> running{0};
  rt_.run(local::race(running));
  EXPECT_THROW(rt_.run(local::of_none()), filch::usage_error);
}

TEST_P(any_task, if_all_throw_the_exception_of_the_first_argument_is_rethrown) {
  struct local {
    static task<int> several() {
      const auto first = co_await any(fail("first", 3), fail("second", 0), fail("third", 1));
      co_return first.value;
    }
    static task<int> many() {
      std::vector<task<int>> tasks;
      for (int i = 0; i != 5; ++i) tasks.push_back(fail(i == 0 ? "first" : "later", 5 - i));
      const auto first = co_await any(std::move(tasks));
      co_return first.value;
    }
  };
  for (auto* each : {&local::several, &local::many}) {
    try {
      (void)rt_.run(each());
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
    }
  }
}

TEST_P(any_task, a_parent_that_is_asked_to_stop_asks_its_racers) {
  struct local {
    static task<int> race(std::atomic<int>& running) {
      const auto first = co_await any(never(running), inner(running));
      co_return first.value;
    }
    static task<int> inner(std::atomic<int>& running) {
      const auto first = co_await any(never(running), never(running));
      co_return first.value;
    }
  };
  std::atomic<int> running{0};
  auto handle = filch::spawn(rt_, local::race(running));
  while (running != 3) std::this_thread::yield();
  handle.cancel();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  EXPECT_EQ(running, 0);
}

TEST_P(any_task, a_loser_may_end_with_a_result_of_its_own) {
  struct local {
    static task<int> polite() {
      const std::stop_token asked = co_await filch::this_task::stop_token();
      while (!asked.stop_requested()) std::this_thread::yield();
      co_return 1;
    }
    static task<int> race() {
      const auto first = co_await any(give(2, 3), polite());
      co_return first.value;
    }
  };
  if (std::get<0>(GetParam()) == 1) return;  // it computes without a pause: the other needs a worker of its own
  for (int i = 0; i != 20; ++i) EXPECT_EQ(rt_.run(local::race()), 2);
}

// The last argument starts at once and wins at once; the others lie in the queue.
TEST(any_one, what_has_not_started_when_another_wins_never_starts) {
  filch::runtime rt{{.workers = 1}};
  struct local {
    static task<int> count(int& started) {
      ++started;
      co_return 1;
    }
    static task<int> race(int& started) {
      const auto first = co_await any(count(started), count(started), count(started));
      EXPECT_EQ(first.index, 2u);
      co_return first.value;
    }
  };
  int started = 0;
  EXPECT_EQ(rt.run(local::race(started)), 1);
  EXPECT_EQ(started, 1);
}

}  // namespace
