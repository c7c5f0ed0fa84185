// Operations of Asio whose task is asked to stop.
#include "io_thread.hpp"

#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/bridge/asio.hpp>
#include <filch/filch.hpp>

#include <asio/buffer.hpp>
#include <asio/compose.hpp>
#include <asio/execution.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;
using filch::task;
using filch::use_task;
using filch_bridge_test::io_thread;

// Two ends of a connection.
struct connection {
  explicit connection(asio::io_context& io) : near{io}, far{io} {
    tcp::acceptor acceptor{io, tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    near.connect(acceptor.local_endpoint());
    acceptor.accept(far);
  }
  tcp::socket near;
  tcp::socket far;
};

task<std::size_t> read_some(tcp::socket& from, std::size_t count = 1) {
  std::vector<char> buffer(count);
  co_return co_await from.async_read_some(asio::buffer(buffer), use_task);
}
// Several operations, one after the other.
task<std::size_t> read_all(tcp::socket& from, std::size_t count) {
  std::vector<char> buffer(count);
  co_return co_await asio::async_read(from, asio::buffer(buffer), use_task);
}
task<> accept_one(tcp::acceptor& at) { (void)co_await at.async_accept(use_task); }
task<> wait_for(asio::steady_timer& timer) { co_await timer.async_wait(use_task); }
// An operation that a program composes itself.
task<> wait_composed(asio::steady_timer& timer) {
  bool has_begun = false;
  const auto parts = [&](auto& self, asio::error_code error = {}) {
    if (std::exchange(has_begun, true)) self.complete(error);
    else timer.async_wait(std::move(self));
  };
  co_await asio::async_compose<const filch::use_task_t, void(asio::error_code)>(parts, use_task, timer);
}

TEST(asio_stop, a_time_limit_ends_every_kind_of_operation) {
  filch::runtime rt{{.workers = 2}};
  io_thread io;
  {
    connection pair{io.context()};
    tcp::acceptor acceptor{io.context(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    asio::steady_timer timer{io.context(), 1h};
    EXPECT_THROW(rt.run(filch::timeout(read_some(pair.near), 1ms)), filch::timed_out);
    EXPECT_THROW(rt.run(filch::timeout(read_all(pair.near, 100), 1ms)), filch::timed_out);
    EXPECT_THROW(rt.run(filch::timeout(accept_one(acceptor), 1ms)), filch::timed_out);
    EXPECT_THROW(rt.run(filch::timeout(wait_for(timer), 1ms)), filch::timed_out);
    EXPECT_THROW(rt.run(filch::timeout(wait_composed(timer), 1ms)), filch::timed_out);
    EXPECT_FALSE(rt.run(filch::try_timeout(read_some(pair.near), 1ms)).has_value());
    asio::write(pair.far, asio::buffer("ab", 2));
    EXPECT_EQ(rt.run(filch::timeout(read_all(pair.near, 2), 1h)), 2u) << "the socket can still be used";
    asio::write(pair.far, asio::buffer("c", 1));
    EXPECT_THROW(rt.run(filch::timeout(read_all(pair.near, 2), 1ms)), filch::timed_out) << "one byte has come";
  }
  io.finish();
}

TEST(asio_stop, the_loser_of_a_race_is_cancelled) {
  filch::runtime rt{{.workers = 2}};
  io_thread io;
  {
    connection quick{io.context()};
    connection slow{io.context()};
    asio::write(quick.far, asio::buffer("a", 1));
    const auto race = [&]() -> task<std::size_t> {
      const auto first = co_await filch::any(read_some(slow.near), read_some(quick.near));
      co_return first.index;
    };
    EXPECT_EQ(rt.run(race()), 1u);
  }
  io.finish();
}

TEST(asio_stop, one_that_was_asked_before_begins_nothing) {
  filch::runtime rt{{.workers = 1}};
  std::promise<void> go_on;
  bool has_begun = false;
  auto late = filch::spawn(rt, [](std::future<void> gate, bool& begun) -> task<> {
    gate.wait();
    const auto note = [&begun](auto handler) {
      begun = true;
      handler(asio::error_code{});
    };
    co_await asio::async_initiate<const filch::use_task_t&, void(asio::error_code)>(note, use_task);
  }(go_on.get_future(), has_begun));
  late.cancel();
  go_on.set_value();
  EXPECT_THROW(late.get(), filch::task_cancelled);
  EXPECT_FALSE(has_begun);
}

TEST(asio_stop, an_operation_that_knows_no_cancellation_ends_as_it_would_have) {
  filch::runtime rt{{.workers = 1}};
  std::promise<std::function<void(asio::error_code)>> kept;
  auto waiting = filch::spawn(rt, [](auto& keep_at) -> task<int> {
    const auto keep = [&keep_at](auto handler) {
      const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
      keep_at.set_value([shared](asio::error_code error) { (*shared)(error, 7); });
    };
    co_return co_await asio::async_initiate<const filch::use_task_t&, void(asio::error_code, int)>(keep, use_task);
  }(kept));
  const auto answer = kept.get_future().get();
  waiting.cancel();
  answer({});
  EXPECT_EQ(waiting.get(), 7);
}

// Keeps its handler in the slot of the request, if there is one, and in `kept` otherwise.
struct listening {
  template <class Handler>
  void operator()(Handler handler) const {
    asio::cancellation_slot slot = asio::get_associated_cancellation_slot(handler);
    const auto shared = std::make_shared<Handler>(std::move(handler));
    const auto answer = [shared](asio::error_code error) {
      Handler now{std::move(*shared)};
      std::move(now)(error);
    };
    if (slot.is_connected()) {
      slot.assign([answer](asio::cancellation_type) { answer(asio::error::operation_aborted); });
      begun->set_value(nullptr);
    } else {
      begun->set_value(answer);
    }
  }
  std::promise<std::function<void(asio::error_code)>>* begun;
};
struct listening_with_executor : listening {
  [[nodiscard]] asio::io_context::executor_type get_executor() const noexcept { return executor; }
  asio::io_context::executor_type executor;
};
template <class Initiation>
task<> await_operation(Initiation begin) {
  co_await asio::async_initiate<const filch::use_task_t&, void(asio::error_code)>(begin, use_task);
}

TEST(asio_stop, an_operation_of_ones_own_gets_the_request_where_it_names_an_executor) {
  filch::runtime rt{{.workers = 1}};
  io_thread io;
  std::promise<std::function<void(asio::error_code)>> begun;
  auto waiting = filch::spawn(rt, await_operation(listening_with_executor{{&begun}, io.context().get_executor()}));
  EXPECT_FALSE(begun.get_future().get()) << "it has a slot";
  waiting.cancel();
  EXPECT_THROW(waiting.get(), filch::task_cancelled);
  io.finish();
}

// Nothing is known of the threads that its parts run on, and Asio's signal is for one at a time: a request was sent
// while such an operation gave the slot to its next part, and was lost.
TEST(asio_stop, an_operation_without_an_executor_has_no_slot_and_ends_as_it_would_have) {
  filch::runtime rt{{.workers = 1}};
  std::promise<std::function<void(asio::error_code)>> begun;
  auto waiting = filch::spawn(rt, await_operation(listening{&begun}));
  const auto answer = begun.get_future().get();
  ASSERT_TRUE(answer) << "it has no slot";
  waiting.cancel();
  answer({});
  waiting.get();
}

// An executor that is counted, of an io_context that nobody runs.
struct counted_executor {
  counted_executor(asio::io_context& of, std::atomic<int>& copies) : context{&of}, alive{&copies} { ++*alive; }
  counted_executor(const counted_executor& other) noexcept : context{other.context}, alive{other.alive} { ++*alive; }
  counted_executor& operator=(const counted_executor&) = delete;
  ~counted_executor() { --*alive; }

  template <class F>
  void execute(F&& function) const {
    asio::post(*context, std::forward<F>(function));
  }
  [[nodiscard]] static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
    return asio::execution::blocking.never;
  }
  [[nodiscard]] asio::execution_context& query(asio::execution::context_t) const noexcept { return *context; }
  [[maybe_unused]] friend bool operator==(const counted_executor& a, const counted_executor& b) noexcept {
    return a.context == b.context;
  }

  asio::io_context* context;
  std::atomic<int>* alive;
};

// Keeps its handler until the test has it called or dropped.
struct kept_operation {
  using answer = std::function<void(asio::error_code)>;
  struct initiation {
    kept_operation* of;
    [[nodiscard]] counted_executor get_executor() const noexcept { return {of->io, of->executors}; }
    template <class Handler>
    void operator()(Handler handler) const {
      const auto shared = std::make_shared<Handler>(std::move(handler));
      of->begun.set_value([shared](asio::error_code error) { std::move (*shared)(error); });
    }
  };
  [[nodiscard]] task<> wait() {
    co_await asio::async_initiate<const filch::use_task_t&, void(asio::error_code)>(initiation{this}, use_task);
  }

  asio::io_context io;
  std::atomic<int> executors{0};
  std::promise<answer> begun;
};

// Once the handler was called or dropped, a program may end the io_context at any time. So nothing refers to it from
// then on, not even where the only worker is busy and the task cannot go on, and a request comes.
class asio_end : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(dropped, asio_end, testing::Bool());

TEST_P(asio_end, after_it_nothing_refers_to_the_execution_context) {
  filch::runtime rt{{.workers = 1}};
  const auto operation = std::make_unique<kept_operation>();
  auto waiting = filch::spawn(rt, operation->wait());
  kept_operation::answer answer = operation->begun.get_future().get();
  std::promise<void> is_busy;
  std::promise<void> may_go_on;
  rt.spawn([&] {
    is_busy.set_value();
    may_go_on.get_future().wait();
  });
  is_busy.get_future().wait();
  if (!GetParam()) answer({});
  answer = nullptr;
  EXPECT_EQ(operation->executors, 0);
  waiting.cancel();
  EXPECT_EQ(operation->executors, 0);
  EXPECT_EQ(operation->io.poll(), 0u) << "nothing was posted after the end";
  may_go_on.set_value();
  if (GetParam()) EXPECT_ANY_THROW(waiting.get());
  else waiting.get();
}

// A request comes at any time: before the operation begins, while it begins, between its parts, and when it has ended.
// Every task ends, and has either read all or was cancelled. Several threads run the io_context.
TEST(asio_stop, requests_at_any_time_lose_nothing) {
  const std::uint64_t seed = filch_test::test_seed();
  filch::random_stream random{seed};
  filch::runtime rt{{.workers = 2}};
  io_thread io{3};
  std::uint64_t read = 0;
  std::uint64_t cancelled = 0;
  const std::uint64_t rounds = filch_test::scaled(400);
  for (std::uint64_t round = 0; round != rounds; ++round) {
    connection pair{io.context()};
    auto reader = filch::spawn(rt, read_all(pair.near, 3));
    const std::uint64_t pauses = random.below(200);
    const std::uint64_t writes = random.below(4);
    std::thread writer{[&] {
      for (std::uint64_t i = 0; i != writes; ++i) asio::write(pair.far, asio::buffer("x", 1));
    }};
    for (std::uint64_t i = 0; i != pauses; ++i) std::this_thread::yield();
    reader.cancel();
    try {
      EXPECT_EQ(reader.get(), 3u);
      EXPECT_EQ(writes, 3u);
      ++read;
    } catch (const filch::task_cancelled&) {
      ++cancelled;
    }
    writer.join();
  }
  EXPECT_EQ(read + cancelled, rounds);
  io.finish();
}

}  // namespace
