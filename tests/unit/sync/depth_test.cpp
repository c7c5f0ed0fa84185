// No operation on locks, events and channels takes stack for each of those who wait, or more than a step: hundreds of
// thousands wait at each and go on together, one after the other, or are cancelled together.
//
// Oracle: everybody resumes once, on stacks of 256 KiB, on which a million calls do not fit; and whatever takes a step
// for each at each does not end within the limit of the test.
#include <support/depth.hpp>

#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sync/barrier.hpp>
#include <filch/sync/broadcast.hpp>
#include <filch/sync/channel.hpp>
#include <filch/sync/condition.hpp>
#include <filch/sync/event.hpp>
#include <filch/sync/latch.hpp>
#include <filch/sync/mutex.hpp>
#include <filch/sync/once.hpp>
#include <filch/sync/oneshot.hpp>
#include <filch/sync/semaphore.hpp>
#include <filch/sync/shared_mutex.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

using filch::spawn;
using filch::task;
using filch_test::k_deep;
using filch_test::k_deep_least;
using filch_test::k_many;
using filch_test::on_small_stack;
using filch_test::small_stacks;

// Many who wait for the same, as children of one task.
class many_waiters : public testing::Test {
 protected:
  using make = std::function<task<>()>;

  // One who waits counts itself before it does, and afterwards.
  std::atomic<long> begun_{0};
  std::atomic<long> ended_{0};
  filch::runtime rt_{small_stacks(2)};

  // All wait when it returns.
  filch::join_handle<void> start(long count, const make& one) {
    begun_ = ended_ = 0;
    std::vector<task<>> each;
    for (long i = 0; i != count; ++i) each.push_back(one());
    auto handle = spawn(rt_, await_all(std::move(each)));
    while (begun_ != count) std::this_thread::yield();
    return handle;
  }
  // They go on when `let_go` is called.
  void go_on(const make& one, const std::function<void()>& let_go) {
    on_small_stack([&] {
      auto handle = start(k_many, one);
      let_go();
      handle.get();
      EXPECT_EQ(ended_, k_many);
    });
  }
  // They are cancelled together; as many as go on for one of each kind of line, since each throws.
  void are_cancelled(const make& one, long count = k_deep_least) {
    on_small_stack([&] {
      auto handle = start(count, one);
      handle.cancel();
      EXPECT_THROW(handle.get(), filch::task_cancelled);
      EXPECT_EQ(ended_, 0);
    });
  }

 private:
  static task<> await_all(std::vector<task<>> each) { co_await filch::all(std::move(each)); }
};

// ---- locks ----------------------------------------------------------------------------------------------------------

TEST_F(many_waiters, at_a_mutex_go_on_one_after_the_other_or_are_cancelled) {
  filch::mutex m;
  const auto one = [&]() -> task<> {
    ++begun_;
    const auto lock = co_await m.async_lock();
    ++ended_;
  };
  m.lock();
  go_on(one, [&] { m.unlock(); });
  m.lock();
  are_cancelled(one, k_many);
  m.unlock();
}
TEST_F(many_waiters, at_a_shared_mutex_go_on_together_or_one_after_the_other_or_are_cancelled) {
  filch::shared_mutex m;
  const auto reader = [&]() -> task<> {
    ++begun_;
    const auto lock = co_await m.async_lock_shared();
    ++ended_;
  };
  const auto writer = [&]() -> task<> {
    ++begun_;
    const auto lock = co_await m.async_lock();
    ++ended_;
  };
  m.lock();
  go_on(reader, [&] { m.unlock(); });
  m.lock();
  go_on(writer, [&] { m.unlock(); });
  m.lock();
  are_cancelled(reader);
  m.unlock();
}
TEST_F(many_waiters, at_a_semaphore_go_on_together_or_one_by_one_or_are_cancelled) {
  filch::semaphore places{0};
  const auto one = [&]() -> task<> {
    ++begun_;
    co_await places.async_acquire();
    ++ended_;
  };
  go_on(one, [&] { places.release(static_cast<std::uint64_t>(k_many)); });
  go_on(one, [&] {
    for (long i = 0; i != k_many; ++i) places.release();
  });
  are_cancelled(one, k_many);
}
TEST_F(many_waiters, for_a_condition_go_on_together_or_one_by_one_or_are_cancelled) {
  filch::mutex m;
  filch::condition changed;
  const auto one = [&]() -> task<> {
    auto lock = co_await m.async_lock();
    ++begun_;
    co_await changed.async_wait(lock);
    ++ended_;
  };
  // The last to begin waits when the mutex is free.
  const auto settle = [&] { const std::lock_guard lock{m}; };
  go_on(one, [&] {
    settle();
    changed.notify_all();
  });
  go_on(one, [&] {
    settle();
    for (long i = 0; i != k_many; ++i) changed.notify_one();
  });
  // All go from one line to the other before the first has the lock.
  go_on(one, [&] {
    const std::lock_guard lock{m};
    changed.notify_all();
  });
  are_cancelled(one);
}
TEST_F(many_waiters, for_what_is_done_once_go_on_or_are_cancelled) {
  filch::manual_event may_end;
  const auto wait = [&]() -> task<> { co_await may_end.async_wait(); };
  {
    filch::once first;
    const auto one = [&]() -> task<> {
      ++begun_;
      co_await first.async_call(wait);
      ++ended_;
    };
    go_on(one, [&] { may_end.set(); });
  }
  may_end.reset();
  filch::once first;
  const auto one = [&]() -> task<> {
    ++begun_;
    co_await first.async_call(wait);
    ++ended_;
  };
  are_cancelled(one);
}

// ---- events ---------------------------------------------------------------------------------------------------------

TEST_F(many_waiters, for_an_event_go_on_together_or_one_by_one_or_are_cancelled) {
  filch::manual_event is_set;
  const auto one = [&]() -> task<> {
    ++begun_;
    co_await is_set.async_wait();
    ++ended_;
  };
  go_on(one, [&] { is_set.set(); });
  is_set.reset();
  are_cancelled(one);

  filch::auto_event next;
  const auto each = [&]() -> task<> {
    ++begun_;
    co_await next.async_wait();
    ++ended_;
    next.set();
  };
  go_on(each, [&] { next.set(); });
  (void)next.try_wait();
  are_cancelled(each);
}
TEST_F(many_waiters, at_a_latch_go_on_together_or_are_cancelled) {
  const auto with = [&](filch::latch& ready) {
    return [&]() -> task<> {
      ++begun_;
      co_await ready.async_wait();
      ++ended_;
    };
  };
  filch::latch ready{1};
  go_on(with(ready), [&] { ready.count_down(); });
  filch::latch never{1};
  are_cancelled(with(never));
}
TEST_F(many_waiters, at_a_barrier_go_on_together_or_are_cancelled) {
  filch::barrier all{static_cast<std::uint64_t>(k_many) + 1};
  const auto one = [&]() -> task<> {
    ++begun_;
    (void)co_await all.async_arrive_and_wait();
    ++ended_;
  };
  go_on(one, [&] { (void)all.arrive_and_wait(); });
  are_cancelled(one);
}

// ---- channels -------------------------------------------------------------------------------------------------------

TEST_F(many_waiters, to_receive_go_on_one_by_one_or_when_it_is_closed_or_are_cancelled) {
  filch::channel<int> numbers;
  const auto one = [&]() -> task<> {
    ++begun_;
    (void)co_await numbers.async_receive();
    ++ended_;
  };
  go_on(one, [&] {
    for (long i = 0; i != k_many; ++i) EXPECT_TRUE(numbers.send(1));
  });
  are_cancelled(one, k_many);
  go_on(one, [&] { numbers.close(); });
}
TEST_F(many_waiters, to_send_go_on_one_by_one_or_when_it_is_closed_or_are_cancelled) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}}) {
    filch::channel<int> numbers{capacity};
    const auto one = [&]() -> task<> {
      ++begun_;
      (void)co_await numbers.async_send(1);
      ++ended_;
    };
    if (capacity != 0) {
      EXPECT_TRUE(numbers.send(1));
    }
    are_cancelled(one);
    if (capacity == 0) {
      go_on(one, [&] {
        for (long i = 0; i != k_many; ++i) (void)numbers.receive();
      });
    } else {
      go_on(one, [&] { numbers.close(); });
    }
  }
}
TEST_F(many_waiters, for_a_message_to_all_go_on_together_or_are_cancelled) {
  filch::broadcast<int> news{1};
  const auto one = [&]() -> task<> {
    auto mine = news.subscribe();
    ++begun_;
    (void)co_await mine.async_receive();
    ++ended_;
  };
  go_on(one, [&] {
    // One who has just begun may subscribe, and not wait yet: it finds the message.
    EXPECT_TRUE(news.send(1));
  });
  are_cancelled(one);
  go_on(one, [&] { news.close(); });
}
TEST_F(many_waiters, for_one_value_go_on_together_or_are_cancelled) {
  const auto with = [&](filch::oneshot<int>& answer) {
    return [&]() -> task<> {
      ++begun_;
      (void)co_await answer.async_receive();
      ++ended_;
    };
  };
  filch::oneshot<int> answer;
  go_on(with(answer), [&] { EXPECT_TRUE(answer.send(1)); });
  filch::oneshot<int> never;
  are_cancelled(with(never));
}

// ---- chains ---------------------------------------------------------------------------------------------------------

// Each waits for the one before it at an object of its own, and lets the next go on.
TEST(deep_hand_over, through_a_million_oneshots_takes_no_stack) {
  struct local {
    static task<> pass(filch::oneshot<long>& from, filch::oneshot<long>& to) {
      const auto got = co_await from.async_receive();
      to.send(got.value() + 1);
    }
  };
  filch::runtime rt{small_stacks(2)};
  on_small_stack([&] {
    std::vector<filch::oneshot<long>> each(static_cast<std::size_t>(k_deep) + 1);
    for (std::size_t i = 0; i + 1 != each.size(); ++i) spawn(rt, local::pass(each[i], each[i + 1])).detach();
    each.front().send(0);
    EXPECT_EQ(each.back().receive(), k_deep);
    rt.wait_idle();
  });
}

}  // namespace
