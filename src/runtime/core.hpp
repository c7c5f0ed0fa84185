// The inside of a runtime: its parts, in the order in which they come to be, and its life.
//
//   admission    what it takes in, and whether everything is done
//   wakeups      who wakes whom
//   dispatch     where ready work goes
//   submission   how new work comes in
//   sharing      share points, visits, the monitor thread: requests for forked work
//   cpu_spread   where threads run
//   crew         the threads that hold workers; worker_loop.hpp has what they do
//
// Who may call what: any thread, unless a function says otherwise.
#pragma once

#include "admission.hpp"
#include "cpu_spread.hpp"
#include "crew.hpp"
#include "dispatch.hpp"
#include "fork_generation.hpp"
#include "heartbeat.hpp"
#include "self_recording.hpp"
#include "setup.hpp"
#include "sharing.hpp"
#include "submission.hpp"
#include "wait_graph.hpp"
#include "wakeups.hpp"
#include "watchdog.hpp"
#include "worker.hpp"

#include "stack/stack_pool.hpp"

#include <filch/runtime/runtime.hpp>

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace filch::inline v0 {

// What the threads of a runtime do: above the core, which only calls it.
struct thread_actions {
  void (*thread_main)(runtime::core& home, std::uint32_t number) noexcept;
  void (*loop)() noexcept;  // of a worker, on a stack of the pool
  void (*share_pending)(local_work&) noexcept;
  void (*share_ready)(worker&) noexcept;
  sharing::wait_function wait_for;
};

class runtime::core : public runtime_setup {
  owned_session own_session_;  // chosen.trace, when FILCH_TRACE asked for it: ends after the threads

 public:
  core(options given, const thread_actions& actions_);
  ~core();

  const thread_actions& actions;
  std::deque<worker> workers;
  admission admits{workers};
  std::optional<wakeups> wakes;
  std::optional<dispatch> queues;
  std::optional<submission> submits;
  std::optional<cpu_spread> cpus;
  std::optional<sharing> shares;
  std::optional<stack_pool> stacks;
  std::optional<crew> threads;
  wait_graph waits;

  // The worker that the calling thread holds, if that is one of this runtime's.
  [[nodiscard]] worker* own_worker() const {
    worker* const held = worker::current();
    return held != nullptr && &held->home == this ? held : nullptr;
  }
  // Throws usage_error unless the calling thread may submit.
  void require_open() const;
  [[nodiscard]] bool is_forked_child() const { return fork_generation_ != fork_generation(); }
  // Is there anything that this worker could do? Looks everywhere; true in doubt.
  [[nodiscard]] bool has_work_for(const worker& who) const;

  [[nodiscard]] bool wait_idle(time_ns deadline_ns);
  [[nodiscard]] bool shutdown(time_ns deadline_ns);

 private:
  void start_crew();
  void make_parts();
  void make_watchers();

  const std::uint32_t fork_generation_ = fork_generation();
  std::optional<watchdog> watchdog_;
  std::optional<fork_heartbeat> heartbeat_;
  std::mutex life_mutex_;  // held by the thread that stops the others
};

}  // namespace filch::inline v0
