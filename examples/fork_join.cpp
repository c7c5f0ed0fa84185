// Plain functions in parallel: a join at every node, and a scope.
#include <filch/filch.hpp>

#include <atomic>
#include <cstdio>

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

int main() {
  std::printf("fib(25) = %ld\n", fib(25));

  std::atomic<int> sum{0};
  filch::scope([&](auto& s) {
    for (int i = 1; i <= 100; ++i) s.spawn([&sum, i] { sum += i; });
  });
  std::printf("1 + ... + 100 = %d\n", sum.load());
}
