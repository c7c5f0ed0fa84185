// Under which conditions something is measured.
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
};

}  // namespace filch::tool
