// The costs of single operations on this machine. Every measurement gives one number for one round; the caller repeats
// them in turn and takes medians. Measurements of one thread count its CPU time, so other programs disturb them little;
// those between two threads are wall time.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>

namespace filch::tool {

struct spawn_costs {
  double spawn_ns = 0;  // making a task and putting it into the own queue
  double pop_ns = 0;    // taking an empty task from there and running it
};
[[nodiscard]] spawn_costs measure_spawn();

struct queue_costs {
  double push_ns = 0;      // into the own deque
  double empty_ns = 0;     // a thief's look at a deque that is empty
  double injector_ns = 0;  // taking from the injector
};
[[nodiscard]] queue_costs measure_queues();

// A fork and join of two empty functions without a steal.
[[nodiscard]] double measure_fork_ns();

// From here on two CPUs are needed.

// A thief takes tasks one by one from a victim that is busy otherwise.
[[nodiscard]] double measure_steal_ns();

struct stolen_fork_costs {
  double start_ns = 0;   // from the fork until a searching worker runs the function
  double resume_ns = 0;  // from the end of the function until its caller, which has left its stack, resumes
};
[[nodiscard]] stolen_fork_costs measure_stolen_fork();

struct wake_costs {
  double notify_ns = 0;  // for the submitter, beyond the cost of a submission to a worker that is awake
  double wake_ns = 0;    // until the task starts
};
[[nodiscard]] wake_costs measure_wake();

// A thread enters the kernel to sleep and finds that it need not.
[[nodiscard]] double measure_park_ns();
// Two threads on one CPU in turn: one switch.
[[nodiscard]] double measure_switch_ns();
// Memory that another CPU wrote, by KiB, beyond what it costs to read it again.
[[nodiscard]] double measure_migration_per_kib_ns();

struct busy_machine {
  double speed = 1;      // of each of `cpus` threads, one per CPU, relative to one that runs alone
  double cpu_share = 1;  // of the wall time that these threads had a CPU; less: other programs use them too
};
[[nodiscard]] busy_machine measure_all_busy(std::uint32_t cpus);

}  // namespace filch::tool
