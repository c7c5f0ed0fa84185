// The list of children that have not started, against a plain model; and children that others must take although their
// worker does not fork.
#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/coro/all.hpp>
#include <filch/coro/task.hpp>
#include <filch/share/local_work.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <utility>
#include <vector>

namespace {

struct children_of_one {
  explicit children_of_one(std::size_t count) : each(count) {
    group.pending = &each.front();
    for (std::size_t i = 1; i != count; ++i) each[i - 1].next.store(&each[i], std::memory_order_relaxed);
  }

  filch::pending_group group;
  std::deque<filch::coroutine_entry> each;
};

// Property: the newest group gives its children in their order, the oldest likewise, whatever came and went before; an
// empty group leaves. Oracle: a queue of queues.
TEST(local_work, children_are_taken_from_both_ends_of_the_list_as_from_a_queue_of_queues) {
  const bool has_visits = filch::std_atomics::prepare_heavy_fence();  // as a runtime does
  filch::random_stream random{filch_test::test_seed()};
  filch::local_work list;
  std::list<children_of_one> parents;
  std::deque<std::pair<filch::pending_group*, std::deque<filch::coroutine_entry*>>> model;
  for (int i = 0; i != 20'000; ++i) {
    ASSERT_EQ(filch::has_pending(list), !model.empty());
    const auto what = random.below(3);
    if (what == 0 && model.size() < 20) {
      children_of_one& made = parents.emplace_back(1 + random.below(4));
      auto& expected = model.emplace_back(&made.group, std::deque<filch::coroutine_entry*>{}).second;
      for (auto& child : made.each) expected.push_back(&child);
      filch::put_pending(list, made.group);
    } else if (what == 1 && !model.empty()) {
      auto& [group, expected] = model.back();
      ASSERT_EQ(list.newest.load(std::memory_order_relaxed), group);
      ASSERT_EQ(filch::take_pending(list, *group), expected.front());
      expected.pop_front();
      if (expected.empty()) model.pop_back();
    } else {
      filch::coroutine_entry* const taken = filch::take_oldest_pending(list);
      if (model.empty()) {
        ASSERT_EQ(taken, nullptr);
        continue;
      }
      auto& expected = model.front().second;
      ASSERT_EQ(taken, expected.front());
      expected.pop_front();
      if (expected.empty()) model.pop_front();
    }
    ASSERT_TRUE(!has_visits || list.changes.enter()) << "no change is under way";
    list.changes.leave();
  }
}

// The owner has seen that its group is the newest; then a visitor takes the last child, before the owner does.
TEST(local_work, a_child_that_a_visitor_has_taken_is_not_taken_again) {
  filch::local_work list;
  children_of_one older{1};
  children_of_one newer{1};
  filch::put_pending(list, older.group);
  EXPECT_EQ(filch::take_oldest_pending(list), &older.each.front());
  EXPECT_EQ(filch::take_pending(list, older.group), nullptr);

  filch::put_pending(list, older.group);
  filch::put_pending(list, newer.group);
  EXPECT_EQ(filch::take_oldest_pending(list), &older.each.front());
  EXPECT_EQ(filch::take_oldest_pending(list), &newer.each.front());
  EXPECT_EQ(filch::take_pending(list, newer.group), nullptr);
  EXPECT_FALSE(filch::has_pending(list));
}

// Property: children that lie in the list of a worker which does not fork any more get to others. Each waits for all,
// for a minute at most. There are as many as workers, and only the first is started by the worker that forks.
TEST(local_work, children_of_a_worker_that_does_not_fork_any_more_are_taken_by_others) {
  struct local {
    static filch::task<bool> meet(std::atomic<int>& there, int wanted) {
      ++there;
      const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
      while (there < wanted && std::chrono::steady_clock::now() < end) {}
      co_return there >= wanted;
    }
    static filch::task<bool> all_meet(int count) {
      std::atomic<int> there{0};
      std::vector<filch::task<bool>> each;
      for (int i = 0; i != count; ++i) each.push_back(meet(there, count));
      const std::vector<bool> met = co_await filch::all(std::move(each));
      bool is_right = true;
      for (const bool one : met) is_right &= one;
      co_return is_right;
    }
  };
  for (const bool is_eco : {false, true}) {
    filch::runtime rt{{.workers = 3, .idle = is_eco ? filch::idle::eco : filch::idle::balanced}};
    for (int i = 0; i != 20; ++i) EXPECT_TRUE(rt.run(local::all_meet(3)));
  }
}

}  // namespace
