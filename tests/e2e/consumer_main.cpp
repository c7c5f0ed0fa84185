// The program every consumer builds. It uses inline and compiled parts of filch, so that both the headers and the
// library must be found, and prints numbers that depend on neither compiler nor machine.
#include <filch/base/assert.hpp>
#include <filch/base/random.hpp>
#include <filch/base/units.hpp>
#include <filch/fork/join.hpp>

#include <cstdio>

static long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

#ifdef CONSUMER_PART
long fib_of_part(int n);
#endif

int main() {
  filch::random_stream random{42};
  const auto die = random.below(6) + 1;
  FILCH_ASSERT(die >= 1 && die <= 6, die);
  FILCH_ASSERT(filch::monotonic_now_ns() > 0);
#ifdef CONSUMER_PART
  FILCH_ASSERT(filch::runtime{{.workers = 2}}.run([] { return fib_of_part(15); }) == 610);
#endif
  std::printf("filch consumer: die %llu, wait %.3f, fib %ld\n", static_cast<unsigned long long>(die),
              random.exponential(1.0), fib(10));
}
