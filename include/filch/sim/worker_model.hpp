// The simulated body: workers that carry out the decisions of policy/ in virtual time on a described machine.
//
// Each worker owns a policy::search, as a thread's worker does, and carries out its steps: looks into its own queues,
// robs victims, waits, parks. Announced work wakes sleepers as in the runtime: one, and only when no worker searches;
// the last searching worker that finds work wakes the next if there is more.
//
// The result of an operation is decided when it begins; its cost passes afterwards. So a stolen task is in no queue
// while the steal takes its time.
//
// A run ends when all tasks have ended, which the model sees at once, without polling.
#pragma once

#include <filch/base/units.hpp>
#include <filch/policy/options.hpp>
#include <filch/sim/machine_model.hpp>
#include <filch/sim/workload.hpp>
#include <filch/trace/counters.hpp>
#include <filch/trace/recording.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace filch::inline v0::sim {

// How a worker's time went. The parts add up to the whole run, to the nanosecond.
struct time_use {
  time_ns work_ns = 0;      // computing
  time_ns overhead_ns = 0;  // making, pushing, taking and resuming tasks, waking others
  time_ns steal_ns = 0;     // looking at victims, and carrying home what was found
  time_ns wait_ns = 0;      // between two rounds of looking
  time_ns park_ns = 0;      // asleep, falling asleep or waking up
  time_ns block_ns = 0;     // sitting in a join

  [[nodiscard]] time_ns busy_ns() const { return work_ns + overhead_ns; }
  [[nodiscard]] time_ns idle_ns() const { return wait_ns + park_ns + block_ns; }
  [[nodiscard]] time_ns total_ns() const { return busy_ns() + steal_ns + idle_ns(); }

  time_use& operator+=(const time_use& other);
  friend bool operator==(const time_use&, const time_use&) = default;
};

struct run_options {
  std::uint64_t seed = 1;
  time_ns until_ns = k_never_ns;  // stops there, after the events of that time
  // A waiting worker does not notice announced work, and looks again when its wait is over.
  bool deaf_waits = false;
  // The run stops when this number of tasks was made.
  std::uint64_t most_tasks = UINT64_MAX;
  // The same for events: workers that look again and again make many while a task runs.
  std::uint64_t most_events = UINT64_MAX;
  // Everything that happens is written there; what it held before is lost.
  trace::recording* record = nullptr;
};

// A run whose recording would have more events is shown without it: 32 bytes each, mostly looks of many workers.
inline constexpr std::uint64_t k_most_shown_events = 4'000'000;

// Why a run ended.
enum class run_end : std::uint8_t {
  complete,     // every task ended
  until,        // the time was over
  task_limit,   // too many tasks
  event_limit,  // too many events
  stuck,        // nothing can go on: every worker that could sits in a join
};

// A worker in a blocking join of a run that is stuck, and one of the children for which it waits.
struct stuck_join {
  enum class place : std::uint8_t {
    queue,     // in the queue or the mail of `holder`
    pinned,    // in the inbox of `holder`, which alone may run it
    injector,  // `holder` is none
    join,      // `holder` runs it and sits in its join
    left,      // suspended, in a join without a worker; `holder` is none
  };

  worker_id worker;
  task_id task;
  task_id child;
  place where = place::queue;
  worker_id holder = worker_id::none();

  friend bool operator==(const stuck_join&, const stuck_join&) = default;
};

// `worker 1 sits in the join of task 4, which waits for task 7, which lies in the queue of worker 0`
[[nodiscard]] std::string to_string(const stuck_join& what);

struct run_result {
  time_ns makespan_ns = 0;   // when the last task ended, or when the run stopped
  bool is_complete = false;  // every task ended
  run_end end = run_end::complete;
  std::uint64_t tasks = 0;         // made
  std::uint64_t unfinished = 0;    // tasks that have not ended
  std::uint64_t suspended = 0;     // … of these, waiting for their children
  std::uint64_t most_pending = 0;  // the most tasks that existed at one time
  std::uint64_t events = 0;        // of the engine
  std::vector<time_use> use;       // by worker
  std::vector<trace::count_values> counts;
  std::vector<stuck_join> stuck;  // which task waits for which, when the run is stuck
  time_use outside;               // of an external thread that computes (sharing_model.hpp)

  [[nodiscard]] time_use total_use() const;
  [[nodiscard]] trace::count_values total_counts() const;
  // About the number of events in a recording of this run: two for every look at a victim, and a few for every task.
  [[nodiscard]] std::uint64_t recorded_events() const;

  friend bool operator==(const run_result&, const run_result&) = default;
};

// Runs a workload. The same arguments give the same result, and the same bytes in the recording, everywhere. Throws
// std::invalid_argument for a machine, policy or pair of both with which a run cannot work.
[[nodiscard]] run_result simulate(const machine_model& machine, const policy::search_options& policy, workload& load,
                                  const run_options& options = {});

}  // namespace filch::inline v0::sim
