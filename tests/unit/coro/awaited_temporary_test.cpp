// What is made inside a co_await and has a destructor is destroyed once, with every compiler. The sources in
// tests/compile_fail/gcc12 are those that g++ 12 must refuse instead.
#include <filch/coro/await_future.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/task_group.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sync/once.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stop_token>
#include <utility>

namespace {

using filch::task;

task<> nothing() { co_return; }

// Property: a stop token in options that are written inside the co_await is released once per use.
// Oracle: the source of the tokens still works. Released twice, its state would be freed while the source holds it:
// this test then ended in an abort of the allocator or a report of AddressSanitizer.
// Method: more uses than the source and its owner hold references.
task<> with_options(filch::runtime& rt, std::stop_token stop) {
  for (int i = 0; i != 8; ++i) {
    co_await rt.submit([] {}, {.stop = stop});
    co_await filch::spawn(nothing(), {.name = "one", .stop = std::stop_token{stop}});
    co_await filch::spawn(rt, nothing(), filch::submit_options{.stop = stop});
  }
}

TEST(awaited_temporary, a_stop_token_in_options_is_released_once) {
  filch::runtime rt{{.workers = 2}};
  std::stop_source source;
  rt.run(with_options(rt, source.get_token()));
  bool was_called = false;
  {
    const std::stop_callback call{source.get_token(), [&] { was_called = true; }};
    source.request_stop();
  }
  EXPECT_TRUE(was_called);
}

TEST(awaited_temporary, options_with_a_stop_token_can_be_copied_and_assigned) {
  std::stop_source source;
  const filch::submit_options first{.stop = source.get_token()};
  filch::submit_options second = first;
  filch::submit_options third;
  EXPECT_FALSE(third.stop.stop_possible());
  third = second;
  second.stop = {};
  third.stop = std::as_const(third).stop;
  const filch::submit_options last = std::move(third);
  source.request_stop();
  EXPECT_TRUE(first.stop.stop_requested());
  EXPECT_FALSE(second.stop.stop_possible());
  EXPECT_TRUE(last.stop.stop_requested());
  const std::stop_token token = last.stop;
  EXPECT_TRUE(token.stop_requested());
}

// What a lambda captures is destroyed once if what awaits is stored first, as the refusal of g++ 12 asks for.
task<> with_stored(filch::runtime& rt, std::shared_ptr<int> held) {
  filch::future sum = rt.submit([held] { return ++*held; });
  (void)co_await std::move(sum);
  filch::task group = filch::async_scope([held](filch::task_group& each) -> task<> {
    each.spawn(nothing());
    ++*held;
    co_return;
  });
  co_await std::move(group);
  filch::once first;
  filch::task once = first.async_call([held] { ++*held; });
  co_await std::move(once);
}

TEST(awaited_temporary, a_capture_of_a_stored_lambda_is_destroyed_once) {
  const auto held = std::make_shared<int>(0);
  {
    filch::runtime rt{{.workers = 2}};
    rt.run(with_stored(rt, held));
  }
  EXPECT_EQ(*held, 3);
  EXPECT_EQ(held.use_count(), 1);
}

// Functions whose result cannot be awaited inside the expression that makes it: `once` stores it first. The two may
// run at the same time.
task<> once_of_what_is_stored(filch::runtime& rt, std::shared_ptr<std::atomic<int>> held) {
  filch::once first;
  const auto submits = [&rt, &held] { return rt.submit([held] { ++*held; }); };
  static_assert(requires { submits().valid(); });
  co_await first.async_call(submits);
  filch::once second;
  const auto awaits = [&held] {
    return filch::async_scope([held](filch::task_group&) -> task<> {
      ++*held;
      co_return;
    });
  };
  static_assert(requires { awaits().operator co_await(); });
  co_await second.async_call(awaits);
}

TEST(awaited_temporary, a_once_takes_a_function_whose_result_must_be_stored) {
  const auto held = std::make_shared<std::atomic<int>>(0);
  {
    filch::runtime rt{{.workers = 2}};
    rt.run(once_of_what_is_stored(rt, held));
  }
  EXPECT_EQ(held->load(), 2);
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
