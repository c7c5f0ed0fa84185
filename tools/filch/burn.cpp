#include "burn.hpp"

#include <time.h>

#include <filch/base/random.hpp>

namespace filch::tool {
namespace {

// Rounds between two looks at the clock: a few microseconds, many times the price of the look.
constexpr int k_rounds = 2048;

time_ns thread_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<time_ns>(now.tv_sec) * k_ns_per_s + static_cast<time_ns>(now.tv_nsec);
}

}  // namespace

void burn_cpu(time_ns cpu_ns) {
  const time_ns until_ns = thread_cpu_ns() + cpu_ns;
  std::uint64_t state = static_cast<std::uint64_t>(until_ns);
  std::uint64_t sum = 0;
  do {
    for (int i = 0; i != k_rounds; ++i) sum ^= splitmix64(state);
    // The compiler must believe that the sum is looked at.
    asm volatile("" : "+r"(sum));
  } while (thread_cpu_ns() < until_ns);
}

}  // namespace filch::tool
