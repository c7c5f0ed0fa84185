// The rest of the monitor thread, which ends when there is something to look after.
// kernel: light headers only
//
// Who may call what: `rest` and `pause` the monitor thread; the others any thread, `call` after the change that must be
// watched. Forbidden is that both look past each other:
//
//   monitor thread                         caller
//   say that it rests                      make the change
//   [G1] fence                             [G2] fence
//   look whether there is a change         look whether it rests
//
// Of two such lists at least one sees the first step of the other.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/park/parker.hpp>

#include <cstdint>

namespace filch::inline v0 {

template <class A = std_atomics>
class on_call {
 public:
  // Returns when it was called, or at once if `must_watch()`.
  template <class MustWatch>
  void rest(const MustWatch& must_watch) {
    is_resting_.store(1, std::memory_order_relaxed);  // ordered by [G1]
    // [G1] seq_cst fence: "say that it rests, then look" against "change, then look whether it rests" ↔ [G2].
    A::fence(std::memory_order_seq_cst);
    if (must_watch()) {
      std::uint32_t resting = 1;
      // ordered by [G1]: a call from now on leaves it alone
      if (is_resting_.compare_exchange(resting, 0, std::memory_order_relaxed, std::memory_order_relaxed)) return;
    }
    (void)sleep_.park();
  }

  // After a change: false says that the monitor thread will see it.
  [[nodiscard]] bool is_resting() {
    // [G2] seq_cst fence: "change, then look whether it rests" against "say that it rests, then look" ↔ [G1].
    A::fence(std::memory_order_seq_cst);
    return is_resting_.load(std::memory_order_relaxed) != 0;  // ordered by [G2]
  }

  // True: this call has ended the rest.
  bool call() {
    if (!is_resting()) return false;
    std::uint32_t resting = 1;
    // ordered by [G2]: of several calls one wakes it
    if (!is_resting_.compare_exchange(resting, 0, std::memory_order_relaxed, std::memory_order_relaxed)) return false;
    sleep_.unpark();
    return true;
  }

  // Waits a while; a call does not end it, an `interrupt` does.
  void pause(time_ns until_ns) { (void)sleep_.park(until_ns); }
  void interrupt() { sleep_.unpark(); }

 private:
  typename A::template atomic<std::uint32_t> is_resting_{0};
  park::parker<A> sleep_;
};

}  // namespace filch::inline v0
