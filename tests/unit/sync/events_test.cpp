// Latches, barriers, events, broadcast and oneshot.
#include <support/stress.hpp>

#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/sync/barrier.hpp>
#include <filch/sync/broadcast.hpp>
#include <filch/sync/event.hpp>
#include <filch/sync/latch.hpp>
#include <filch/sync/oneshot.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using filch::task;
using filch_test::scaled;

class events : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{{.workers = GetParam()}};
};

// Property: who has waited for a latch may destroy it, while the last count_down returns.
TEST_P(events, a_latch_on_the_stack_of_who_waits_is_enough) {
  for (int i = 0; i != static_cast<int>(scaled(300)); ++i) {
    auto done = std::make_unique<filch::latch>(3);
    filch::latch& shared = *done;
    filch::spawn(rt_,
                 [](filch::latch& l) -> task<> {
                   l.count_down();
                   co_return;
                 }(shared))
        .detach();
    auto stack = rt_.submit([&shared] { shared.count_down(); });
    auto waits = filch::spawn(rt_, [](filch::latch& l) -> task<> { co_await l.async_wait(); }(shared));
    shared.arrive_and_wait();
    waits.get();
    done.reset();
    stack.get();
  }
  rt_.wait_idle();
}

TEST_P(events, all_parties_of_a_barrier_meet_in_every_round) {
  const int rounds = static_cast<int>(scaled(200));
  filch::barrier meet{6};
  std::atomic<int> arrived{0};
  std::atomic<int> last{0};
  std::vector<filch::join_handle<void>> handles;
  std::vector<filch::future<void>> tasks;
  std::vector<std::thread> threads;
  const auto check = [&](int round) { EXPECT_GE(arrived, 6 * (round + 1)); };
  for (int i = 0; i != 2; ++i) {
    handles.push_back(filch::spawn(rt_, [](auto& self, auto& count, auto& lasts, auto& looks, int n) -> task<> {
      for (int r = 0; r != n; ++r) {
        ++count;
        if (co_await self.async_arrive_and_wait()) ++lasts;
        looks(r);
      }
    }(meet, arrived, last, check, rounds)));
    const auto plain = [&] {
      for (int r = 0; r != rounds; ++r) {
        ++arrived;
        if (meet.arrive_and_wait()) ++last;
        check(r);
      }
    };
    tasks.push_back(rt_.submit(plain));
    threads.emplace_back(plain);
  }
  for (auto& each : handles) each.get();
  for (auto& each : tasks) each.get();
  for (auto& each : threads) each.join();
  EXPECT_EQ(last, rounds);
}

TEST_P(events, a_manual_event_lets_all_go_on) {
  filch::manual_event e;
  std::atomic<int> passed{0};
  std::vector<filch::join_handle<void>> handles;
  std::vector<filch::future<void>> tasks;
  for (int i = 0; i != 4; ++i) {
    handles.push_back(filch::spawn(rt_, [](filch::manual_event& of, std::atomic<int>& count) -> task<> {
      co_await of.async_wait();
      ++count;
    }(e, passed)));
    tasks.push_back(rt_.submit([&] {
      e.wait();
      ++passed;
    }));
  }
  EXPECT_FALSE(e.is_set());
  EXPECT_EQ(passed, 0);
  e.set();
  e.wait();
  for (auto& each : handles) each.get();
  for (auto& each : tasks) each.get();
  EXPECT_EQ(passed, 8);
  EXPECT_TRUE(e.is_set());
  e.reset();
  EXPECT_FALSE(e.is_set());
}

// Property: of two that hand an event to each other none is lost. Oracle: it ends.
TEST_P(events, an_auto_event_goes_back_and_forth) {
  filch::auto_event ping;
  filch::auto_event pong;
  const int turns = static_cast<int>(scaled(2000));
  auto other = filch::spawn(rt_, [](filch::auto_event& in, filch::auto_event& out, int n) -> task<> {
    for (int i = 0; i != n; ++i) {
      co_await in.async_wait();
      out.set();
    }
  }(ping, pong, turns));
  rt_.run([&] {
    for (int i = 0; i != turns; ++i) {
      ping.set();
      pong.wait();
    }
  });
  other.get();
  EXPECT_FALSE(ping.try_wait());
  EXPECT_FALSE(pong.try_wait());
}

TEST_P(events, a_oneshot_gives_its_value_once) {
  for (int i = 0; i != static_cast<int>(scaled(200)); ++i) {
    auto shot = std::make_unique<filch::oneshot<std::string>>();
    auto receiver = filch::spawn(rt_, [](filch::oneshot<std::string>& from) -> task<std::optional<std::string>> {
      co_return co_await from.async_receive();
    }(*shot));
    EXPECT_TRUE(shot->send("it"));
    EXPECT_FALSE(shot->send("again"));
    EXPECT_EQ(receiver.get(), "it");
    EXPECT_EQ(shot->receive(), std::nullopt);
  }
  filch::oneshot<int> closed;
  closed.close();
  EXPECT_FALSE(closed.send(1));
  EXPECT_EQ(closed.receive(), std::nullopt);
}

// Property: of everything that was sent each receiver got or missed each message. Oracle: the sums.
TEST_P(events, each_receiver_of_a_broadcast_gets_or_misses_each_message) {
  filch::broadcast<std::uint64_t> all{8};
  const std::uint64_t count = scaled(5000);
  const auto listen = [](filch::broadcast<std::uint64_t>::receiver from) -> task<std::uint64_t> {
    std::uint64_t next = 0;
    while (const auto got = co_await from.async_receive()) {
      next += got->missed;
      EXPECT_EQ(got->value, next);
      ++next;
    }
    co_return next;
  };
  std::vector<filch::join_handle<std::uint64_t>> handles;
  for (int i = 0; i != 3; ++i) handles.push_back(filch::spawn(rt_, listen(all.subscribe())));
  auto stack = rt_.submit([from = all.subscribe()]() mutable {
    std::uint64_t next = 0;
    while (const auto got = from.receive()) next += got->missed + 1;
    return next;
  });
  for (std::uint64_t i = 0; i != count; ++i) EXPECT_TRUE(all.send(i));
  all.close();
  EXPECT_FALSE(all.send(0));
  for (auto& each : handles) EXPECT_EQ(each.get(), count);
  EXPECT_EQ(stack.get(), count);
}

INSTANTIATE_TEST_SUITE_P(workers, events, testing::Values(1, 2, 4));

TEST(broadcast, a_slow_receiver_is_told_how_much_it_missed) {
  filch::broadcast<std::string> all{2};
  EXPECT_TRUE(all.send("before"));
  auto mine = all.subscribe();
  EXPECT_FALSE(mine.try_receive().has_value());
  for (const char* each : {"a", "b", "c", "d"}) EXPECT_TRUE(all.send(each));
  const auto first = mine.receive();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->value, "c");
  EXPECT_EQ(first->missed, 2u);
  const auto second = mine.receive();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->value, "d");
  EXPECT_EQ(second->missed, 0u);
  EXPECT_THROW(filch::broadcast<int>{0}, std::invalid_argument);
}

TEST(barrier, who_is_cancelled_has_not_arrived_and_who_drops_is_not_waited_for) {
  filch::barrier two{3};
  std::stop_source stop;
  std::thread cancelled{[&] { EXPECT_THROW((void)two.arrive_and_wait(stop.get_token()), filch::task_cancelled); }};
  stop.request_stop();
  cancelled.join();
  std::thread first{[&] { (void)two.arrive_and_wait(); }};
  std::thread second{[&] { (void)two.arrive_and_wait(); }};
  two.arrive_and_drop();
  first.join();
  second.join();
  EXPECT_THROW(filch::barrier{0}, std::invalid_argument);
}

TEST(event, a_stop_ends_every_wait) {
  filch::manual_event m;
  filch::auto_event a;
  filch::latch l{1};
  filch::oneshot<int> o;
  filch::broadcast<int> b{1};
  auto from = b.subscribe();
  std::stop_source stop;
  std::vector<std::thread> threads;
  threads.emplace_back([&] { EXPECT_THROW(m.wait(stop.get_token()), filch::task_cancelled); });
  threads.emplace_back([&] { EXPECT_THROW(a.wait(stop.get_token()), filch::task_cancelled); });
  threads.emplace_back([&] { EXPECT_THROW(l.wait(stop.get_token()), filch::task_cancelled); });
  threads.emplace_back([&] { EXPECT_THROW((void)o.receive(stop.get_token()), filch::task_cancelled); });
  threads.emplace_back([&] { EXPECT_THROW((void)from.receive(stop.get_token()), filch::task_cancelled); });
  stop.request_stop();
  for (auto& each : threads) each.join();
}

}  // namespace
