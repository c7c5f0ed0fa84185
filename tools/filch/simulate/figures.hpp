// What one simulated run comes to, as numbers that can be compared over seeds and policies.
#pragma once

#include <array>
#include <cstdint>
#include <filch/sim/worker_model.hpp>
#include <scenario.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sample.hpp"

namespace filch::tool {

enum class figure : std::uint8_t {
  time,          // until the last task ended, s
  stolen,        // tasks
  steal_rate,    // stolen tasks as a share of all, %
  efficiency,    // time spent on the tasks' own work as a share of all workers' time, %
  failed_looks,  // looks at victims that brought nothing
  parks,         // times that a worker went to sleep
  wait,          // of a task from its arrival to its start, mean, s
  wait_99,       // … which 99 of 100 tasks do not exceed, s
  wait_high,     // mean wait of the tasks of high priority, s
  wait_low,      // … and of low priority, s
};
inline constexpr std::size_t k_figures = 10;

// "time", "steal_rate", … as --metric takes them and JSON names them.
[[nodiscard]] std::span<const std::string_view> figure_names();
// "time", "steal rate %", "looks in vain", … for the head of a table; times without their unit.
[[nodiscard]] std::string_view figure_title(figure which);
[[nodiscard]] bool is_time(figure which);
// More is better: efficiency. Of all others less is.
[[nodiscard]] bool more_is_better(figure which);

struct run_figures {
  std::array<double, k_figures> values{};  // NaN: there is no such task
  std::uint64_t tasks = 0;
  sim::run_end end = sim::run_end::complete;

  [[nodiscard]] double operator[](figure which) const { return values[static_cast<std::size_t>(which)]; }
  double& operator[](figure which) { return values[static_cast<std::size_t>(which)]; }
};

// Runs it once and looks at every task.
[[nodiscard]] run_figures figures_of(const scenario::document& what, std::uint64_t seed);

// Of many runs. Runs that did not complete count only as such.
struct figure_table {
  std::vector<run_figures> runs;

  [[nodiscard]] std::vector<double> values(figure which) const;
  [[nodiscard]] sample_summary summary(figure which) const { return summary_of(values(which)); }
  // Runs that did not complete; of these, such that came to a limit, and such that got stuck.
  [[nodiscard]] std::uint32_t incomplete() const;
  [[nodiscard]] std::uint32_t cut_off() const;
  [[nodiscard]] std::uint32_t stuck() const;
};

// A unit in which a time is a handy number.
struct time_unit {
  double seconds = 1;
  const char* name = "s";
};
[[nodiscard]] time_unit unit_for(double seconds);

}  // namespace filch::tool
