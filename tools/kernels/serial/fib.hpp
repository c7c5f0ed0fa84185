// The Fibonacci numbers by the definition: nothing but calls. What a fork costs shows here undiluted.
#pragma once

#include <cstdint>

#include "keep.hpp"

namespace filch::kernels {

// One call per node.
[[gnu::noinline]] inline std::uint64_t serial_fib(std::int64_t n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = serial_fib(n - 1);
  keep(a);
  std::uint64_t b = serial_fib(n - 2);
  keep(b);
  return a + b;
}

}  // namespace filch::kernels
