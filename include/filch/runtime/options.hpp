// Everything a runtime can be told when it is made. A default-constructed `options` is a good choice.
//
//   filch::runtime rt{{.workers = 4, .victims = filch::victims::nearest, .steal = filch::steal::half}};
//
// A value that cannot work is refused by the constructor of `runtime` with std::invalid_argument, which names the
// field, the value and what is allowed.
#pragma once

#include <filch/base/units.hpp>
#include <filch/policy/demand.hpp>
#include <filch/policy/names.hpp>
#include <filch/policy/options.hpp>
#include <filch/runtime/awaited_temporary.hpp>
#include <filch/topology/machine.hpp>
#include <filch/trace/session.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace filch::inline v0 {

// The scheduling choices, as users write them: filch::victims::nearest, filch::steal::half.
using policy::idle;
using policy::order;
using policy::placement;
using policy::priority;
using policy::steal;
using policy::victims;
using policy::wake;

// Which deque a worker has.
enum class deques : std::uint8_t {
  lock_free,
  locked,  // the baseline, for comparisons
};

// Where the workers' threads run.
enum class pinning : std::uint8_t {
  none,     // wherever the system puts them
  apart,    // the same, but a worker without work moves away from a CPU where another one works
  spread,   // one CPU each, every core before any SMT sibling
  compact,  // one CPU each, neighbours first
};

struct options {
  // None: the CPUs that this process may use (affinity mask and cgroup quota), or FILCH_WORKERS. 1 to 65535.
  std::optional<std::uint32_t> workers{};

  policy::victims victims = policy::victims::random;
  policy::steal steal = policy::steal::one;
  policy::order order = policy::order::lifo;
  policy::idle idle = policy::idle::balanced;
  policy::wake wake = policy::wake::recent;
  policy::placement placement = policy::placement::injector;
  std::uint32_t fairness_interval = 61;    // every Nth search starts with the injector
  std::uint32_t starvation_interval = 16;  // every Nth search starts with a lower band; 0: high priority is strict
  bool retry_lost = true;                  // a thief that lost a race tries the same victim once more
  policy::demand demand{};  // which owners get requests for forked work, and when; the costs of this machine

  filch::deques deques = filch::deques::lock_free;
  std::optional<std::uint64_t> injector_bound{};  // outside submissions wait while N are queued; none: no bound

  std::string name = "filch";  // threads are called "<name>-0", "<name>-1", …; at most 9 characters
  filch::pinning pinning = filch::pinning::apart;
  std::size_t thread_stack_bytes = 0;                // 0: the system's default
  std::size_t stack_bytes = std::size_t{256} << 20;  // of each stack that tasks run on; memory only as it is used
  // May others take latent work from a thread that has not forked or joined for long? Its processor is interrupted for
  // a moment (membarrier); the thread gets no signal. A recording of forks sends signals (SIGURG) to threads that
  // compute. None: FILCH_INTERRUPTS, or on.
  std::optional<bool> interrupts{};
  // threads that stand in for workers whose tasks block; a stay_on_thread may add some
  std::uint32_t max_spare_threads = 64;
  // Called on each thread of the runtime, spare ones included, before its first task; not if the runtime ends before.
  std::function<void(worker_id)> on_thread_start{};

  std::uint64_t seed = 0;                      // of all random choices; the same seed, the same choices of the policies
  std::optional<topology::machine> machine{};  // for distances; none: this machine
  trace::session* trace = nullptr;             // records into it; it outlives the runtime

  std::optional<time_ns> watchdog_ns{};  // reports a task that holds a worker longer; none: FILCH_WATCHDOG_MS, or off
  std::function<void(const std::string&)> on_report{};  // where reports go; empty: standard error
  bool dump_on_sigusr2 = false;                         // SIGUSR2 prints every worker's state
  // Dumps list spawned tasks and what coroutines wait for, and so does a shutdown that waits for them in vain. None:
  // FILCH_TRACK_TASKS, or on if filch was built without NDEBUG.
  std::optional<bool> track_tasks{};

  // The part that the policies are made from.
  [[nodiscard]] policy::search_options search() const;
};

// What can be said about one task when it is submitted.
struct submit_options {
  policy::priority priority = policy::priority::normal;
  const char* name = nullptr;  // shown in traces, dumps and by the watchdog; must outlive the runtime: use a literal
  detail::stop_option stop{};  // a std::stop_token: a stop requested before the task starts cancels it
  bool wait_when_full = true;  // with a bounded injector: wait for room, or throw injector_full
};

// Throws std::invalid_argument with every problem, one a line. `workers` is the number that will be started.
void require_valid(const options& given, std::uint32_t workers);

}  // namespace filch::inline v0
