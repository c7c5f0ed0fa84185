// Where ready work goes, each with the wake-up that it needs: coroutines and stacks that have waited, and entries that
// others pin or push. submission.hpp has what is new.
//
//   ready coroutine, on a worker  its ready list; from outside the injector
//   suspended stack, ready        the deque of the calling worker; from outside the injector
//   pinned                        the inbox of that worker
//
// Who may call what: any thread, unless a function says otherwise.
#pragma once

#include "admission.hpp"
#include "wakeups.hpp"
#include "worker.hpp"

#include <filch/queue/injector.hpp>

#include <cstdint>
#include <deque>
#include <memory>

namespace filch::inline v0 {

class dispatch {
 public:
  dispatch(std::deque<worker>& workers, const options& chosen, admission& admits, wakeups& wakes);
  dispatch(const dispatch&) = delete;
  dispatch& operator=(const dispatch&) = delete;

  // The entry may be gone when this returns. `why` is what it waited for, for recordings: a literal, or null. `from` is
  // the calling worker, if it is one of this runtime.
  void put_back(queue_entry& stack, const task_record* running, const char* why, worker* from) noexcept;
  void put_back(coroutine_entry& entry, const char* why, worker* from) noexcept;
  // By a worker of this runtime: one that it has spawned; behind the others that are ready there; to that worker, where
  // it stays.
  void put_new(coroutine_entry& entry, worker& me) noexcept;
  void put_behind(coroutine_entry& entry, worker& me) noexcept;
  void put_at(coroutine_entry& entry, worker_id at, worker& me) noexcept;
  void pin(queue_entry& entry, worker_id at, worker* from) noexcept;
  // Into the injector of its band.
  void push_injected(queue_entry& entry, worker* from) noexcept;
  // Into the worker's own deque without a wake-up; into the injector if the deque cannot grow.
  void push_own_quietly(queue_entry& entry, worker& me) noexcept;
  // The entry becomes a task in the counts of its maker.
  static void number(coroutine_entry& entry, worker& from) noexcept;

  [[nodiscard]] queue::injector<>& injector_of(policy::priority band) {
    return injectors_[static_cast<std::size_t>(band)];
  }
  [[nodiscard]] std::uint64_t injected_hint() const;
  [[nodiscard]] bool has_injected() const;
  [[nodiscard]] bool bands_in_use() const {
    return bands_in_use_.load(std::memory_order_relaxed);  // hint: a late reader looks at the other bands later
  }
  void note_band(const queue_entry& entry) {
    if (entry.band != policy::priority::normal) bands_in_use_.store(true, std::memory_order_relaxed);  // hint
  }
  // For recordings: a task that comes from outside.
  void record_spawn(task_id made, const char* name) noexcept;
  // Tasks that were run by a waiting thread leave empty entries behind. The threads have ended.
  void drop_empty_entries();

 private:
  void push_own(queue_entry& entry, worker& me) noexcept;
  void trace_woken(task_id which, worker* from, const char* why) noexcept;

  std::deque<worker>& workers_;
  trace::session* const session_;
  admission& admits_;
  wakeups& wakes_;
  const std::unique_ptr<queue::injector<>[]> injectors_;
  std_atomics::atomic<bool> bands_in_use_{false};
};

}  // namespace filch::inline v0
