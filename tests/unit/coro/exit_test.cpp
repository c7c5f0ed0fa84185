// exit() in the middle of what a static runtime does: the process ends with the code that was given.
#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

namespace {

constexpr int k_code = 7;

// Its static runtime is destroyed by the thread that calls exit().
[[noreturn]] void with_a_static_runtime(const std::function<void(filch::runtime&)>& body) {
  static filch::runtime rt{{.workers = 2}};
  body(rt);
  std::_Exit(1);
}

void expect_exit(const std::function<void(filch::runtime&)>& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(with_a_static_runtime(body), testing::ExitedWithCode(k_code), "");
}

filch::task<> leave() {
  co_await filch::yield();
  std::exit(k_code);
}

filch::task<> leave_among_children() { co_await filch::all(leave(), leave()); }

TEST(exit_death, in_a_task_ends_the_process) {
  expect_exit([](filch::runtime& rt) { rt.run([] { std::exit(k_code); }); });
}

TEST(exit_death, in_a_task_while_the_other_worker_is_busy_ends_the_process) {
  expect_exit([](filch::runtime& rt) {
    std::atomic<bool> has_begun{false};
    rt.spawn([&] {
      has_begun = true;
      for (;;) std::this_thread::yield();
    });
    while (!has_begun) std::this_thread::yield();
    rt.run([] { std::exit(k_code); });
  });
}

TEST(exit_death, in_a_blocking_section_ends_the_process) {
  expect_exit([](filch::runtime& rt) { rt.run([] { filch::blocking([] { std::exit(k_code); }); }); });
}

TEST(exit_death, in_a_coroutine_ends_the_process) {
  expect_exit([](filch::runtime& rt) { rt.run(leave()); });
  expect_exit([](filch::runtime& rt) { filch::spawn(rt, leave_among_children()).get(); });
}

TEST(exit_death, in_a_child_of_a_join_or_a_scope_ends_the_process) {
  expect_exit([](filch::runtime& rt) { rt.run([] { filch::join([] { std::exit(k_code); }, [] {}); }); });
  expect_exit([](filch::runtime& rt) {
    rt.run([] { filch::scope([](filch::scope_handle& in) { in.spawn([] { std::exit(k_code); }); }); });
  });
}

// On a worker and on the thread that began the loop.
TEST(exit_death, in_a_loop_ends_the_process) {
  expect_exit([](filch::runtime& rt) {
    rt.run([] {
      filch::for_index(1000, [](int i) {
        if (i == 777) std::exit(k_code);
      });
    });
  });
  expect_exit([](filch::runtime&) {
    filch::for_index(1000, [](int i) {
      if (i == 777) std::exit(k_code);
    });
  });
}

// What is destroyed behind the runtime is still used by its tasks.
struct uses_runtime_at_end {
  std::unique_ptr<filch::runtime> rt = std::make_unique<filch::runtime>(filch::options{.workers = 2});
  ~uses_runtime_at_end() {
    if (rt->run([] { return 3; }) != 3) std::_Exit(2);
    rt.reset();
  }
};
[[noreturn]] void with_a_runtime_that_is_used_at_the_end() {
  static const uses_runtime_at_end held;
  held.rt->run([] { std::exit(k_code); });
  std::_Exit(1);
}
TEST(exit_death, destructors_of_static_objects_may_use_the_runtime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(with_a_runtime_that_is_used_at_the_end(), testing::ExitedWithCode(k_code), "");
}

}  // namespace
