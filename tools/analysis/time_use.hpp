// Where the workers' time went: every moment of every worker belongs to exactly one kind.
//
//   work             a task runs
//   spawn            between two tasks, the second of which was ready: ending one, taking the next from the own queue
//   steal            from the look that found a task at a victim to the task's start
//   idle_ready       the worker runs no task although one is ready: the scheduler's time
//   blocked_lock     nothing is ready, and a task waits for a lock
//   blocked_outside  nothing is ready, no lock is waited for, and a task waits for something outside: a blocking call,
//                    a timer
//   idle_no_work     none of these: no task is ready
//
// A part of idle_ready is caused by the policy: a worker sleeps and no wake-up is under way, or it has looked at
// victims in vain more than k_looks_in_vain times per worker; of a simulated worker all the time between its looks. The
// rest is latency: a worker is being woken, looks for the first time, or has no processor.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <vector>

#include "dag.hpp"
#include "thread_use.hpp"

namespace filch::analysis {

// In worker time: the sum is the makespan times the number of workers, to the nanosecond.
struct time_use {
  time_ns work_ns = 0;
  time_ns spawn_ns = 0;
  time_ns steal_ns = 0;
  time_ns idle_ready_ns = 0;
  time_ns idle_no_work_ns = 0;
  time_ns blocked_lock_ns = 0;
  time_ns blocked_outside_ns = 0;

  [[nodiscard]] time_ns busy_ns() const { return work_ns + spawn_ns + steal_ns; }
  [[nodiscard]] time_ns total_ns() const {
    return busy_ns() + idle_ready_ns + idle_no_work_ns + blocked_lock_ns + blocked_outside_ns;
  }
  friend bool operator==(const time_use&, const time_use&) = default;
};

// The makespan, cut by what all workers together do at a moment.
struct moments {
  time_ns all_work_ns = 0;       // every worker runs a task
  time_ns ready_ns = 0;          // one does not, though a task is ready
  time_ns held_ns = 0;           // … none is ready, but one lies below another on a worker's stack
  time_ns short_of_work_ns = 0;  // … and none of that: whatever could run does

  [[nodiscard]] time_ns total_ns() const { return all_work_ns + ready_ns + held_ns + short_of_work_ns; }
};

// How tasks waited, by the name of the reason.
struct waited_for {
  std::uint32_t reason = trace::k_no_detail;
  std::uint32_t task_name = trace::k_no_detail;  // of those that waited
  bool is_lock = false;
  std::uint64_t count = 0;
  time_ns wait_ns = 0;
};

struct usage {
  time_use use;
  std::vector<time_use> by_worker;
  moments at;
  time_ns policy_ns = 0;          // the policy's part of idle_ready
  double ready_while_policy = 0;  // tasks that were ready meanwhile, on average

  // idle_no_work, by what ran meanwhile.
  time_ns idle_beside_one_ns = 0;   // exactly one task
  time_ns idle_beside_few_ns = 0;   // more than one
  time_ns idle_beside_none_ns = 0;  // none at all
  std::vector<time_ns> alone_ns;    // by task: how long it was the only one to run, and none was ready
  time_ns nothing_ns = 0;           // how long none existed
  // spawn and steal, by the name of the task that came next; the last entry is for tasks without a name.
  std::vector<time_ns> handling_ns;

  // Of the idle time, what was not spent beside tasks whose threads had no processor: all of it when the recording has
  // no samples.
  struct own_idle {
    double any = 0;
    double policy = 0;
    double lock = 0;
    double outside = 0;
    double beside_few = 0;
    double beside_none = 0;
  };
  own_idle own_ns;
  std::vector<time_ns> own_alone_ns;  // by task: the same part of alone_ns

  std::vector<waited_for> waits;  // for locks and for what is outside, the longest first
};

inline constexpr std::uint32_t k_looks_in_vain = 4;

[[nodiscard]] usage usage_of(const dag& graph, const trace::recording& from, const presence& present = {});

}  // namespace filch::analysis
