#include "../harness/problems.hpp"

namespace {

[[gnu::noinline]] std::uint64_t fib(std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
  const std::uint64_t b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

const filch::bench::added k_added{filch::bench::number_problem("fib", fib)};

}  // namespace
