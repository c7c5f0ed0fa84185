#include "asio.hpp"

namespace filch::bench {
namespace {

asio::thread_pool* current = nullptr;

}  // namespace

constinit const std::string_view k_runtime = "Asio thread_pool";

asio::thread_pool& measured_pool() { return *current; }

void with_threads(unsigned threads, bool, const std::function<void()>& body) {
  asio::thread_pool pool{threads};
  current = &pool;
  body();
  pool.join();
}

}  // namespace filch::bench
