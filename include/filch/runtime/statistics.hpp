// What a runtime has done: per worker and in sum, as numbers, as a table and as JSON.
#pragma once

#include <filch/trace/counters.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace filch::inline v0 {

struct worker_statistics {
  trace::count_values counts;      // executed, spawned, stolen, attempts, failures, parks, … (trace/counters.hpp)
  std::uint64_t queue_length = 0;  // tasks in its queues now
};

struct statistics {
  std::vector<worker_statistics> workers;
  std::uint64_t submitted_outside = 0;     // tasks that came from threads that are no workers
  std::uint64_t injector_length = 0;       // tasks in the injector now
  std::uint32_t spare_threads = 0;         // threads made to stand in for blocked ones
  std::uint64_t stacks = 0;                // stacks made so far: one per thread, and one per join that waited at a time
  std::uint64_t suspended_stacks = 0;      // those that stand still now: their join waits, or they wait for their turn
  std::uint64_t suspended_stacks_max = 0;  // the greatest number at once so far

  // All workers together; queue_max is the largest.
  [[nodiscard]] trace::count_values total() const;
  // Thefts of tasks as a share of all tasks that ran; 0 when none ran. A task that is stolen on from the thief counts
  // again, so with steal::half it may exceed 1.
  [[nodiscard]] double steal_rate() const;
  // Everything submitted, spawned and not yet executed or cancelled.
  [[nodiscard]] std::uint64_t unfinished() const;
};

// A table for people.
[[nodiscard]] std::string to_string(const statistics& what);
// One line of JSON.
[[nodiscard]] std::string to_json(const statistics& what);

}  // namespace filch::inline v0
