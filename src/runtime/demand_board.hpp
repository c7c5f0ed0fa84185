// What all share points of a runtime, of its workers and of external threads, have to give, and which requests were
// deferred there.
//
// Who may call what: any thread.
#pragma once

#include "external_threads.hpp"
#include "wakeups.hpp"
#include "worker.hpp"

#include <filch/base/atomics.hpp>
#include <filch/policy/demand.hpp>

#include <deque>

namespace filch::inline v0 {

class demand_board {
 public:
  demand_board(std::deque<worker>& workers, external_threads& external, wakeups& wakes, const policy::demand& rules)
      : workers_{workers}, external_{external}, wakes_{wakes}, rules_{rules} {}
  demand_board(const demand_board&) = delete;
  demand_board& operator=(const demand_board&) = delete;

  // May one more worker be woken for latent forks? An external thread that computes takes the place of one worker. The
  // caller may be a worker that has announced its sleep.
  [[nodiscard]] bool has_place_for_sleeper() const {
    const std::uint32_t sleepers = wakes_.sleeping_hint();
    return rules_.has_place_for_sleeper(sleepers, sleepers < 2 && external_.is_any_computing());
  }
  // A worker that is awake: may it take latent forks?
  [[nodiscard]] bool has_place_awake() const {
    const std::uint32_t sleepers = wakes_.sleeping_hint();
    return rules_.has_place_awake(sleepers, sleepers == 0 && external_.is_any_computing());
  }

  // Is there work that this worker could do, if its owner got a request or a visit?
  [[nodiscard]] bool is_work_withheld_from(const worker& who) const;
  // Is there an offer, or an entry in a queue of a worker?
  [[nodiscard]] bool has_work() const;
  // Makes the requests that were deferred, where they may be made now. True: there was one.
  bool flush_deferred(const worker& who) noexcept;
  // The same at once: there is no monitor thread.
  void flush_deferred_now() noexcept;
  [[nodiscard]] bool has_deferred() const;

  // stack_exhausted was thrown. For a while nothing is offered.
  void note_exhausted() noexcept {
    exhausted_ns_.store(monotonic_now_ns(), std::memory_order_relaxed);  // hint
  }
  [[nodiscard]] bool is_exhausted() const noexcept {
    const time_ns at_ns = exhausted_ns_.load(std::memory_order_relaxed);  // hint
    return at_ns != 0 && monotonic_now_ns() - at_ns < policy::demand::exhausted_ns();
  }

  [[nodiscard]] std::deque<worker>& workers() { return workers_; }
  [[nodiscard]] external_threads& external() { return external_; }
  [[nodiscard]] wakeups& wakes() { return wakes_; }
  [[nodiscard]] const policy::demand& rules() const { return rules_; }

 private:
  std::deque<worker>& workers_;
  external_threads& external_;
  wakeups& wakes_;
  const policy::demand& rules_;
  std_atomics::atomic<time_ns> exhausted_ns_{0};  // when stack_exhausted was thrown the last time; 0: never
};

// An offer lies there, a request was deferred there, or work is withheld.
[[nodiscard]] bool concerns_sleepers(const worker& one);

}  // namespace filch::inline v0
