// What coroutines cost: fib with `all` at every node, against serial fib of one call per node and fib with plain joins,
// in turn in one run; and awaits, yields and spawns of tasks that do nothing.
//
//   filch_coro [n = 25] [rounds = 9] [workers = 2]
//
// Prints medians. Time with one worker is the CPU time of the process, so that other programs disturb it little; with
// several it is wall time.
#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/fork/join.hpp>

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using filch::task;

[[gnu::noinline]] long serial_fib(int n) {
  if (n < 2) return n;
  long a = serial_fib(n - 1);
  asm volatile("" : "+r"(a));
  long b = serial_fib(n - 2);
  asm volatile("" : "+r"(b));
  return a + b;
}
[[gnu::noinline]] long joined_fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return joined_fib(n - 1); }, [n] { return joined_fib(n - 2); });
  return a + b;
}
task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await filch::all(fib(n - 1), fib(n - 2));
  co_return a + b;
}
// Awaited one after the other: frames and transfers without any queue.
task<long> awaited_fib(int n) {
  if (n < 2) co_return n;
  const long a = co_await awaited_fib(n - 1);
  const long b = co_await awaited_fib(n - 2);
  co_return a + b;
}

double now_ns(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return static_cast<double>(at.tv_sec) * 1e9 + static_cast<double>(at.tv_nsec);
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

template <class F>
double time_of(clockid_t clock, const F& function) {
  const double began = now_ns(clock);
  function();
  return now_ns(clock) - began;
}

bool measure_fib(unsigned workers, int n, int rounds) {
  filch::runtime rt{{.workers = workers}};
  const clockid_t clock = workers == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  const double forks = static_cast<double>(serial_fib(n + 1) - 1);  // nodes with two children
  const long expected = serial_fib(n);
  bool is_right = true;
  std::vector<double> serial, coroutine, join, awaited;
  for (int i = 0; i != rounds; ++i) {
    serial.push_back(time_of(clock, [&] { is_right &= serial_fib(n) == expected; }) / forks);
    coroutine.push_back(time_of(clock, [&] { is_right &= rt.run(fib(n)) == expected; }) / forks);
    join.push_back(time_of(clock, [&] { is_right &= rt.run([&] { return joined_fib(n); }) == expected; }) / forks);
    awaited.push_back(time_of(clock, [&] { is_right &= rt.run(awaited_fib(n)) == expected; }) / forks);
  }
  std::printf("fib(%d), %u workers, ns per fork: serial %.2f, join %.2f, all %.2f, awaits in turn %.2f\n", n, workers,
              median(serial), median(join), median(coroutine), median(awaited));
  return is_right;
}

task<int> one() { co_return 1; }
task<long> await_many(int count) {
  long sum = 0;
  for (int i = 0; i != count; ++i) sum += co_await one();
  co_return sum;
}
task<long> yield_many(int count) {
  for (int i = 0; i != count; ++i) co_await filch::yield();
  co_return count;
}
task<long> spawn_many(int count) {
  std::vector<filch::join_handle<int>> handles;
  handles.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i != count; ++i) handles.push_back(filch::spawn(one()));
  long sum = 0;
  for (auto& each : handles) sum += co_await std::move(each);
  co_return sum;
}

template <class Make>
bool measure_shape(const char* what, unsigned workers, int rounds, const Make& make) {
  constexpr int k_count = 10'000;
  filch::runtime rt{{.workers = workers}};
  const clockid_t clock = workers == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  std::vector<double> times;
  bool is_right = true;
  for (int i = 0; i != rounds; ++i) {
    times.push_back(time_of(clock, [&] { is_right &= rt.run(make(k_count)) == k_count; }) / k_count);
  }
  std::printf("%s, %u workers: %.1f ns\n", what, workers, median(times));
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 25;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  const int workers = argc > 3 ? std::atoi(argv[3]) : 2;
  if (n < 1 || n > 45 || rounds < 1 || workers < 1) {
    std::fprintf(stderr, "usage: filch_coro [n from 1 to 45] [rounds from 1] [workers from 1]\n");
    return 2;
  }
  bool is_right = true;
  for (const unsigned count : {1u, static_cast<unsigned>(workers)}) {
    is_right &= measure_fib(count, n, rounds);
    is_right &= measure_shape("await", count, rounds, await_many);
    is_right &= measure_shape("yield", count, rounds, yield_many);
    is_right &= measure_shape("spawn and await", count, rounds, spawn_many);
  }
  if (!is_right) std::fprintf(stderr, "a result is wrong\n");
  return is_right ? 0 : 1;
}
