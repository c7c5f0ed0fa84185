// What the workers' threads did while tasks ran: on a processor, asleep in the kernel, or without a processor.
//
// Between two samples of one thread lie W of tasks, C on a processor, R in the run queue. C may lie outside tasks as
// well, so at least W - C of the tasks passed without a processor. When the thread was switched away of its own will
// more often than it parked, what of W - C is beyond R it slept in the kernel: a lower bound. All the rest of W - C was
// taken from it: by another thread, or by the machine below a virtual one.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <string>
#include <vector>

#include "dag.hpp"

namespace filch::analysis {

// What the processor's counters say of tasks.
struct counted_work {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t cache_misses = 0;

  [[nodiscard]] double cycles_each() const {
    return instructions == 0 ? 0 : static_cast<double>(cycles) / static_cast<double>(instructions);
  }
};

// Of one worker, of the tasks of one name, or of all.
struct thread_time {
  time_ns tasks_ns = 0;  // in tasks, between two samples
  time_ns blocked_ns = 0;
  time_ns taken_ns = 0;
  std::uint64_t waits = 0;        // in the kernel
  counted_work beside_few = {};   // while at most half of the workers, or one, ran tasks
  counted_work beside_many = {};  // while at least three quarters did, and two

  [[nodiscard]] time_ns on_cpu_ns() const { return tasks_ns - blocked_ns - taken_ns; }
};

// The share of the running tasks that has a processor: 1 where no processor was taken. Steps in the order of time.
struct presence {
  struct step {
    time_ns at_ns = 0;
    double share = 1;
  };
  std::vector<step> steps;
  double usual = 1;  // before the first step, and where no task runs
};

struct thread_use {
  bool is_looked_at = false;
  bool knows_run_queue = false;  // else what was taken is known from what is missing
  bool has_counters = false;
  thread_time all;
  time_ns run_queue_ns = 0;  // outside of tasks as well
  time_ns machine_ns = 0;    // run_queue_ns, or what was taken where that is more
  std::vector<thread_time> by_worker;
  std::vector<thread_time> by_name;       // the last is for tasks without a name
  std::vector<time_ns> taken_of_task_ns;  // by task
  presence present;
  std::uint32_t processors = 0;  // that the recorded process might use; 0: the recording does not say

  // Without a processor though not in a task.
  [[nodiscard]] time_ns taken_outside_ns() const { return machine_ns - all.taken_ns; }
};

[[nodiscard]] thread_use thread_use_of(const dag& graph, const trace::recording& from);

// What an analysis does not know because the recording does not hold it.
struct omission {
  std::string id;  // threads, run-queue, counters, …
  std::string text;
};
[[nodiscard]] std::vector<omission> omissions_of(const thread_use& threads, const dag& graph,
                                                 const trace::recording& from);

}  // namespace filch::analysis
