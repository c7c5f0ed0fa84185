// What dumps and shutdowns tell of tasks: their numbers and names, where they wait, and for what.
#include <filch/coro/all.hpp>
#include <filch/coro/any.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/this_task.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <regex.h>

namespace {

using filch::spawn;
using filch::task;

// A bell that coroutines wait for until the test rings it.
class bell {
 public:
  struct ring_awaiter {
    static constexpr const char* k_reason = "a bell";

    explicit ring_awaiter(bell& of) : from{of} {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> who) {
      self.arm(who);
      const std::lock_guard lock{from.mutex_};
      from.line_.push_back(&self);
      ++from.waiting;
    }
    void await_resume() const noexcept {}

    bell& from;
    filch::coro::waiter self;
  };

  ring_awaiter operator co_await() { return ring_awaiter{*this}; }
  void ring() {
    std::vector<filch::coro::waiter*> all;
    {
      const std::lock_guard lock{mutex_};
      all.swap(line_);
    }
    for (auto* each : all) each->wake();
  }

  std::atomic<int> waiting{0};

 private:
  std::mutex mutex_;
  std::vector<filch::coro::waiter*> line_;
};

task<int> listen(bell& to) {
  co_await to;
  co_return 1;
}
task<int> ask(bell& to) { co_return co_await listen(to); }
task<int> ask_twice(bell& to) {
  auto [a, b] = co_await filch::all(ask(to), ask(to));
  co_return a + b;
}

void wait_until(const std::atomic<int>& count, int is) {
  while (count != is) std::this_thread::yield();
}

// The system's: g++ 12 with sanitizers warns inside std::regex.
bool has(const std::string& text, const std::string& pattern) {
  regex_t compiled;
  if (::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0) return false;
  const bool is_found = ::regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return is_found;
}

class tracking : public testing::TestWithParam<unsigned> {
 protected:
  bell bell_;
  filch::runtime rt_{{.workers = GetParam(), .track_tasks = true}};
};
INSTANTIATE_TEST_SUITE_P(workers, tracking, testing::Values(1u, 2u, 4u));

TEST_P(tracking, a_dump_lists_suspended_tasks_with_the_chain_of_their_awaits) {
  auto handle = spawn(rt_, ask_twice(bell_), {.name = "asker"});
  wait_until(bell_.waiting, 2);
  const std::string text = rt_.dump();
  EXPECT_TRUE(has(text, "1 spawned tasks have started and not ended")) << text;
  EXPECT_TRUE(has(text,
                  "task [0-9]+ \\(asker\\) waits for a bell in listen at tracking_test.cpp:[0-9]+ ← ask at "
                  "tracking_test.cpp:[0-9]+ ← ask_twice at tracking_test.cpp:[0-9]+"))
      << text;
  bell_.ring();
  EXPECT_EQ(handle.get(), 2);
  rt_.wait_idle();
  EXPECT_FALSE(has(rt_.dump(), "asker"));
  EXPECT_FALSE(has(rt_.dump(), "waits for"));
}

TEST_P(tracking, a_dump_says_which_spawned_task_is_awaited) {
  struct local {
    static task<int> outer(bell& to) {
      auto inner = spawn(ask(to), {.name = "inner"});
      co_return co_await std::move(inner);
    }
  };
  auto handle = spawn(rt_, local::outer(bell_), {.name = "outer"});
  wait_until(bell_.waiting, 1);
  while (!has(rt_.dump(), "waits for a spawned task")) std::this_thread::yield();
  const std::string text = rt_.dump();
  EXPECT_TRUE(has(text, "\\(outer\\) waits for a spawned task, task [0-9]+ \\(inner\\), in .*outer at tracking_test"))
      << text;
  bell_.ring();
  EXPECT_EQ(handle.get(), 1);
}

TEST_P(tracking, a_task_names_itself_and_racers_belong_to_it) {
  struct local {
    static task<int> racer(bell& to) {
      co_await filch::this_task::set_name("renamed");
      co_return co_await ask(to);
    }
    static task<int> race(bell& to) {
      const auto first = co_await filch::any(racer(to), racer(to));
      co_return first.value;
    }
  };
  auto handle = spawn(rt_, local::race(bell_));
  wait_until(bell_.waiting, 2);
  EXPECT_TRUE(has(rt_.dump(), "\\(renamed\\) waits for a bell")) << rt_.dump();
  bell_.ring();
  EXPECT_EQ(handle.get(), 1);
}

TEST_P(tracking, a_task_that_a_thread_waits_for_is_listed_too) {
  std::thread other{[&] { EXPECT_EQ(rt_.run(ask(bell_)), 1); }};
  wait_until(bell_.waiting, 1);
  EXPECT_TRUE(has(rt_.dump(), "a task that was not spawned waits for a bell in listen")) << rt_.dump();
  bell_.ring();
  other.join();
}

// A small form of what bench/async/waiting_tasks.cpp does.
TEST(tracking_one, many_tasks_wait_at_the_same_time) {
  constexpr int k_tasks = 20'000;
  bell to;
  filch::runtime rt{{.workers = 2, .track_tasks = false}};
  struct local {
    static task<> spawn_all(bell& all) {
      for (int i = 0; i != k_tasks; ++i) spawn(listen(all)).detach();
      co_return;
    }
  };
  rt.run(local::spawn_all(to));
  wait_until(to.waiting, k_tasks);
  EXPECT_FALSE(rt.wait_idle_for(std::chrono::milliseconds{1}));
  to.ring();
  rt.wait_idle();
  EXPECT_EQ(rt.statistics().unfinished(), 0u);
}

// Property: dumps may be taken at any time. Oracle: the sanitizers, and that everything ends.
TEST_P(tracking, dumps_are_taken_while_tasks_come_and_go) {
  struct local {
    static task<int> turns(int n) {
      for (int i = 0; i != n; ++i) co_await filch::yield();
      co_return n;
    }
    static task<int> tree(int depth) {
      if (depth == 0) co_return co_await turns(2);
      auto beside = spawn(tree(depth - 1));
      auto [a, b] = co_await filch::all(turns(1), tree(depth - 1));
      co_return a + b + co_await std::move(beside);
    }
  };
  auto handle = spawn(rt_, local::tree(7));
  while (!handle.is_ready()) (void)rt_.dump();
  EXPECT_EQ(handle.get(), 2 * 128 + 127);
}

TEST(tracking_one, a_shutdown_that_waits_in_vain_tells_for_whom) {
  bell never;
  std::mutex mutex;
  std::string told;
  std::thread later;
  {
    filch::runtime rt{{.workers = 2,
                       .on_report =
                           [&](const std::string& text) {
                             {
                               const std::lock_guard lock{mutex};
                               told += text;
                             }
                             never.ring();
                           },
                       .track_tasks = true}};
    spawn(rt, ask(never), {.name = "forgotten"}).detach();
    wait_until(never.waiting, 1);
    EXPECT_TRUE(rt.shutdown(std::chrono::milliseconds{1}));
  }
  EXPECT_TRUE(has(told, "the shutdown of runtime \"filch\" waits")) << told;
  EXPECT_TRUE(has(told, "\\(forgotten\\) waits for a bell in listen at")) << told;
}

TEST(tracking_one, a_shutdown_without_tracking_says_how_to_see_more) {
  bell never;
  std::string told;
  filch::runtime rt{{.workers = 1,
                     .on_report =
                         [&](const std::string& text) {
                           told = text;
                           never.ring();
                         },
                     .track_tasks = false}};
  spawn(rt, ask(never)).detach();
  wait_until(never.waiting, 1);
  EXPECT_FALSE(has(rt.dump(), "a bell"));
  rt.shutdown(std::chrono::milliseconds{1});
  EXPECT_TRUE(has(told, "FILCH_TRACK_TASKS=on")) << told;
}

TEST(tracking_one, the_environment_switches_it_on_and_off_and_nothing_else) {
  ASSERT_EQ(::setenv("FILCH_TRACK_TASKS", "on", 1), 0);
  EXPECT_TRUE((*filch::runtime{{.workers = 1}}.chosen_options().track_tasks));
  ASSERT_EQ(::setenv("FILCH_TRACK_TASKS", "off", 1), 0);
  EXPECT_FALSE((*filch::runtime{{.workers = 1}}.chosen_options().track_tasks));
  ASSERT_EQ(::setenv("FILCH_TRACK_TASKS", "yes", 1), 0);
  EXPECT_THROW(filch::runtime{{.workers = 1}}, std::invalid_argument);
  ASSERT_EQ(::unsetenv("FILCH_TRACK_TASKS"), 0);
}

}  // namespace
