// An echo server over Asio whose client gives up: a time limit cancels a read that never ends, and what stops the
// server cancels its accept.
#include <filch/bridge/asio.hpp>
#include <filch/filch.hpp>

#include <asio/buffer.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

using asio::ip::tcp;
using namespace std::chrono_literals;

filch::task<> echo(tcp::socket with) {
  std::array<char, 64> buffer{};
  for (;;) {
    const std::size_t n = co_await with.async_read_some(asio::buffer(buffer), filch::use_task);
    co_await asio::async_write(with, asio::buffer(buffer, n), filch::use_task);
  }
}

filch::task<> serve(tcp::acceptor& at) {
  for (;;) {
    tcp::socket peer = co_await at.async_accept(filch::use_task);
    try {
      co_await echo(std::move(peer));
    } catch (const asio::system_error&) {
      // The client has gone.
    }
  }
}

filch::task<> read_more(tcp::socket& from) {
  std::array<char, 1> buffer{};
  co_await from.async_read_some(asio::buffer(buffer), filch::use_task);
}

filch::task<> talk(asio::io_context& io, tcp::endpoint where) {
  tcp::socket server{io};
  co_await server.async_connect(where, filch::use_task);
  co_await asio::async_write(server, asio::buffer("hello", 5), filch::use_task);
  std::string answer(5, ' ');
  co_await asio::async_read(server, asio::buffer(answer), filch::use_task);
  std::printf("the server says %s\n", answer.c_str());
  try {
    co_await filch::timeout(read_more(server), 1ms);
  } catch (const filch::timed_out& error) {
    std::puts(error.what());
  }
}

int main() {
  asio::io_context io;
  auto guard = asio::make_work_guard(io);
  std::thread io_thread{[&] { io.run(); }};
  {
    filch::runtime rt{{.workers = 2}};
    tcp::acceptor acceptor{io, {asio::ip::address_v4::loopback(), 0}};
    auto server = filch::spawn(rt, serve(acceptor));
    rt.run(talk(io, acceptor.local_endpoint()));
    server.cancel();
    try {
      server.get();
    } catch (const filch::task_cancelled&) {
      std::puts("the server has ended");
    }
  }
  guard.reset();
  io_thread.join();
}
