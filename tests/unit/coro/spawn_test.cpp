// spawn and its handles: results, detached tasks, cancellation, and the end of the runtime.
#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace {

using filch::join_handle;
using filch::spawn;
using filch::task;

class spawning : public testing::TestWithParam<unsigned> {
 protected:
  filch::runtime rt_{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(workers, spawning, testing::Values(1u, 2u, 4u));

task<int> give(int value) {
  co_await filch::yield();
  co_return value;
}
task<int> fail() {
  co_await filch::yield();
  throw std::runtime_error("from the task");
}
task<> add(std::atomic<int>& sum, int value) {
  co_await filch::yield();
  sum += value;
}

TEST_P(spawning, a_spawned_task_is_awaited_by_another) {
  struct local {
    static task<int> sum() {
      std::vector<join_handle<int>> handles;
      for (int i = 0; i != 100; ++i) handles.push_back(spawn(give(i)));
      int got = 0;
      for (auto& each : handles) got += co_await std::move(each);
      co_return got;
    }
  };
  for (int i = 0; i != 5; ++i) EXPECT_EQ(rt_.run(local::sum()), 4950);
}

TEST_P(spawning, a_handle_is_waited_for_on_any_thread) {
  auto outside = spawn(rt_, give(3));
  EXPECT_EQ(outside.get(), 3);
  EXPECT_FALSE(outside.valid());
  EXPECT_THROW((void)outside.get(), filch::no_state);
  EXPECT_EQ(rt_.run([] { return spawn(give(4)).get(); }), 4);
  EXPECT_EQ(spawn(give(5)).get(), 5);  // the default runtime
}

TEST_P(spawning, an_exception_arrives_where_the_handle_is_awaited) {
  struct local {
    static task<bool> caught() {
      bool was_thrown = false;
      try {
        (void)co_await spawn(fail());
      } catch (const std::runtime_error&) {
        was_thrown = true;
      }
      co_return was_thrown;
    }
  };
  EXPECT_TRUE(rt_.run(local::caught()));
  EXPECT_THROW((void)spawn(rt_, fail()).get(), std::runtime_error);
}

TEST_P(spawning, the_runtime_waits_for_detached_tasks) {
  std::atomic<int> sum{0};
  for (int i = 0; i != 100; ++i) spawn(rt_, add(sum, 1)).detach();
  rt_.wait_idle();
  EXPECT_EQ(sum, 100);
  struct local {
    static task<> many(std::atomic<int>& to) {
      for (int i = 0; i != 100; ++i) spawn(add(to, 1)).detach();
      co_return;
    }
  };
  spawn(rt_, local::many(sum)).detach();
  rt_.shutdown();
  EXPECT_EQ(sum, 200);
}

// Property: a task that waits for something that is no task keeps the runtime from being idle. The event is another
// runtime's task, which waits for the test.
TEST_P(spawning, a_task_that_waits_keeps_the_runtime_busy) {
  filch::runtime other{{.workers = 1}};
  std::atomic<bool> may_end{false};
  struct local {
    static task<int> wait_for(std::atomic<bool>& flag) {
      while (!flag) co_await filch::yield();
      co_return 1;
    }
    static task<int> await_other(filch::runtime& at, std::atomic<bool>& flag) {
      co_return co_await spawn(at, wait_for(flag));
    }
  };
  auto handle = spawn(rt_, local::await_other(other, may_end));
  EXPECT_FALSE(rt_.wait_idle_for(std::chrono::milliseconds{20}));
  may_end = true;
  rt_.wait_idle();
  EXPECT_TRUE(handle.is_ready());
  EXPECT_EQ(handle.get(), 1);
}

TEST_P(spawning, a_task_that_has_not_started_can_be_cancelled) {
  const auto held = std::make_shared<int>(1);
  struct local {
    static task<int> use(std::shared_ptr<int> what) { co_return *what; }
    static task<int> cancelled(std::shared_ptr<int> what) {
      co_await filch::on(filch::worker_id{0});
      std::stop_source source;
      source.request_stop();
      auto by_token = spawn(use(what), {.stop = source.get_token()});
      int caught = 0;
      try {
        (void)co_await std::move(by_token);
      } catch (const filch::task_cancelled&) {
        ++caught;
      }
      co_return caught;
    }
  };
  EXPECT_EQ(rt_.run(local::cancelled(held)), 1);
  EXPECT_EQ(held.use_count(), 1);
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

TEST(spawning_one, a_cancelled_handle_says_so_if_the_task_had_not_started) {
  filch::runtime rt{{.workers = 1}};
  std::atomic<bool> may_go_on{false};
  rt.spawn([&] {
    while (!may_go_on) std::this_thread::yield();
  });
  auto handle = spawn(rt, give(1));
  handle.cancel();
  may_go_on = true;
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
}

TEST(spawning_one, a_shutdown_with_a_deadline_cancels_what_has_not_started) {
  filch::runtime rt{{.workers = 1}};
  std::atomic<bool> may_go_on{false};
  rt.spawn([&] {
    while (!may_go_on) std::this_thread::yield();
  });
  auto handle = spawn(rt, give(1));
  std::thread later{[&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{30});
    may_go_on = true;
  }};
  EXPECT_FALSE(rt.shutdown(std::chrono::milliseconds{1}));
  later.join();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  EXPECT_THROW((void)spawn(rt, give(1)), filch::usage_error);
}

}  // namespace
