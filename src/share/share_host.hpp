// What sharing needs of the runtime around it. The runtime implements these; the layer `share` knows nothing else of
// it.
#pragma once

#include "child_counter.hpp"

#include <filch/base/ids.hpp>
#include <filch/share/entry.hpp>

#include <string>

namespace filch::inline v0 {

struct share_point;

class share_host {
 public:
  // A stack was exhausted a moment ago: nothing is offered for a while (policy::demand::exhausted_ns).
  [[nodiscard]] virtual bool is_exhausted() const noexcept = 0;
  virtual void note_exhausted() noexcept = 0;
  // The advice that stack_exhausted carries.
  [[nodiscard]] virtual std::string exhausted_advice() const = 0;
  // Hints.
  [[nodiscard]] virtual bool has_sleepers() const noexcept = 0;
  [[nodiscard]] virtual bool is_thief_awake() const noexcept = 0;
  // An offer was made there: wakes a sleeper for it, or leaves that to the monitor thread.
  virtual void wake_for_offer(const share_point& at) noexcept = 0;
  // A request was deferred: a worker that lingers will make it, or the monitor thread is called.
  virtual void announce_deferred() noexcept = 0;
  // Something has changed that only the monitor thread notices.
  virtual void call_monitor() noexcept = 0;
  // The calling thread's stack waits until all children have ended.
  virtual void wait_for(child_counter& children) noexcept = 0;
  // A recording shall say that there were forks.
  virtual void note_that_it_forks() noexcept = 0;

 protected:
  ~share_host() = default;
};

// Where forks are recorded: a worker. It is called on the worker's own thread.
class fork_recorder {
 public:
  [[nodiscard]] virtual bool records_forks() const noexcept = 0;
  [[nodiscard]] virtual bool records_every_fork() const noexcept = 0;
  // The task that runs, or none.
  [[nodiscard]] virtual task_id running_task() const noexcept = 0;
  [[nodiscard]] virtual task_id next_fork_number() noexcept = 0;
  virtual void record_fork(task_id number, task_id parent, const char* label) noexcept = 0;
  // In a signal handler. False: there is no room.
  [[nodiscard]] virtual bool record_fork_in_handler(task_id number, task_id parent, const char* label) noexcept = 0;
  // A recorded child runs inside the running task.
  virtual void begin_child(task_record& child) noexcept = 0;
  virtual void end_child(task_record& child) noexcept = 0;
  // The running task resumes after this child, which a thief has run.
  virtual void record_join(task_id child) noexcept = 0;

 protected:
  ~fork_recorder() = default;
};

}  // namespace filch::inline v0
