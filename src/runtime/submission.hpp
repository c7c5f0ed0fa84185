// How new work comes in: tasks and spawned coroutines, from workers and from outside.
//
//   on a worker     its deque, or its ready list
//   from outside    where options::placement says: the injector, or a worker's mail
//   pinned          the inbox of that worker
//
// Who may call what: any thread. `from` is the calling worker, if it is one of this runtime. They throw usage_error
// where nothing is accepted any more, injector_full, or std::bad_alloc when a deque cannot grow; then a task is
// released, and an entry is still the caller's.
#pragma once

#include "admission.hpp"
#include "dispatch.hpp"
#include "fork_generation.hpp"
#include "wakeups.hpp"
#include "worker.hpp"

#include <filch/base/random.hpp>
#include <filch/park/event_count.hpp>
#include <filch/policy/placement.hpp>
#include <filch/runtime/task.hpp>

#include <deque>
#include <mutex>

namespace filch::inline v0 {

class submission {
 public:
  submission(runtime::core& home, std::deque<worker>& workers, const options& chosen, policy::placement placed,
             admission& admits, wakeups& wakes, dispatch& queues);
  submission(const submission&) = delete;
  submission& operator=(const submission&) = delete;

  void enqueue(task_base& made, worker_id pinned, const submit_options& how, worker* from);
  void place(task_base& made, worker_id at, worker* from);
  void spawn(coroutine_entry& entry, const submit_options& how, worker* from);
  // Of a coroutine that comes from another runtime.
  void take_in(coroutine_entry& entry);
  // A worker of this runtime has taken something from the bounded injector.
  void made_room() {
    if (is_bounded_) has_room_.notify([] { return true; });
  }

 private:
  void number_task(task_base& made, worker* from);
  [[nodiscard]] bool admit_outside(task_id& made, const char* name);
  void take_back_outside(task_id made);
  [[nodiscard]] bool inject(queue_entry& made, task_id id, const submit_options& how);
  [[nodiscard]] bool push_bounded(queue_entry& made, queue::injector<>& into, const submit_options& how);

  runtime::core& home_;
  const std::uint32_t fork_generation_ = fork_generation();
  std::deque<worker>& workers_;
  trace::session* const session_;
  admission& admits_;
  wakeups& wakes_;
  dispatch& queues_;
  const bool is_bounded_;
  const bool is_placed_;  // not into the injector
  park::event_count<> has_room_;
  std::mutex placement_mutex_;
  // Guarded by placement_mutex_.
  policy::placement_policy placement_;
  random_stream placement_random_;
};

}  // namespace filch::inline v0
