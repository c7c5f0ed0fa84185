#include "io_thread.hpp"

#include <filch/bridge/asio.hpp>
#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>

#include <asio/bind_executor.hpp>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using asio::ip::tcp;
using filch::task;
using filch::use_task;
using filch_bridge_test::io_thread;

task<> serve(tcp::acceptor& acceptor, int connections) {
  for (int i = 0; i != connections; ++i) {
    tcp::socket peer = co_await acceptor.async_accept(use_task);
    filch::spawn([](tcp::socket with) -> task<> {
      std::array<char, 16> buffer{};
      for (;;) {
        std::size_t count = 0;
        try {
          count = co_await with.async_read_some(asio::buffer(buffer), use_task);
        } catch (const asio::system_error& problem) {
          EXPECT_EQ(problem.code(), asio::error::eof);
          co_return;
        }
        co_await asio::async_write(with, asio::buffer(buffer, count), use_task);
      }
    }(std::move(peer)))
        .detach();
  }
}

task<std::string> ask(asio::io_context& io, tcp::endpoint where, std::string text) {
  tcp::socket socket{io};
  co_await socket.async_connect(where, use_task);
  co_await asio::async_write(socket, asio::buffer(text), use_task);
  std::string answer(text.size(), '?');
  const std::size_t count = co_await asio::async_read(socket, asio::buffer(answer), use_task);
  EXPECT_EQ(count, text.size());
  EXPECT_TRUE(filch::this_worker().is_some());
  co_return answer;
}

TEST(use_task, tasks_talk_over_sockets_and_go_on_on_their_workers) {
  constexpr int k_clients = 16;
  filch::runtime rt{{.workers = 2}};
  io_thread io;
  tcp::acceptor acceptor{io.context(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
  auto server = filch::spawn(rt, serve(acceptor, k_clients));
  std::vector<filch::join_handle<std::string>> clients;
  for (int i = 0; i != k_clients; ++i) {
    const std::string text(100, static_cast<char>('a' + i));
    clients.push_back(filch::spawn(rt, ask(io.context(), acceptor.local_endpoint(), text)));
  }
  for (int i = 0; i != k_clients; ++i) {
    EXPECT_EQ(clients[static_cast<std::size_t>(i)].get(), std::string(100, static_cast<char>('a' + i)));
  }
  server.get();
  rt.wait_idle();
  io.finish();
}

TEST(use_task, an_error_is_thrown_where_it_is_awaited) {
  filch::runtime rt{{.workers = 1}};
  io_thread io;
  tcp::socket closed{io.context()};
  std::array<char, 1> buffer{};
  const auto read = [&]() -> task<> { (void)co_await closed.async_read_some(asio::buffer(buffer), use_task); };
  EXPECT_THROW(rt.run(read()), asio::system_error);
  io.finish();
}

TEST(use_task, a_cancelled_timer_ends_the_wait) {
  filch::runtime rt{{.workers = 1}};
  io_thread io;
  asio::steady_timer timer{io.context(), std::chrono::hours{1}};
  const auto sleep = [&]() -> task<asio::error_code> {
    try {
      co_await timer.async_wait(use_task);
    } catch (const asio::system_error& problem) {
      co_return problem.code();
    }
    co_return asio::error_code{};
  };
  auto sleeper = filch::spawn(rt, sleep());
  // Again until it is under way: a timer on which nobody waits cannot be cancelled.
  while (!sleeper.is_ready()) {
    asio::post(io.context(), [&] { timer.cancel(); });
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  EXPECT_EQ(sleeper.get(), asio::error::operation_aborted);
  io.finish();
}

// The operation is one that only keeps its handler, as an io_context does that nobody runs.
TEST(use_task, an_operation_that_is_dropped_ends_the_wait) {
  filch::runtime rt{{.workers = 1}};
  std::promise<std::shared_ptr<void>> kept;
  const auto wait = [&]() -> task<asio::error_code> {
    try {
      const auto keep = [&kept](auto handler) {
        kept.set_value(std::make_shared<decltype(handler)>(std::move(handler)));
      };
      co_await asio::async_initiate<const filch::use_task_t&, void(asio::error_code)>(keep, use_task);
    } catch (const asio::system_error& problem) {
      co_return problem.code();
    }
    co_return asio::error_code{};
  };
  auto waiting = filch::spawn(rt, wait());
  kept.get_future().get().reset();
  EXPECT_EQ(waiting.get(), asio::error::operation_aborted);
}

// It throws with the handler still the caller's, or after it has taken it, and so dropped it.
TEST(use_task, an_exception_of_an_initiation_is_thrown_where_it_is_awaited) {
  struct broken : std::exception {};
  filch::runtime rt{{.workers = 1}};
  const auto takes = [](auto handler) {
    const auto dropped = std::move(handler);
    throw broken{};
  };
  const auto leaves = [](const auto&) { throw broken{}; };
  const auto wait = [](auto begin) -> task<> {
    co_await asio::async_initiate<const filch::use_task_t&, void(asio::error_code)>(begin, use_task);
  };
  EXPECT_THROW(rt.run(wait(takes)), broken);
  EXPECT_THROW(rt.run(wait(leaves)), broken);
}

TEST(asio_context, handlers_run_on_the_workers) {
  filch::runtime rt{{.workers = 2}};
  filch::asio_context workers{rt};
  std::atomic<int> ran{0};
  for (int i = 0; i != 1000; ++i) {
    asio::post(workers, [&] {
      if (filch::this_worker().is_some()) ran.fetch_add(1, std::memory_order_relaxed);
    });
  }
  rt.wait_idle();
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 1000);
}

TEST(asio_context, a_strand_runs_one_handler_at_a_time_in_order) {
  filch::runtime rt{{.workers = 2}};
  filch::asio_context workers{rt};
  {
    auto strand = asio::make_strand(workers.get_executor());
    std::vector<int> order;  // guarded by the strand
    for (int i = 0; i != 1000; ++i) asio::post(strand, [&order, i] { order.push_back(i); });
    rt.wait_idle();
    ASSERT_EQ(order.size(), 1000u);
    for (int i = 0; i != 1000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(asio_context, a_handler_of_a_timer_runs_on_the_workers_if_it_is_bound_to_them) {
  filch::runtime rt{{.workers = 1}};
  filch::asio_context workers{rt};
  io_thread io;
  asio::steady_timer timer{io.context(), std::chrono::milliseconds{1}};
  std::promise<filch::worker_id> where;
  timer.async_wait(asio::bind_executor(workers.get_executor(),
                                       [&](const asio::error_code&) { where.set_value(filch::this_worker()); }));
  EXPECT_EQ(where.get_future().get(), filch::worker_id{0});
  io.finish();
}

}  // namespace
