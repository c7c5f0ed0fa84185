// Where work goes: tasks, stacks and coroutines into queues, each with the wake-up that it needs.
//
//   submitted on a worker         its deque
//   submitted from outside        where options::placement says: the injector, or a worker's mail
//   pinned                        the inbox of that worker
//   ready coroutine, on a worker  its ready list; from outside the injector
//   suspended stack, ready        the deque of the calling worker; from outside the injector
//
// Who may call what: any thread, unless a function says otherwise.
#pragma once

#include "admission.hpp"
#include "wakeups.hpp"
#include "worker.hpp"

#include <filch/base/random.hpp>
#include <filch/park/event_count.hpp>
#include <filch/policy/placement.hpp>
#include <filch/queue/injector.hpp>
#include <filch/runtime/task.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace filch::inline v0 {

class dispatch {
 public:
  dispatch(runtime::core& home, std::deque<worker>& workers, const options& chosen, policy::placement placed,
           admission& admits, wakeups& wakes);
  dispatch(const dispatch&) = delete;
  dispatch& operator=(const dispatch&) = delete;

  // ---- tasks and spawned coroutines ----
  // `from` is the calling worker, if it is one of this runtime; `is_own_thread`: the calling thread is of this
  // runtime's crew. Throws usage_error where nothing is accepted any more, injector_full, or std::bad_alloc when a deque
  // cannot grow; then a task is released, and an entry is still the caller's.
  void enqueue(task_base& made, worker_id pinned, const submit_options& how, worker* from, bool is_own_thread);
  void place(task_base& made, worker_id at, worker* from, bool is_own_thread);
  void spawn(coroutine_entry& entry, const submit_options& how, worker* from, bool is_own_thread);
  // Of a coroutine that comes from another runtime. Throws usage_error.
  void take_in(coroutine_entry& entry, bool is_own_thread);

  // ---- entries that are ready ----
  // The entry may be gone when this returns. `why` is what it waited for, for recordings: a literal, or null.
  void put_back(queue_entry& stack, const task_record* running, const char* why, worker* from) noexcept;
  void put_back(coroutine_entry& entry, const char* why, worker* from) noexcept;
  // By a worker of this runtime: behind the others that are ready there; or to that worker, where it stays.
  void put_behind(coroutine_entry& entry, worker& me) noexcept;
  void put_at(coroutine_entry& entry, worker_id at, worker& me) noexcept;
  // Into the injector of its band.
  void push_injected(queue_entry& entry) noexcept;
  // Into the worker's own deque without a wake-up; into the injector if the deque cannot grow.
  void push_own_quietly(queue_entry& entry, worker& me) noexcept;
  // The entry becomes a task in the counts of its maker.
  static void number(coroutine_entry& entry, worker& from) noexcept;

  // ---- the injectors ----
  [[nodiscard]] queue::injector<>& injector_of(policy::priority band) {
    return injectors_[static_cast<std::size_t>(band)];
  }
  [[nodiscard]] std::uint64_t injected_hint() const;
  [[nodiscard]] bool has_injected() const;
  [[nodiscard]] bool bands_in_use() const {
    return bands_in_use_.load(std::memory_order_relaxed);  // hint: a late reader looks at the other bands later
  }
  // A worker of this runtime has taken something from the bounded injector.
  void made_room() {
    if (is_bounded_) has_room_.notify([] { return true; });
  }
  // Tasks that were run by a waiting thread leave empty entries behind. The threads have ended.
  void drop_empty_entries();

 private:
  void number_task(task_base& made, worker* from, bool is_own_thread);
  [[nodiscard]] bool admit_outside(task_id& made, const char* name, bool is_own_thread);
  void take_back_outside(task_id made);
  [[nodiscard]] bool inject(queue_entry& made, task_id id, const submit_options& how);
  [[nodiscard]] bool push_bounded(queue_entry& made, queue::injector<>& into, const submit_options& how);
  void pin(queue_entry& entry, worker_id at, worker* from) noexcept;
  void push_own(queue_entry& entry, worker& me) noexcept;
  void note_band(const queue_entry& entry) {
    if (entry.band != policy::priority::normal) bands_in_use_.store(true, std::memory_order_relaxed);  // hint
  }
  void trace_outside_spawn(task_id made, const char* name) noexcept;
  void trace_woken(task_id which, worker* from, const char* why) noexcept;

  runtime::core& home_;
  std::deque<worker>& workers_;
  trace::session* const session_;
  admission& admits_;
  wakeups& wakes_;
  const bool is_bounded_;
  const std::unique_ptr<queue::injector<>[]> injectors_;
  std_atomics::atomic<bool> bands_in_use_{false};
  park::event_count<> has_room_;
  std::mutex placement_mutex_;
  // Guarded by placement_mutex_.
  policy::placement_policy placement_;
  random_stream placement_random_;
  const bool is_placed_;  // not into the injector
};

}  // namespace filch::inline v0
