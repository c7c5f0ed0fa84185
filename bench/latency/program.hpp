// What the measurements of filch_latency share: how one is named, what it tells, and clocks.
//
// The peers' programs (tokio/, go/) have the same names, loops and output. A change here needs the same change there.
#pragma once

#include <filch/base/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace filch_bench {

// What one measurement tells: names and values, in the order in which they are printed.
using metrics = std::vector<std::pair<std::string, double>>;

struct measurement {
  std::string name;  // "submit_to_start/filch": what is measured, and of what
  // `amount` is the number of submissions, of seconds, of tasks, or fib's argument.
  std::function<metrics(std::uint64_t amount)> run;
};

void add_responsiveness(std::vector<measurement>& all);
void add_throughput(std::vector<measurement>& all);
void add_tracing(std::vector<measurement>& all);

// The CPU time that all threads of this process have used.
[[nodiscard]] inline filch::time_ns process_cpu_ns() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * filch::k_ns_per_s + used.tv_nsec;
}

// The value below which `share` of the values lie; sorts them.
template <class T>
[[nodiscard]] double quantile(std::vector<T>& values, double share) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return static_cast<double>(values[static_cast<std::size_t>(share * last)]);
}

// Repeats `once`, which does `count` things, and gives the medians of real and CPU time per thing; `tidy` runs after
// each and is not measured. One more repetition before them warms up.
template <class Once, class Tidy>
[[nodiscard]] metrics repeat(int repetitions, std::uint64_t count, const Once& once, const Tidy& tidy) {
  std::vector<double> each_ns;
  std::vector<double> each_cpu_ns;
  for (int i = 0; i <= repetitions; ++i) {
    const filch::time_ns cpu_began_ns = process_cpu_ns();
    const filch::time_ns began_ns = filch::monotonic_now_ns();
    once();
    const filch::time_ns took_ns = filch::monotonic_now_ns() - began_ns;
    const filch::time_ns cpu_ns = process_cpu_ns() - cpu_began_ns;
    tidy();
    if (i == 0) continue;
    each_ns.push_back(static_cast<double>(took_ns) / static_cast<double>(count));
    each_cpu_ns.push_back(static_cast<double>(cpu_ns) / static_cast<double>(count));
  }
  return {{"median_ns", quantile(each_ns, 0.5)}, {"cpu_ns", quantile(each_cpu_ns, 0.5)}};
}

}  // namespace filch_bench
