// What one share point offers: at most one entry, and since when.
//
// Who may call what: `put` the owner or a visitor, with the point locked and the cell empty; `take_back` the owner's
// stack; the others any thread.
#pragma once

#include "transfer_cell.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>
#include <filch/policy/demand.hpp>
#include <filch/share/entry.hpp>

namespace filch::inline v0 {

class offer_place {
 public:
  void put(queue_entry& made) {
    stamp();
    holds_coroutine_.store(is_coroutine(made), std::memory_order_relaxed);  // hint
    cell_.offer(made);
  }
  // The offer counts as made now: the time that its announcement took is not the thief's.
  void stamp() {
    offered_ns_.store(monotonic_now_ns(), std::memory_order_relaxed);  // statistic
  }
  // False: a thief has taken it.
  [[nodiscard]] bool take_back(queue_entry& made) { return cell_.take_back(made); }
  [[nodiscard]] queue_entry* take() { return cell_.take(); }

  [[nodiscard]] bool is_filled() const { return cell_.has_offer(); }
  // To compare it: it may be gone.
  [[nodiscard]] const queue_entry* peek() const { return cell_.peek(); }
  [[nodiscard]] bool holds_coroutine() const {
    return is_filled() && holds_coroutine_.load(std::memory_order_relaxed);  // hint
  }
  [[nodiscard]] time_ns offered_ns() const {
    return offered_ns_.load(std::memory_order_relaxed);  // statistic
  }
  // Is there an offer that is worth a theft? Where children are tiny, only one that has lain there for a while.
  [[nodiscard]] bool is_worth_taking(const policy::wake_throttle& throttle, const policy::demand& rules) const {
    return is_filled() && (!throttle.is_throttled() || rules.is_aged(monotonic_now_ns() - offered_ns()));
  }

 private:
  transfer_cell<queue_entry> cell_;
  std_atomics::atomic<time_ns> offered_ns_{0};
  std_atomics::atomic<bool> holds_coroutine_{false};
};

}  // namespace filch::inline v0
