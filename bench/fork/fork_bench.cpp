// What a fork costs: fib with a join at every node, against serial fib of one call per node, in turn in one run.
//
//   fork_bench [n = 36] [rounds = 9] [workers = 2]
//
// Prints medians of ratios: CPU time with one worker, wall time with several. CPU time is what the process used, so
// that other programs on the machine disturb it little.
#include <filch/filch.hpp>

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// One call per node: the barriers keep the compiler from inlining the recursion and from making a loop of it.
[[gnu::noinline]] long serial_fib(int n) {
  if (n < 2) return n;
  long a = serial_fib(n - 1);
  asm volatile("" : "+r"(a));
  long b = serial_fib(n - 2);
  asm volatile("" : "+r"(b));
  return a + b;
}

[[gnu::noinline]] long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

double now_ms(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return static_cast<double>(at.tv_sec) * 1e3 + static_cast<double>(at.tv_nsec) / 1e6;
}

bool measure(unsigned workers, int n, int rounds, clockid_t clock, const char* what) {
  filch::runtime rt{{.workers = workers}};
  std::vector<double> ratios;
  std::vector<double> serial;
  for (int i = 0; i != rounds; ++i) {
    const double t0 = now_ms(clock);
    const long expected = serial_fib(n);
    const double t1 = now_ms(clock);
    const long got = rt.run([&] { return fib(n); });
    const double t2 = now_ms(clock);
    if (got != expected) return false;
    ratios.push_back((t2 - t1) / (t1 - t0));
    serial.push_back(t1 - t0);
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(serial.begin(), serial.end());
  const auto middle = ratios.size() / 2;
  const auto stats = rt.statistics();
  std::printf("%u workers, %s: ratio %.3f (%.3f to %.3f); serial %.1f ms; %llu tasks, %llu stacks\n", workers, what,
              ratios[middle], ratios.front(), ratios.back(), serial[middle],
              static_cast<unsigned long long>(stats.total()[filch::trace::count::executed]),
              static_cast<unsigned long long>(stats.stacks));
  return true;
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 36;
  const int rounds = count > 2 ? std::atoi(words[2]) : 9;
  const unsigned workers = count > 3 ? static_cast<unsigned>(std::atoi(words[3])) : 2;
  const bool is_right = measure(1, n, rounds, CLOCK_PROCESS_CPUTIME_ID, "CPU time") &&
                        measure(workers, n, rounds, CLOCK_MONOTONIC, "wall time") &&
                        measure(workers, n, rounds, CLOCK_PROCESS_CPUTIME_ID, "CPU time");
  if (!is_right) std::puts("wrong result");
  return is_right ? 0 : 1;
}
