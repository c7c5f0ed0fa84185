// Sharing on request in one runtime: the share points of workers and external threads, visits, and the monitor thread.
//
// Who may call what: any thread.
#pragma once

#include "cpu_spread.hpp"
#include "demand_board.hpp"
#include "external_threads.hpp"
#include "monitor.hpp"
#include "visits.hpp"
#include "wakeups.hpp"

#include "share/share_host.hpp"

#include <deque>
#include <string>

namespace filch::inline v0 {

class sharing final : public share_host {
 public:
  using wait_function = void (*)(child_counter&) noexcept;

  // Before the workers: their share points refer to it. `wait_for` suspends the calling thread's stack.
  sharing(const options& chosen, std::deque<worker>& workers, wakeups& wakes, const cpu_spread& cpus, bool may_visit,
          wait_function wait_for);
  sharing(const sharing&) = delete;
  sharing& operator=(const sharing&) = delete;

  external_threads external;
  demand_board board;
  filch::visits visits;
  monitor watcher;

  // A worker goes to sleep although there is latent work, or an external thread has begun a section. Where there is no
  // monitor, deferred requests are made at once.
  void call_monitor() noexcept override;
  // Is there a monitor that visits?
  [[nodiscard]] bool has_visitor() const noexcept { return watcher.is_there() && visits.can_visit(); }
  // A worker that is about to sleep visits the others itself. True: something is offered now.
  [[nodiscard]] bool visit_for(const worker& who) noexcept { return visits.visit_others(who, !watcher.is_there()); }

  void announce_deferred() noexcept override;
  [[nodiscard]] bool is_exhausted() const noexcept override { return board.is_exhausted(); }
  void note_exhausted() noexcept override { board.note_exhausted(); }
  [[nodiscard]] std::string exhausted_advice() const override;
  [[nodiscard]] bool has_sleepers() const noexcept override { return wakes_.sleeping_hint() != 0; }
  [[nodiscard]] bool is_thief_awake() const noexcept override {
    return wakes_.lingering.is_anybody() || wakes_.searching_hint() != 0;
  }
  void wake_for_offer(const share_point& at) noexcept override;
  void wait_for(child_counter& children) noexcept override { wait_for_(children); }
  void note_that_it_forks() noexcept override;

 private:
  const options& chosen_;
  wakeups& wakes_;
  const wait_function wait_for_;
};

}  // namespace filch::inline v0
