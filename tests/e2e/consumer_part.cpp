// A shared library of a consumer, which forks on the stacks of its program's workers.
#include <filch/fork/join.hpp>

long fib_of_part(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return fib_of_part(n - 1); }, [n] { return fib_of_part(n - 2); });
  return a + b;
}
