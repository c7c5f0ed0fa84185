// A worker: its queues, its share point, its search and its counts. It is run by the thread of the crew that holds it,
// one at a time. What it does lies in worker_loop.hpp and the files named there.
//
// Who may call what: the thread that holds the worker, unless a function says otherwise.
#pragma once

#include "current_task.hpp"
#include "task_counts.hpp"
#include "worker_queues.hpp"
#include "worker_states.hpp"
#include "worker_trace.hpp"

#include "share/share_point.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/base/ids.hpp>
#include <filch/policy/search.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/share/local_work.hpp>
#include <filch/topology/distance_table.hpp>
#include <filch/topology/pin_thread.hpp>
#include <filch/trace/counters.hpp>

#include <cstdint>

namespace filch::inline v0 {

// What a worker does, for dumps.
enum class worker_state : std::uint8_t { running, searching, sleeping };

class worker;

// What all workers of a runtime are made from.
struct worker_setup {
  runtime::core& home;
  share_host& host;
  const options& chosen;
  const policy::search_options& search;
  const topology::distance_table& distances;
  bool can_visit;
  bool measures_tasks;
  void (*share_pending)(local_work&) noexcept;
  void (*share_ready)(worker&) noexcept;
};

class alignas(k_no_sharing_bytes) worker : public local_work {
 public:
  worker(const worker_setup& with, worker_id self);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // The worker that the calling thread holds, or nullptr. Read anew by each call: a caller may have changed its worker
  // since the last.
  [[nodiscard]] static worker* current() noexcept { return static_cast<worker*>(current_local_work()); }

  // Puts an entry into the own deque. Throws std::bad_alloc.
  void push(queue_entry& made);
  // The number of a task that it makes.
  [[nodiscard]] task_id number_task() { return task_id{(std::uint64_t{self.value} + 1) << 44 | totals.made()}; }

  static constexpr std::uint32_t k_unknown_cpu = UINT32_MAX;
  [[nodiscard]] static std::uint32_t current_cpu() { return topology::current_cpu().value_or(k_unknown_cpu); }
  void note_cpu() { cpu.store(current_cpu(), std::memory_order_relaxed); }  // statistic

  // Any thread, as hints.
  [[nodiscard]] bool is_in(worker_state what) const {
    return state.load(std::memory_order_relaxed) == what;  // hint
  }
  void enter(worker_state what) { state.store(what, std::memory_order_relaxed); }  // hint
  // It runs a task on this CPU. What is out of date costs a move, or none is made.
  [[nodiscard]] bool works_at(std::uint32_t cpu_number) const {
    return cpu_number != k_unknown_cpu && cpu.load(std::memory_order_relaxed) == cpu_number &&  // statistic
           is_in(worker_state::running);
  }
  // It runs, and its joins shall answer.
  [[nodiscard]] bool awaits_join() const { return is_in(worker_state::running) && point.requests.awaits_join(); }
  // The number of entries here that others could have, if they request them.
  [[nodiscard]] std::uint64_t queued_hint() const { return queues.stealable_hint() + ready.size(); }

  // Immutable.
  runtime::core& home;
  const worker_id self;
  const bool is_only;                           // there is no other worker
  void (*const share_ready)(worker&) noexcept;  // a request was seen: ready coroutines go into the deque

  worker_queues queues;
  current_task runs;
  worker_trace trace;
  share_point point;
  trace::counters<> counters;

  // Of the functions that look for work.
  policy::search search;
  source_state sources;
  steal_state steals;
  sleep_state sleep;

  // Written by the holder, read by any thread: for wait_idle.
  alignas(k_no_sharing_bytes) task_counts<> totals;
  std_atomics::atomic<worker_state> state{worker_state::running};
  // where it ran when its thread began, it found work or woke another
  std_atomics::atomic<std::uint32_t> cpu{k_unknown_cpu};
  // Written by the thread that wakes this worker, before its token: the worker that did, or null.
  const worker* woken_by = nullptr;
};

}  // namespace filch::inline v0
