// What the tests of the bridge to Asio share.
#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>

#include <thread>
#include <vector>

namespace filch_bridge_test {

// An io_context with its threads.
class io_thread {
 public:
  explicit io_thread(int threads = 1) : context_{threads} {
    for (int i = 0; i != threads; ++i) threads_.emplace_back([this] { context_.run(); });
  }
  ~io_thread() {
    for (std::thread& each : threads_) each.join();
  }
  asio::io_context& context() { return context_; }
  // No further work: the threads end when there is nothing left.
  void finish() { guard_.reset(); }

 private:
  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_{context_.get_executor()};
  std::vector<std::thread> threads_;
};

}  // namespace filch_bridge_test
