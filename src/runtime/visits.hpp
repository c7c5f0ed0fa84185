// Visits of a runtime's workers and external threads: whether the system allows them, and whom a thread visits.
//
// Who may call what: any thread; `prepare` the monitor thread, or the thread that wanted to start it in vain.
#pragma once

#include "demand_board.hpp"

#include <filch/base/atomics.hpp>

namespace filch::inline v0 {

class visits {
 public:
  // `may_visit`: they are not switched off, and the system has heavy fences.
  visits(demand_board& board, bool may_visit) : board_{board}, may_visit_{may_visit} {}
  visits(const visits&) = delete;
  visits& operator=(const visits&) = delete;

  [[nodiscard]] bool may_visit() const { return may_visit_; }
  // Once prepare() has succeeded.
  [[nodiscard]] bool can_visit() const {
    // [L34] acquire load: the process is registered ← [L37].
    return can_visit_.load(std::memory_order_acquire);
  }
  // Registers the process with the system.
  void prepare() noexcept;

  // True: something is offered there now.
  [[nodiscard]] bool visit(share_point& at) noexcept;
  // A worker that is about to sleep, and has requested: visits the others that keep forks to themselves. `is_alone`:
  // there is no monitor thread, which sees to ready coroutines otherwise. True: something is offered now.
  [[nodiscard]] bool visit_others(const worker& who, bool is_alone) noexcept;

 private:
  demand_board& board_;
  const bool may_visit_;
  std_atomics::atomic<bool> can_visit_{false};
};

}  // namespace filch::inline v0
