// How a worker runs what it found: tasks, coroutines, stolen frames, suspended stacks.
//
// Who may call what: the thread that holds a worker.
#pragma once

#include "worker.hpp"

#include <filch/runtime/task.hpp>
#include <filch/share/symmetric_transfer.hpp>

namespace filch::inline v0 {

// Runs what was taken out of a queue or a cell by task `inside`, which waits, or by none, and drops its reference.
void execute(queue_entry& taken, task_record* inside) noexcept;
// Runs a task that the caller, task `inside`, has claimed because it waits for it.
void execute_claimed(task_base& claimed, task_record* inside) noexcept;

}  // namespace filch::inline v0
