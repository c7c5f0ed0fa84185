#include "sharing.hpp"

namespace filch::inline v0 {

sharing::sharing(const options& chosen, std::deque<worker>& workers, wakeups& wakes, const cpu_spread& cpus,
                 bool may_visit, wait_function waits)
    : external{*this, chosen.demand, may_visit},
      board{workers, external, wakes, chosen.demand},
      visits{board, may_visit},
      watcher{board, visits, cpus, chosen},
      chosen_{chosen},
      wakes_{wakes},
      wait_for_{waits} {}

void sharing::call_monitor() noexcept {
  if (!watcher.call()) board.flush_deferred_now();
}

void sharing::announce_deferred() noexcept {
  if (!wakes_.lingering.is_seen_to()) call_monitor();
}

std::string sharing::exhausted_advice() const {
  return "options::stack_bytes = " + std::to_string(chosen_.stack_bytes) + ". Raise it, or nest less deep";
}

// Waking a sleeper costs the offering thread a few microseconds.
void sharing::wake_for_offer(const share_point& at) noexcept {
  const bool is_throttled = at.throttle.value().is_throttled();
  const bool lingers_any = wakes_.lingering.is_anybody();
  const bool is_monitored = is_throttled && !lingers_any && watcher.is_watching();
  using policy::demand;
  if (demand::wakes_for_offer(is_throttled, lingers_any, is_monitored) == demand::waker::monitor) return;
  if (!board.has_place_for_sleeper()) return;
  worker* const me = worker::current();
  wakes_.notify(me != nullptr ? me->self : worker_id::none(), me);
}

void sharing::note_that_it_forks() noexcept {
  if (chosen_.trace != nullptr && chosen_.trace->is_recording()) chosen_.trace->note_forks();
}

}  // namespace filch::inline v0
