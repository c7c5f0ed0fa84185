// The conditions of a measurement.
#pragma once

#include <cstddef>
#include <filch/base/units.hpp>
#include <string>

namespace filch::tool {

struct bench_conditions {
  std::string date;
  std::string cpu;
  std::size_t cpus = 0;
  std::string kernel;
  double load_before = 0;  // the system's load average of the last minute
  double load_after = 0;
  double foreign_cpus = 0;  // CPUs that other processes used meanwhile
  double host_share = 0;    // of the time of all CPUs that the host took from this virtual machine
};

// The time that the host of a virtual machine takes from its construction on: a CPU was ready to run, but was given to
// another machine. Linux counts it in ticks of 10 ms, or not at all. For tests FILCH_BENCH_STAT names a file instead of
// /proc/stat.
class host_watch {
 public:
  host_watch();

  // The share of the time of all CPUs; 0 where the system does not count it.
  [[nodiscard]] double share() const;

 private:
  double taken_s_;
  time_ns at_ns_ = monotonic_now_ns();
};

// From its construction on.
class condition_watch {
 public:
  condition_watch();

  [[nodiscard]] bench_conditions until_now() const;

 private:
  double load_before_;
  double all_s_;  // CPU seconds that the whole machine had used, and this process with its children
  double own_s_;
  time_ns at_ns_ = monotonic_now_ns();
  host_watch host_{};
};

}  // namespace filch::tool
