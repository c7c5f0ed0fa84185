// fib and skynet with `all` at every node.
#include <filch/coro/all.hpp>

#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

task<std::uint64_t> fib(std::uint64_t n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await all(fib(n - 1), fib(n - 2));
  co_return a + b;
}

task<std::uint64_t> skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) co_return first;
  const std::uint64_t each = leaves / 10;
  std::vector<task<std::uint64_t>> parts;
  parts.reserve(10);
  for (std::uint64_t i = 0; i != 10; ++i) parts.push_back(skynet(first + i * each, each));
  std::uint64_t sum = 0;
  for (const std::uint64_t part : co_await all(std::move(parts))) sum += part;
  co_return sum;
}

const added k_fib{shape("fib", [](std::uint64_t n) { return measured_runtime().run(fib(n)); })};
const added k_skynet{shape("skynet", [](std::uint64_t leaves) { return measured_runtime().run(skynet(0, leaves)); })};

}  // namespace
}  // namespace filch::bench
