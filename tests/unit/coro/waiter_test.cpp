// Who waits resumes exactly once, whoever it is and whoever wakes it.
#include <support/stress.hpp>

#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/fork/scope.hpp>
#include <filch/fork/stay_on_thread.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace {

using filch::task;
using filch::coro::waiter;
using filch_test::scaled;

// Suspends and shows who waits; resumes when woken.
struct until_woken {
  std::atomic<waiter*>& shown;
  waiter self{"a test"};

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) {
    self.arm(who);
    shown = &self;
  }
  void await_resume() const noexcept {}
};

waiter& shown_by(std::atomic<waiter*>& place) {
  while (place == nullptr) std::this_thread::yield();
  return *place.exchange(nullptr);
}

class waiting : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{{.workers = GetParam()}};
  std::atomic<waiter*> shown_{nullptr};

  task<int> wait_once(int result) {
    co_await until_woken{shown_};
    co_return result;
  }
};

TEST_P(waiting, a_coroutine_is_woken_from_outside) {
  auto handle = filch::spawn(rt_, wait_once(5));
  shown_by(shown_).wake();
  EXPECT_EQ(handle.get(), 5);
}

TEST_P(waiting, a_coroutine_is_woken_by_another) {
  const auto wake_one = [](std::atomic<waiter*>& shown) -> task<> {
    while (shown == nullptr) co_await filch::yield();
    shown.exchange(nullptr)->wake();
  };
  const auto both = [&]() -> task<int> {
    const auto [waited, woke] = co_await filch::all(wait_once(6), wake_one(shown_));
    (void)woke;
    co_return waited;
  };
  EXPECT_EQ(rt_.run(both()), 6);
}

TEST_P(waiting, a_coroutine_that_goes_on_after_all_leaves_nothing_behind) {
  struct not_at_all {
    waiter self;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> who) {
      self.arm(who);
      return false;
    }
    void await_resume() const noexcept {}
  };
  const auto several = []() -> task<int> {
    for (int i = 0; i != 100; ++i) co_await not_at_all{};
    co_return 7;
  };
  EXPECT_EQ(rt_.run(several()), 7);
}

TEST_P(waiting, a_stack_is_woken_before_it_waits_and_after) {
  rt_.run([&] {
    waiter woken;
    woken.wake();
    woken.wait_here();
  });
  auto later = rt_.submit([&] {
    waiter self;
    shown_ = &self;
    self.wait_here();
    return 8;
  });
  shown_by(shown_).wake();
  EXPECT_EQ(later.get(), 8);
}

TEST_P(waiting, a_stack_that_must_stay_on_its_thread_does) {
  auto later = rt_.submit([&] {
    const filch::stay_on_thread here;
    const auto before = std::this_thread::get_id();
    waiter self;
    shown_ = &self;
    self.wait_here();
    return std::this_thread::get_id() == before;
  });
  rt_.run([&] { shown_by(shown_).wake(); });
  EXPECT_TRUE(later.get());
}

TEST_P(waiting, an_outside_thread_is_woken_before_it_waits_and_after) {
  waiter woken;
  woken.wake();
  woken.wait_here();
  waiter self;
  auto inside = rt_.submit([&] { self.wake(); });
  self.wait_here();
  inside.get();
}

// Property: more stacks wait than there are workers, and the workers go on with other tasks.
TEST_P(waiting, a_worker_does_not_wait_with_its_stack) {
  const std::size_t count = 3 * GetParam();
  std::vector<std::unique_ptr<waiter>> selves;
  for (std::size_t i = 0; i != count; ++i) selves.push_back(std::make_unique<waiter>());
  std::atomic<std::size_t> begun{0};
  std::vector<filch::future<void>> tasks;
  for (std::size_t i = 0; i != count; ++i) {
    tasks.push_back(rt_.submit([&, i] {
      ++begun;
      selves[i]->wait_here();
    }));
  }
  while (begun != count) std::this_thread::yield();
  rt_.run([&] {
    for (auto& each : selves) each->wake();
  });
  for (auto& each : tasks) each.get();
}

// Property: a coroutine may be woken while the runtime is being shut down, and the runtime waits for it.
TEST(waiter, a_coroutine_goes_on_although_its_runtime_is_being_destroyed) {
  for (int i = 0; i != static_cast<int>(scaled(200)); ++i) {
    std::atomic<waiter*> shown{nullptr};
    std::atomic<bool> has_ended{false};
    const auto wait_then_tell = [](std::atomic<waiter*>& place, std::atomic<bool>& told) -> task<> {
      co_await until_woken{place};
      told = true;
    };
    std::optional<filch::runtime> rt{std::in_place, filch::options{.workers = 2}};
    filch::spawn(*rt, wait_then_tell(shown, has_ended)).detach();
    waiter& other = shown_by(shown);
    std::thread waker{[&] { other.wake(); }};
    rt.reset();
    EXPECT_TRUE(has_ended);
    waker.join();
  }
}

// Property: no wake is lost, whoever gives it. Oracle: the counts, and that it ends. A ring of coroutines hands a token
// on.
TEST_P(waiting, no_wake_is_lost_in_a_ring) {
  constexpr std::size_t k_members = 5;
  const auto laps = static_cast<int>(scaled(2000));
  std::atomic<waiter*> places[k_members] = {};
  std::atomic<int> turns{0};
  const auto member = [&](std::size_t self) -> task<> {
    for (int i = 0; i != laps; ++i) {
      co_await until_woken{places[self]};
      ++turns;
      if (self + 1 == k_members && i + 1 == laps) co_return;
      std::atomic<waiter*>& next = places[(self + 1) % k_members];
      while (next == nullptr) co_await filch::yield();
      next.exchange(nullptr)->wake();
    }
  };
  std::vector<filch::join_handle<void>> handles;
  for (std::size_t i = 0; i != k_members; ++i) handles.push_back(filch::spawn(rt_, member(i)));
  shown_by(places[0]).wake();
  for (auto& each : handles) each.get();
  EXPECT_EQ(turns, laps * static_cast<int>(k_members));
}

INSTANTIATE_TEST_SUITE_P(workers, waiting, testing::Values(1, 2, 4));

TEST(stop_token_of, is_empty_for_coroutines_of_others) {
  EXPECT_FALSE(filch::coro::stop_token_of(std::coroutine_handle<>{}).stop_possible());
}

}  // namespace
