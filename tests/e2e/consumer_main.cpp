// The program every consumer builds. It uses inline and compiled parts of filch, so that both the headers and the
// library must be found, and prints numbers that depend on neither compiler nor machine.
#include <filch/base/assert.hpp>
#include <filch/base/random.hpp>
#include <filch/base/units.hpp>
#include <filch/coro/task.hpp>
#include <filch/fork/join.hpp>

#include <pthread.h>

#include <cstddef>
#include <cstdio>
#include <utility>

static long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

static filch::task<> leaf() { co_return; }
static filch::task<> around(filch::task<> inner) { co_await std::move(inner); }
// Destroys frames that hold each other, for which the stack of the caller has not enough room.
static void* destroy_deep(void*) {
  constexpr long k_levels = 100'000;
  filch::task<> outermost = leaf();
  for (long i = 0; i != k_levels; ++i) outermost = around(std::move(outermost));
  return nullptr;
}
// Where the system puts stacks that it makes itself: below the libraries.
static void run_on_small_stack(void* (*body)(void*)) {
  pthread_attr_t small;
  FILCH_ASSERT(pthread_attr_init(&small) == 0);
  FILCH_ASSERT(pthread_attr_setstacksize(&small, std::size_t{256} << 10) == 0);
  pthread_t thread;
  FILCH_ASSERT(pthread_create(&thread, &small, body, nullptr) == 0);
  FILCH_ASSERT(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&small);
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
  run_on_small_stack(&destroy_deep);
  std::printf("filch consumer: die %llu, wait %.3f, fib %ld\n", static_cast<unsigned long long>(die),
              random.exponential(1.0), fib(10));
}
