// Channels between coroutines, stacks and threads: nothing is lost, nothing comes twice, each sender's items come in
// order.
#include <support/stress.hpp>

#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/fork/scope.hpp>
#include <filch/sync/channel.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using filch::channel;
using filch::send_status;
using filch::task;
using filch_test::scaled;

TEST(channel, items_come_in_the_order_in_which_they_were_sent) {
  channel<int> ch;
  for (int i = 0; i != 1000; ++i) EXPECT_TRUE(ch.send(i));
  EXPECT_EQ(ch.size_hint(), 1000u);
  for (int i = 0; i != 1000; ++i) EXPECT_EQ(ch.try_receive(), i);
  EXPECT_EQ(ch.try_receive(), std::nullopt);
}

TEST(channel, a_full_one_refuses_and_has_room_again_after_each_receive) {
  channel<int> ch{3};
  EXPECT_EQ(ch.capacity(), 3u);
  for (int lap = 0; lap != 50; ++lap) {
    for (int i = 0; i != 3; ++i) EXPECT_EQ(ch.try_send(i), send_status::sent);
    EXPECT_EQ(ch.try_send(3), send_status::full);
    EXPECT_EQ(ch.try_receive(), 0);
    EXPECT_EQ(ch.try_send(3), send_status::sent);
    EXPECT_EQ(ch.try_send(4), send_status::full);
    for (int i = 1; i != 4; ++i) EXPECT_EQ(ch.try_receive(), i);
    EXPECT_EQ(ch.try_receive(), std::nullopt);
  }
}

TEST(channel, an_item_that_is_not_sent_stays_with_its_owner) {
  channel<std::unique_ptr<int>> ch{1};
  EXPECT_TRUE(ch.send(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_EQ(ch.try_send(second), send_status::full);
  ASSERT_NE(second, nullptr);
  ch.close();
  EXPECT_EQ(ch.try_send(second), send_status::closed);
  EXPECT_EQ(*second, 2);
  EXPECT_FALSE(ch.send(std::move(second)));
}

TEST(channel, a_closed_one_gives_out_what_was_sent_before) {
  channel<int> ch;
  ch.send(1);
  ch.send(2);
  ch.close();
  ch.close();
  EXPECT_TRUE(ch.is_closed());
  EXPECT_FALSE(ch.send(3));
  EXPECT_EQ(ch.receive(), 1);
  EXPECT_EQ(ch.receive(), 2);
  EXPECT_EQ(ch.receive(), std::nullopt);
  EXPECT_EQ(ch.receive(), std::nullopt);
}

TEST(channel, what_is_left_in_it_is_destroyed) {
  const auto counted = std::make_shared<int>(0);
  {
    channel<std::shared_ptr<int>> ch;
    for (int i = 0; i != 40; ++i) ch.send(counted);
    EXPECT_NE(ch.try_receive(), std::nullopt);
    for (int i = 0; i != 3; ++i) ch.send(counted);
    EXPECT_EQ(counted.use_count(), 43);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(channel, a_large_one_shrinks_when_little_goes_through_it) {
  channel<int> ch;
  for (int i = 0; i != 100'000; ++i) ch.send(i);
  for (int i = 0; i != 100'000; ++i) EXPECT_EQ(ch.try_receive(), i);
  for (int lap = 0; lap != 10; ++lap) {
    for (int i = 0; i != 5; ++i) ch.send(i);
    for (int i = 0; i != 5; ++i) EXPECT_EQ(ch.try_receive(), i);
  }
}

struct parameters {
  std::uint32_t workers;
  std::size_t capacity;
};

class channels : public testing::TestWithParam<parameters> {
 protected:
  filch::runtime rt_{{.workers = GetParam().workers}};
  channel<int> ch_{GetParam().capacity};
};

task<> send_range(channel<int>& to, int first, int count) {
  for (int i = first; i != first + count; ++i) EXPECT_TRUE(co_await to.async_send(i));
}
task<std::vector<int>> receive_all(channel<int>& from) {
  std::vector<int> got;
  while (const std::optional<int> item = co_await from.async_receive()) got.push_back(*item);
  co_return got;
}

TEST_P(channels, a_coroutine_sends_and_another_receives_in_order) {
  const int count = static_cast<int>(scaled(20'000));
  auto receiver = filch::spawn(rt_, receive_all(ch_));
  filch::spawn(rt_, send_range(ch_, 0, count)).get();
  ch_.close();
  const std::vector<int> got = receiver.get();
  std::vector<int> expected(static_cast<std::size_t>(count));
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(got, expected);
}

// Property: conservation. Coroutines, stacks and threads send; coroutines, stacks and threads receive. Oracle: each
// item arrives once, and those of one sender that one receiver got are in order.
TEST_P(channels, every_item_arrives_once_whoever_sends_and_receives) {
  const int each = static_cast<int>(scaled(3000));
  std::vector<filch::join_handle<std::vector<int>>> receiving;
  std::vector<std::vector<int>> got(4);
  for (int i = 0; i != 2; ++i) receiving.push_back(filch::spawn(rt_, receive_all(ch_)));
  const auto drain = [&](std::size_t into) {
    for (const int item : ch_) got[into].push_back(item);
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] { drain(0); });
  std::vector<filch::future<void>> tasks;
  tasks.push_back(rt_.submit([&] { drain(1); }));
  std::vector<std::thread> senders;
  senders.emplace_back([&] {
    for (int i = 0; i != each; ++i) ch_.send(i);
  });
  auto stack = rt_.submit([&] {
    for (int i = 0; i != each; ++i) ch_.send(each + i);
  });
  auto third = filch::spawn(rt_, send_range(ch_, 2 * each, each));
  auto fourth = filch::spawn(rt_, send_range(ch_, 3 * each, each));
  senders[0].join();
  stack.get();
  third.get();
  fourth.get();
  ch_.close();
  for (std::size_t i = 0; i != 2; ++i) got[2 + i] = receiving[i].get();
  for (auto& thread : threads) thread.join();
  for (auto& one : tasks) one.get();

  std::vector<int> seen(static_cast<std::size_t>(4 * each), 0);
  for (const std::vector<int>& one : got) {
    std::vector<int> last(4, -1);
    for (const int item : one) {
      ++seen[static_cast<std::size_t>(item)];
      int& before = last[static_cast<std::size_t>(item / each)];
      EXPECT_LT(before, item);
      before = item;
    }
  }
  for (const int times : seen) ASSERT_EQ(times, 1);
}

INSTANTIATE_TEST_SUITE_P(sizes, channels,
                         testing::Values(parameters{1, 0}, parameters{1, 1}, parameters{1, 64}, parameters{2, 0},
                                         parameters{2, 1}, parameters{2, 7}, parameters{2, channel<int>::k_unbounded},
                                         parameters{4, 3}, parameters{4, channel<int>::k_unbounded}));

// With one worker a coroutine has run until it waits before who spawned it resumes.
TEST(channel_waiting, those_who_wait_are_served_in_their_order) {
  filch::runtime rt{{.workers = 1}};
  channel<int> ch{1};
  const auto receive_one = [](channel<int>& from, int& begun) -> task<std::optional<int>> {
    ++begun;
    co_return co_await from.async_receive();
  };
  const auto one_after_the_other = [&]() -> task<> {
    std::vector<filch::join_handle<std::optional<int>>> handles;
    int begun = 0;
    for (int i = 0; i != 5; ++i) {
      handles.push_back(filch::spawn(receive_one(ch, begun)));
      while (begun != i + 1) co_await filch::yield();
    }
    for (int i = 0; i != 5; ++i) co_await ch.async_send(i);
    for (int i = 0; i != 5; ++i) EXPECT_EQ(co_await std::move(handles[static_cast<std::size_t>(i)]), i);
  };
  rt.run(one_after_the_other());
}

TEST(channel_waiting, closing_ends_all_waits) {
  filch::runtime rt{{.workers = 2}};
  channel<int> empty{1};
  channel<int> full{1};
  full.send(0);
  std::vector<filch::join_handle<std::vector<int>>> receiving;
  std::vector<filch::future<bool>> sending;
  for (int i = 0; i != 3; ++i) receiving.push_back(filch::spawn(rt, receive_all(empty)));
  for (int i = 0; i != 3; ++i) sending.push_back(rt.submit([&, i] { return full.send(i + 1); }));
  std::thread outside{[&] { EXPECT_EQ(empty.receive(), std::nullopt); }};
  std::this_thread::sleep_for(std::chrono::milliseconds{10});  // so that most of them wait; none needs to
  empty.close();
  full.close();
  for (auto& each : receiving) EXPECT_TRUE(each.get().empty());
  for (auto& each : sending) EXPECT_FALSE(each.get());
  outside.join();
  EXPECT_EQ(full.receive(), 0);
  EXPECT_EQ(full.receive(), std::nullopt);
}

TEST(channel_waiting, a_stop_ends_a_wait_and_nothing_is_lost) {
  channel<int> ch{1};
  std::stop_source stop;
  std::thread receiver{[&] { EXPECT_THROW((void)ch.receive(stop.get_token()), filch::task_cancelled); }};
  stop.request_stop();
  receiver.join();
  EXPECT_THROW((void)ch.receive(stop.get_token()), filch::task_cancelled);
  ch.send(1, stop.get_token());  // does not wait
  EXPECT_THROW(ch.send(2, stop.get_token()), filch::task_cancelled);
  EXPECT_EQ(ch.receive(stop.get_token()), 1);
}

}  // namespace
