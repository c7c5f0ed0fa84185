// fib with a join at every node, without a cut-off.
#pragma once

#include <cstdint>
#include <filch/fork/join.hpp>

namespace filch::kernels {

[[gnu::noinline]] inline std::uint64_t fib(std::int64_t n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace filch::kernels
