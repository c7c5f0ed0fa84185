// The keeper: the one worker that wakes up in time for the earliest deadline of the wait sources.
// kernel: light headers only
//
// The sources (timers) together have an earliest deadline. While any worker sleeps, one sleeper is the keeper and
// sleeps at most until that deadline. A source that sets an earlier deadline wakes the keeper. While no worker sleeps
// there may be no keeper; workers then look at the earliest deadline between their tasks.
//
// Who may call what: `try_take` any worker; `announce_sleep`, `wake_up` and `resign` the keeper; the others any thread.
// `raise` one thread at a time.
//
// Invariants
//   I1  earliest_ns() is not later than any deadline for which a source has called `lower`, except while `raise` runs,
//       which in the end returns the wake-up that a concurrent `lower` may have left out.
//   I2  until_ is k_no_keeper; or k_awake: the keeper will look at the earliest deadline again, or resign; or the time
//       at which it wakes up at the latest.
//
//   a source                                     the keeper                             the thread that has polled
//   1. store the deadline where `scan` looks     1. announce its sleep in `idle`        1. raise the earliest deadline
//   2. seq_cst fence                             2. until := the earliest deadline      2. seq_cst fence
//   3. lower the earliest deadline               3. seq_cst fence                       3. scan again: if it found an
//   4. seq_cst fence                             4. read the earliest deadline             earlier one, do 3 to 5 of a
//   5. read until: if it is later, wake it       5. sleep until the earlier of 2 and 4     source
//
// What must not happen: a deadline passes while all workers sleep. If 5 on the left has not seen the keeper's
// announcement, the source's fence comes first and the keeper's 4 sees the deadline. If 3 on the left reads the
// earliest deadline from before it was raised and does not change it, the scan sees the new deadline.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>

#include <cstdint>

namespace filch::inline v0::park {

// The wake-up that an earlier deadline requires.
struct keeper_call {
  enum class kind : std::uint8_t {
    nobody,
    keeper,  // wake `who`
    vacant,  // there is no keeper: if any worker sleeps, wake one, which becomes the keeper
  };

  kind what = kind::nobody;
  worker_id who = worker_id::none();
};

template <class A = std_atomics>
class keeper {
 public:
  // True: the caller has become the keeper, and counts as awake.
  [[nodiscard]] bool try_take(worker_id self) {
    if (until_.load(std::memory_order_relaxed) != k_no_keeper) return false;  // ordered by [Z6]
    time_ns seen = k_no_keeper;
    // [Z1] acquire on success: the former keeper's write of worker_ comes before this keeper's ← [Z6]. Relaxed on
    // failure: ordered by [Z6], whose caller looks for sleepers afterwards.
    if (!until_.compare_exchange(seen, k_awake, std::memory_order_acquire, std::memory_order_relaxed)) return false;
    worker_.store(self.value, std::memory_order_relaxed);  // ordered by [Z2]
    return true;
  }

  // Called by the keeper after it has announced its sleep in `idle`. Returns the time until which it may sleep.
  [[nodiscard]] time_ns announce_sleep() {
    const time_ns announced_ns = earliest_.load(std::memory_order_relaxed);  // revalidated by [Z3]
    // [Z2] release store: publishes worker_, and that the keeper can be woken → [Z5].
    until_.store(announced_ns, std::memory_order_release);
    // [Z3] seq_cst fence: "announce, then look at the earliest deadline" here against "lower it, then look for the
    // keeper" ↔ [Z4].
    A::fence(std::memory_order_seq_cst);
    const time_ns looked_ns = earliest_.load(std::memory_order_relaxed);  // ordered by [Z3]
    // Not later than announced: a polling thread may have raised the earliest deadline in between.
    return looked_ns < announced_ns ? looked_ns : announced_ns;
  }

  // Called by the keeper when its sleep has ended, or was retracted.
  void wake_up() {
    until_.store(k_awake, std::memory_order_relaxed);  // ordered by [Z3]: the keeper looks again
  }

  // Ends the caller's role; there is no keeper afterwards. The caller counts as searching. It then stops searching, and
  // if it was the last searcher and `needs_keeper`, it wakes another worker.
  void resign() {
    // [Z6] release store: this keeper's write of worker_ comes before the next keeper's → [Z1].
    until_.store(k_no_keeper, std::memory_order_release);
    // [Z7] release fence: a worker that announces its sleep after the caller has stopped searching finds no keeper →
    // [I3] in idle.
    A::fence(std::memory_order_release);
  }

  // Called by a source that becomes ready at `at_ns` and has stored this deadline where `raise` scans.
  [[nodiscard]] keeper_call lower(time_ns at_ns) {
    // [Z8] seq_cst fence: "store the deadline, then look at the earliest" against "raise it, then scan" ↔ [Z9].
    A::fence(std::memory_order_seq_cst);
    return lower_word(at_ns);
  }

  // Called after the sources were polled. `scan()` returns the current earliest deadline of all sources.
  template <class Scan>
  [[nodiscard]] keeper_call raise(Scan&& scan) {
    earliest_.store(scan(), std::memory_order_relaxed);  // revalidated by [Z9]
    // [Z9] seq_cst fence: the other half of ↔ [Z8].
    A::fence(std::memory_order_seq_cst);
    return lower_word(scan());
  }

  // The time when the first source becomes ready, or k_never_ns.
  [[nodiscard]] time_ns earliest_ns() const {
    return earliest_.load(std::memory_order_relaxed);  // ordered by [Z3] for a sleeper; other callers look again
  }
  // True if there is a deadline and no keeper.
  [[nodiscard]] bool needs_keeper() const {
    return earliest_.load(std::memory_order_relaxed) != k_never_ns &&  // ordered by [I2], as the caller stops searching
           until_.load(std::memory_order_relaxed) == k_no_keeper;      // ordered by [I2]
  }
  // The keeper's worker, or none.
  [[nodiscard]] worker_id who_hint() const {
    if (until_.load(std::memory_order_relaxed) == k_no_keeper) return worker_id::none();  // hint
    return worker_id{worker_.load(std::memory_order_relaxed)};                            // hint
  }

 private:
  static constexpr time_ns k_no_keeper = INT64_MIN;
  static constexpr time_ns k_awake = INT64_MIN + 1;

  keeper_call lower_word(time_ns at_ns) {
    time_ns seen = earliest_.load(std::memory_order_relaxed);  // ordered by [Z8]
    do {
      if (seen <= at_ns) return {};
      // ordered by [Z4]
    } while (!earliest_.compare_exchange(seen, at_ns, std::memory_order_relaxed, std::memory_order_relaxed));
    // [Z4] seq_cst fence: the other half of ↔ [Z3]; and "lower, then look for the keeper" against "resign, then test
    // whether a keeper is needed" in the last searcher ↔ [I2].
    A::fence(std::memory_order_seq_cst);
    // [Z5] acquire load: observes worker_, and that the keeper can be woken ← [Z2].
    const time_ns until_ns = until_.load(std::memory_order_acquire);
    if (until_ns == k_no_keeper) return {keeper_call::kind::vacant, worker_id::none()};
    if (until_ns == k_awake || until_ns <= at_ns) return {};
    return {keeper_call::kind::keeper, worker_id{worker_.load(std::memory_order_relaxed)}};  // ordered by [Z5]
  }

  typename A::template atomic<time_ns> earliest_{k_never_ns};
  typename A::template atomic<time_ns> until_{k_no_keeper};
  typename A::template atomic<std::uint32_t> worker_{0};
};

}  // namespace filch::inline v0::park
