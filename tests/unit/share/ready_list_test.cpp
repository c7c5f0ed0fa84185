// Coroutines that are ready: their order against a plain model, and that none is kept from others for long.
#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/share/ready_list.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace {

// Property: the newest goes first, but after three such turns the oldest of the others has one; nothing is lost.
// Oracle: a queue and a place for one.
TEST(ready_list, gives_what_a_queue_with_a_hot_place_gives) {
  filch::random_stream random{filch_test::test_seed()};
  filch::ready_list list;
  std::deque<filch::coroutine_entry> made;
  std::deque<filch::coroutine_entry*> others;
  filch::coroutine_entry* hot = nullptr;
  std::uint32_t in_a_row = 0;
  const auto oldest = [&]() -> filch::coroutine_entry* {
    if (others.empty()) return std::exchange(hot, nullptr);
    filch::coroutine_entry* const first = others.front();
    others.pop_front();
    return first;
  };
  for (int i = 0; i != 20'000; ++i) {
    ASSERT_EQ(list.size(), others.size() + (hot != nullptr ? 1 : 0));
    switch (random.below(5)) {
      case 0:
        if (hot != nullptr) others.push_back(hot);
        hot = &made.emplace_back();
        list.put(*hot);
        break;
      case 1:
        others.push_back(&made.emplace_back());
        list.put_behind(*others.back());
        break;
      case 2:
        ASSERT_EQ(list.take_oldest(), oldest());
        break;
      default:
        if (hot != nullptr && (in_a_row < 3 || others.empty())) {
          ++in_a_row;
          ASSERT_EQ(list.take(), std::exchange(hot, nullptr));
        } else {
          in_a_row = 0;
          ASSERT_EQ(list.take(), oldest());
        }
    }
  }
}

filch::task<> spawn_on(std::atomic<bool>& is_over) {
  if (!is_over.load()) filch::spawn(spawn_on(is_over)).detach();
  co_return;
}
filch::task<> set(std::atomic<bool>& flag) {
  flag = true;
  co_return;
}

// Property: a chain in which each task spawns the next does not keep others of its worker from their turn.
TEST(ready_list, a_chain_of_spawns_starves_no_other_coroutine) {
  filch::runtime rt{{.workers = 1}};
  std::atomic<bool> is_over{false};
  struct local {
    static filch::task<> start(std::atomic<bool>& over) {
      filch::spawn(set(over)).detach();
      filch::spawn(spawn_on(over)).detach();  // it is the hot one from here on, and each that it spawns
      co_return;
    }
  };
  rt.run(local::start(is_over));
  rt.wait_idle();
  EXPECT_TRUE(is_over.load());
}

// Property: plain tasks in the deque have their turn, too.
TEST(ready_list, a_chain_of_spawns_starves_no_plain_task) {
  filch::runtime rt{{.workers = 1}};
  std::atomic<bool> is_over{false};
  rt.run([&] {
    rt.spawn([&] { is_over = true; });
    filch::spawn(spawn_on(is_over)).detach();
  });
  rt.wait_idle();
  EXPECT_TRUE(is_over.load());
}

// Two that wait for each other without suspending: they end only if two workers run them. A minute at most.
filch::task<bool> meet(std::atomic<int>& there, int wanted) {
  ++there;
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (there < wanted && std::chrono::steady_clock::now() < end) {}
  co_return there >= wanted;
}

// Property: what a worker has spawned gets to others although the worker neither suspends nor spawns any more; one
// task, which is not shared at once, and several.
TEST(ready_list, what_a_busy_worker_spawned_is_taken_by_others) {
  struct local {
    static filch::task<bool> spawn_and_meet(int others) {
      std::atomic<int> there{0};
      std::vector<filch::join_handle<bool>> each;
      for (int i = 0; i != others; ++i) each.push_back(filch::spawn(meet(there, others + 1)));
      bool is_right = co_await meet(there, others + 1);
      for (auto& one : each) is_right &= co_await std::move(one);
      co_return is_right;
    }
  };
  filch::runtime rt{{.workers = 4, .interrupts = true}};
  for (int i = 0; i != 20; ++i) {
    for (const int others : {1, 3}) EXPECT_TRUE(rt.run(local::spawn_and_meet(others))) << others;
  }
}

// Property: of many tasks that yield all the time each resumes, also with workers that come and request work.
TEST(ready_list, all_coroutines_that_yield_have_their_turns) {
  filch::runtime rt{{.workers = 3}};
  std::atomic<int> turns{0};
  struct local {
    static filch::task<> yield_often(std::atomic<int>& sum) {
      for (int i = 0; i != 200; ++i) {
        co_await filch::yield();
        ++sum;
      }
    }
  };
  for (int i = 0; i != 100; ++i) filch::spawn(rt, local::yield_often(turns)).detach();
  rt.wait_idle();
  EXPECT_EQ(turns.load(), 20'000);
}

}  // namespace
