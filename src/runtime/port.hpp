// What the layers above see of the runtime: fork, coro, sync and time call these, and nothing else of its inside.
//
// Who may call what: the thread that holds a worker, unless a function says otherwise.
#pragma once

#include "share/child_counter.hpp"

#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>
#include <filch/park/wait_source.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/runtime/task.hpp>
#include <filch/share/entry.hpp>

#include <cstdint>

namespace filch::inline v0::port {

using home = runtime::core;

// ---- the calling thread ---------------------------------------------------------------------------------------------

// The runtime whose worker the calling thread holds, or null. Any thread.
[[nodiscard]] home* current_home() noexcept;
// The same where the caller holds one.
[[nodiscard]] home& here() noexcept;
// What the worker runs, or null.
[[nodiscard]] const task_record* running_task() noexcept;

// ---- new work -------------------------------------------------------------------------------------------------------

// A task, or a spawned coroutine, of that runtime. Any thread; they throw as runtime::submit() does. Then the task is
// gone, and the coroutine is still the caller's.
void enqueue(home& at, task_base& made);
void spawn(home& at, coroutine_entry& made, const submit_options& how);
// Into the mail of the calling thread's worker: behind what is ready there.
void place_here(task_base& made);
// A spawned coroutine counts as a task of the runtime from its beginning to its end.
void count_begun() noexcept;
void count_ended() noexcept;

// ---- ready coroutines and stacks ------------------------------------------------------------------------------------

// What has waited is ready. Any thread. The entry may be gone afterwards. `why`: what it has waited for, or null.
void put_back(home& at, coroutine_entry& entry, const char* why) noexcept;
void put_back(suspended_stack& parents, const char* why) noexcept;
// Behind the others that are ready here; on that worker, where it stays; on a worker of another runtime, which may
// throw usage_error.
void put_behind(coroutine_entry& entry) noexcept;
void put_at(coroutine_entry& entry, worker_id where) noexcept;
void move_to(home& there, coroutine_entry& entry);

// ---- children -------------------------------------------------------------------------------------------------------

// The newest entry of the worker's deque, if it is a coroutine of this group: it counts as run, and the caller resumes
// it. Else null.
[[nodiscard]] coroutine_entry* take_back_child(const void* group) noexcept;
// Runs the newest task of the worker's deque, if it is of this group. False: it is not.
[[nodiscard]] bool run_newest_of(const void* group) noexcept;
// Any thread: the caller waits until all have ended.
void wait_for(child_counter& children) noexcept;
// All children of this stack have ended: it resumes when the caller's task ends, or waits. `resume_parents` does so in
// its turn where the caller's stack must stay on its thread.
void resume_soon(suspended_stack& parents) noexcept;
void resume_parents(suspended_stack& parents) noexcept;
// The same for a caller that waits itself, directly after it: then the other stack has its turn first.
void resume_before_waiting() noexcept;
// For recordings: the task resumes after its children.
void record_join() noexcept;

// ---- what a runtime is ----------------------------------------------------------------------------------------------

struct facts {
  std::uint32_t workers;
  bool has_cpu_each;
  bool waits_awake;  // workers that find nothing look again before they sleep
};
[[nodiscard]] facts facts_of(const home& which);
// In the registry of tasks.
[[nodiscard]] bool tracks_tasks(const home& which);
[[nodiscard]] home& home_of(const runtime& which);

// ---- time -----------------------------------------------------------------------------------------------------------

// Any thread.
[[nodiscard]] park::source_set& sources_of(home& which);
void note_deadline(home& which, time_ns at_ns);
// A wait has ended early because a task was cancelled: a shutdown whose deadline has passed counts it.
void note_cancelled_wait();

}  // namespace filch::inline v0::port
