// The keeper: the one worker that sees to it that what becomes ready by itself at a known time is noticed in time.
// kernel: light headers only
//
// The sources (timers) together have an earliest deadline. While anybody sleeps, one sleeper is the keeper and sleeps
// no longer than until then. Who brings a deadline that is earlier wakes it. While nobody sleeps there may be no
// keeper; then workers look at the earliest deadline between their tasks.
//
// Who may call what: `try_take` any worker; `announce_sleep`, `wake_up` and `resign` the keeper; the others any thread.
// `raise` one thread at a time.
//
// Invariants
//   I1  earliest_ns() is not later than any deadline whose source has called `lower` for it, except while `raise` runs,
//       which ends with a call for whoever relied on it meanwhile.
//   I2  until_ is k_nobody; or k_awake: the keeper will look at the earliest deadline again, or resign; or a time at
//       which it wakes up at the latest.
//
//   a source                                     the keeper                             who has polled
//   1. note the deadline where `scan` looks      1. announce its sleep in `idle`        1. raise the earliest deadline
//   2. seq_cst fence                             2. until := the earliest deadline      2. seq_cst fence
//   3. lower the earliest deadline               3. seq_cst fence                       3. scan again: if it found an
//   4. seq_cst fence                             4. read the earliest deadline             earlier one, do 3 to 5 of a
//   5. read until: if it is later, wake it       5. sleep until the earlier of 2 and 4     source
//
// What must not happen: a deadline passes and everybody sleeps. If 5 on the left has not seen what the keeper
// announced, the source's fence comes first and the keeper's 4 sees the deadline. If 3 on the left sees an earliest
// deadline from before it was raised and leaves it as it is, the scan sees the deadline.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>

#include <cstdint>

namespace filch::inline v0::park {

// Who must be told of an earlier deadline.
struct keeper_call {
  enum class kind : std::uint8_t {
    nobody,
    keeper,  // wake `who`
    vacant,  // there is no keeper: if anybody sleeps, wake one, who becomes it
  };

  kind what = kind::nobody;
  worker_id who = worker_id::none();
};

template <class A = std_atomics>
class keeper {
 public:
  // True: the caller is the keeper from now on, and awake.
  [[nodiscard]] bool try_take(worker_id self) {
    if (until_.load(std::memory_order_relaxed) != k_nobody) return false;  // ordered by [Z6]
    time_ns seen = k_nobody;
    // [Z1] acquire on success: the former keeper's name comes before the new one's ← [Z6]. Relaxed on failure: ordered
    // by [Z6], whose caller looks for sleepers afterwards.
    if (!until_.compare_exchange(seen, k_awake, std::memory_order_acquire, std::memory_order_relaxed)) return false;
    who_.store(self.value, std::memory_order_relaxed);  // ordered by [Z2]
    return true;
  }

  // The keeper has announced its sleep in `idle`. Returns until when it may sleep.
  [[nodiscard]] time_ns announce_sleep() {
    const time_ns announced_ns = earliest_.load(std::memory_order_relaxed);  // revalidated by [Z3]
    // [Z2] release store: the keeper's name, and that it can be woken → [Z5].
    until_.store(announced_ns, std::memory_order_release);
    // [Z3] seq_cst fence: "announce, then look at the earliest deadline" here against "lower it, then look for the
    // keeper" ↔ [Z4].
    A::fence(std::memory_order_seq_cst);
    const time_ns looked_ns = earliest_.load(std::memory_order_relaxed);  // ordered by [Z3]
    // Not longer than announced, either: who polls may have raised the earliest deadline in between.
    return looked_ns < announced_ns ? looked_ns : announced_ns;
  }

  // It sleeps no longer, or did not sleep after all.
  void wake_up() {
    until_.store(k_awake, std::memory_order_relaxed);  // ordered by [Z3]: it looks again
  }

  // There is no keeper any more. The caller counts as searching; afterwards it stops, and if it was the last and
  // `is_wanted`, wakes another.
  void resign() {
    // [Z6] release store: this keeper's name is there before the next one's → [Z1].
    until_.store(k_nobody, std::memory_order_release);
    // [Z7] release fence: who announces its sleep after the caller has stopped searching finds no keeper → [I3] in
    // idle.
    A::fence(std::memory_order_release);
  }

  // A source, which has noted its deadline where `raise` scans: becomes ready at `at_ns`.
  [[nodiscard]] keeper_call lower(time_ns at_ns) {
    // [Z8] seq_cst fence: "note the deadline, then look at the earliest" against "raise it, then scan" ↔ [Z9].
    A::fence(std::memory_order_seq_cst);
    return lower_word(at_ns);
  }

  // The sources have been polled: `scan()` gives the earliest deadline of all now.
  template <class Scan>
  [[nodiscard]] keeper_call raise(Scan&& scan) {
    earliest_.store(scan(), std::memory_order_relaxed);  // revalidated by [Z9]
    // [Z9] seq_cst fence: the other half of ↔ [Z8].
    A::fence(std::memory_order_seq_cst);
    return lower_word(scan());
  }

  // When the first source becomes ready, or k_never_ns.
  [[nodiscard]] time_ns earliest_ns() const {
    return earliest_.load(std::memory_order_relaxed);  // ordered by [Z3] for who sleeps; others look again
  }
  // Is there a deadline, and nobody to wake up for it?
  [[nodiscard]] bool is_wanted() const {
    return earliest_.load(std::memory_order_relaxed) != k_never_ns &&  // ordered by [I2], as the caller stops searching
           until_.load(std::memory_order_relaxed) == k_nobody;         // ordered by [I2]
  }
  // The keeper's name, if there is one.
  [[nodiscard]] worker_id who_hint() const {
    if (until_.load(std::memory_order_relaxed) == k_nobody) return worker_id::none();  // hint
    return worker_id{who_.load(std::memory_order_relaxed)};                            // hint
  }

 private:
  static constexpr time_ns k_nobody = INT64_MIN;
  static constexpr time_ns k_awake = INT64_MIN + 1;

  keeper_call lower_word(time_ns at_ns) {
    time_ns seen = earliest_.load(std::memory_order_relaxed);  // ordered by [Z8]
    do {
      if (seen <= at_ns) return {};
      // ordered by [Z4]
    } while (!earliest_.compare_exchange(seen, at_ns, std::memory_order_relaxed, std::memory_order_relaxed));
    // [Z4] seq_cst fence: the other half of ↔ [Z3]; and "lower, then look for the keeper" against "resign, then look
    // whether one is wanted" in the last searcher ↔ [I2].
    A::fence(std::memory_order_seq_cst);
    // [Z5] acquire load: who it is, and that it can be woken ← [Z2].
    const time_ns until_ns = until_.load(std::memory_order_acquire);
    if (until_ns == k_nobody) return {keeper_call::kind::vacant, worker_id::none()};
    if (until_ns == k_awake || until_ns <= at_ns) return {};
    return {keeper_call::kind::keeper, worker_id{who_.load(std::memory_order_relaxed)}};  // ordered by [Z5]
  }

  typename A::template atomic<time_ns> earliest_{k_never_ns};
  typename A::template atomic<time_ns> until_{k_nobody};
  typename A::template atomic<std::uint32_t> who_{0};
};

}  // namespace filch::inline v0::park
