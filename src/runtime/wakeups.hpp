// Which worker is woken, and why: new work goes through `notify`, and every deadline through the keeper.
//
//   new work in a queue       notify(origin)            a sleeper that the policy chooses, unless a worker searches
//   work pinned to a worker   notify_worker(who)        that one
//   a new earliest deadline   note_deadline(at)         the keeper of the wait sources, or any sleeper
//   an offer (forks, loops)   sharing::wake_for_offer   as new work, or left to the monitor thread
//   the end of the runtime    notify_all()
//
// Who may call what: any thread, unless a function says otherwise.
#pragma once

#include "worker.hpp"

#include "share/lingering.hpp"

#include <filch/base/random.hpp>
#include <filch/park/idle.hpp>
#include <filch/park/wait_source.hpp>
#include <filch/policy/wake.hpp>
#include <filch/topology/distance_table.hpp>

#include <deque>

namespace filch::inline v0 {

class wakeups {
 public:
  wakeups(std::deque<worker>& workers, const options& chosen, const topology::distance_table& distances,
          bool notes_wakers);
  wakeups(const wakeups&) = delete;
  wakeups& operator=(const wakeups&) = delete;

  // There is new work at `origin`, or in the injector for none. `by` is the calling worker, if it is one of this
  // runtime.
  void notify(worker_id origin, worker* by) noexcept;
  // True: that worker slept, and was woken.
  bool notify_worker(worker_id who) { return idle_.notify_worker(who); }
  void notify_all() { (void)idle_.notify_all(); }

  // A source becomes ready at that time. Its deadline_ns() returns it already.
  void note_deadline(time_ns at_ns, worker* by) { answer(sources.keeper.lower(at_ns), by); }
  // A worker: if a source is ready by now, takes what it has. True if there was anything.
  [[nodiscard]] bool poll_sources(worker* by);
  void answer(park::keeper_call call, worker* by);

  [[nodiscard]] park::idle<>& idle() { return idle_; }
  // Hints.
  [[nodiscard]] std::uint32_t sleeping_hint() const { return idle_.sleeping_hint(); }
  [[nodiscard]] std::uint32_t searching_hint() const { return idle_.searching_hint(); }

  lingering_count<> lingering;  // of the workers that have announced their sleep
  park::source_set sources;

 private:
  std::deque<worker>& workers_;
  const policy::wake how_;
  const topology::distance_table& distances_;
  const bool notes_wakers_;  // so that a woken worker can leave its waker's CPU
  park::idle<> idle_;
  random_stream random_;  // guarded by the mutex inside idle_
};

}  // namespace filch::inline v0
