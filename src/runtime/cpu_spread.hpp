// Where the threads of a runtime run: workers without a CPU of their own keep apart
// (docs/decisions/0016-workers-keep-apart.md).
//
// Who may call what: any thread, about itself.
#pragma once

#include "worker.hpp"

#include <filch/park/idle.hpp>
#include <filch/topology/cpu_set.hpp>

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace filch::inline v0 {

class cpu_spread {
 public:
  // Two moves of one thread lie at least so far apart: a move costs some tens of microseconds (guess).
  static constexpr time_ns k_between_moves_ns = k_ns_per_ms;

  // `unbound`: the CPUs where the first threads may run, which are bound until they begin; none: they are not.
  cpu_spread(const std::deque<worker>& workers, bool keeps_apart, std::optional<topology::cpu_set> unbound)
      : workers_{workers}, keeps_apart_{keeps_apart}, unbound_{std::move(unbound)} {}

  // Workers that find themselves on one CPU move.
  [[nodiscard]] bool keeps_apart() const { return keeps_apart_; }
  [[nodiscard]] bool binds_first_threads() const { return unbound_.has_value(); }
  // The calling thread goes to where no worker but `who` runs, if it can, and if its last move was long ago.
  void leave_crowded_cpus(const worker* who, time_ns& moved_ns) const noexcept;
  // `who` has announced its sleep, and sleeps until it is chosen or that time; a sleep that may be long only where no
  // other worker runs now, so that the system does not wake it behind one.
  void sleep_apart(const worker& who, park::idle<>& idle, time_ns until_ns) const noexcept;
  // Restores the creator's affinity mask, if the first threads are bound at their beginning. Not empty: what the system
  // said against it.
  [[nodiscard]] std::string unbind_thread() const noexcept;

 private:
  // Where workers but `who` run.
  [[nodiscard]] topology::cpu_set cpus_of_others(const worker* who) const;

  const std::deque<worker>& workers_;
  const bool keeps_apart_;
  const std::optional<topology::cpu_set> unbound_;
};

}  // namespace filch::inline v0
