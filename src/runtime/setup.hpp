// What a runtime is made from: the user's options, and what follows from them on this machine.
//
// Who may call what: the constructor of the core; constant once the workers run.
#pragma once

#include <filch/policy/options.hpp>
#include <filch/runtime/options.hpp>
#include <filch/topology/distance_table.hpp>
#include <filch/topology/usable_cpus.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace filch::inline v0 {

// To options::on_report, or to standard error.
void report_to(const options& chosen, const std::string& text);

struct runtime_setup {
  // Throws std::invalid_argument for options that cannot work. `chosen.workers` has a value afterwards.
  explicit runtime_setup(options given);

  // Fewer threads could be started than wanted.
  void fit_to(std::uint32_t started);
  // Distances, and the CPU of each worker that is bound to one.
  void choose_machine();

  // Has each worker a CPU of its own, which it does not leave?
  [[nodiscard]] bool binds_workers() const { return chosen.pinning > pinning::apart; }
  [[nodiscard]] bool records_forks() const {
    return chosen.trace != nullptr && chosen.trace->forks() != trace::fork_detail::stolen &&
           chosen.trace->is_recording();
  }
  void report(const std::string& text) const { report_to(chosen, text); }

  options chosen;
  policy::search_options search_options;
  topology::usable_cpus_result usable;
  std::string why_so_many;
  bool may_interrupt = false;   // options::interrupts
  bool measures_tasks = false;  // the watchdog wants to know when each task began
  bool tracks_tasks = false;    // in the registry of tasks
  bool has_cpu_each = false;    // there are at least as many CPUs as workers
  std::vector<topology::cpu_number> cpu_of_worker;
  topology::distance_table distances;
};

}  // namespace filch::inline v0
