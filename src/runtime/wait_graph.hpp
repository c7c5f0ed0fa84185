// Which task waits for which, for dumps. Written only where a thread is about to block anyway.
//
// Who may call what: any thread.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/runtime/task.hpp>

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace filch::inline v0 {

class wait_graph {
 public:
  struct party {
    task_id id;
    const void* home;  // its runtime: tasks of two runtimes may have the same number
    std::string name;
  };
  // `waiting` are the tasks on the stack of the waiting thread, the innermost first: each waits for the one before it,
  // and the innermost for `awaited`.
  struct wait {
    std::vector<party> waiting;
    party awaited;
  };
  using ticket = std::list<wait>::iterator;

  // Nothing: there is no memory for it, and the wait is not listed.
  [[nodiscard]] std::optional<ticket> begin_wait(const task_record* waiting, const task_record& awaited) noexcept;
  void end_wait(const std::optional<ticket>& of) noexcept;

  // One line per wait, then one per deadlock: a circle of tasks of which each waits for the next.
  [[nodiscard]] std::string describe() const;

 private:
  mutable std::mutex mutex_;
  std::list<wait> waits_;  // guarded by mutex_
};

}  // namespace filch::inline v0
