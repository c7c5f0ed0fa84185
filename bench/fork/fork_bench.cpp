// What a fork costs: fib with a join at every node, against serial fib of one call per node, in turn in one run; the
// sum of a tree of 1000 nodes by a thread that is no worker; and the wait of a thief for a victim inside a function of
// 5 ms.
//
//   filch_fork [n = 36] [rounds = 9] [workers = 2]
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

struct node {
  node* left;
  node* right;
  long value;
};
node* grow(int nodes) {
  if (nodes == 0) return nullptr;
  const int left = (nodes - 1) / 2;
  return new node{grow(left), grow(nodes - 1 - left), nodes};
}
[[gnu::noinline]] long serial_sum(const node* at) {
  if (at == nullptr) return 0;
  long a = serial_sum(at->left);
  asm volatile("" : "+r"(a));
  long b = serial_sum(at->right);
  asm volatile("" : "+r"(b));
  return a + b + at->value;
}
[[gnu::noinline]] long sum(const node* at) {
  if (at == nullptr) return 0;
  const auto [a, b] = filch::join([at] { return sum(at->left); }, [at] { return sum(at->right); });
  return a + b + at->value;
}

// By a thread that is no worker; each sample is a thousand sums of both kinds.
bool measure_small_tree(int rounds) {
  const node* const root = grow(1000);
  std::vector<double> ratios;
  const long expected = serial_sum(root);
  for (int i = 0; i != rounds; ++i) {
    const double t0 = now_ms(CLOCK_MONOTONIC);
    for (int k = 0; k != 1000; ++k) {
      if (serial_sum(root) != expected) return false;
    }
    const double t1 = now_ms(CLOCK_MONOTONIC);
    for (int k = 0; k != 1000; ++k) {
      if (sum(root) != expected) return false;
    }
    ratios.push_back((now_ms(CLOCK_MONOTONIC) - t1) / (t1 - t0));
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("tree of 1000 nodes from outside: ratio %.3f (%.3f to %.3f)\n", ratios[ratios.size() / 2], ratios.front(),
              ratios.back());
  return true;
}

// The thief has had one child already and wants the next, while the victim does not fork for 5 ms.
void measure_wait_in_a_long_function(int samples) {
  filch::runtime rt{{.workers = 2}};
  std::vector<double> waits_us;
  for (int i = 0; i != samples; ++i) {
    filch::time_ns began_ns = 0;
    filch::time_ns taken_ns = 0;
    rt.run([&] {
      filch::join(
          [&] {
            filch::join(
                [&] {
                  // Until the thief has gone to sleep again.
                  const filch::time_ns asleep_ns = filch::monotonic_now_ns() + 300'000;
                  while (filch::monotonic_now_ns() < asleep_ns) continue;
                  filch::join(
                      [&] {
                        began_ns = filch::monotonic_now_ns();
                        while (filch::monotonic_now_ns() < began_ns + 5'000'000) continue;
                      },
                      [&] { taken_ns = filch::monotonic_now_ns(); });
                },
                [] {});
          },
          [] {});
    });
    waits_us.push_back(static_cast<double>(taken_ns - began_ns) / 1e3);
  }
  std::sort(waits_us.begin(), waits_us.end());
  std::printf("a thief's wait for a victim in a function of 5 ms: median %.1f us, p90 %.1f us, worst %.1f us\n",
              waits_us[waits_us.size() / 2], waits_us[waits_us.size() * 9 / 10], waits_us.back());
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 36;
  const int rounds = count > 2 ? std::atoi(words[2]) : 9;
  const unsigned workers = count > 3 ? static_cast<unsigned>(std::atoi(words[3])) : 2;
  measure_wait_in_a_long_function(101);
  const bool is_right = measure_small_tree(rounds) && measure(1, n, rounds, CLOCK_PROCESS_CPUTIME_ID, "CPU time") &&
                        measure(workers, n, rounds, CLOCK_MONOTONIC, "wall time") &&
                        measure(workers, n, rounds, CLOCK_PROCESS_CPUTIME_ID, "CPU time");
  if (!is_right) std::puts("wrong result");
  return is_right ? 0 : 1;
}
