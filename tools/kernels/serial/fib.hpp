// The Fibonacci numbers by the definition: nothing but calls. What a fork costs shows here undiluted.
#pragma once

#include <cstdint>

#include "keep.hpp"

namespace filch::kernels {

// One call per node. In every C++ form of fib the hint puts the inner node in line behind the test. Without it clang jumps there at
// each one: serial code takes the same time, and one with joins a cycle more per node.
[[gnu::noinline]] inline std::uint64_t serial_fib(unsigned n) {
  if (n < 2) [[unlikely]] return n;
  std::uint64_t a = serial_fib(n - 1);
  keep(a);
  std::uint64_t b = serial_fib(n - 2);
  keep(b);
  return a + b;
}

}  // namespace filch::kernels
