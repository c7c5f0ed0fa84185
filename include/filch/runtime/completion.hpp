// The state of a task: who may run it, whether it is finished, and who sleeps until it is.
// kernel: light headers only
//
//   pending → running → done        claimed by a worker, or by whoever waits for it
//   pending → running → cancelled   claimed, and then not run
//
// Who may call what: `finish` who claimed; the others any thread.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

template <class A = std_atomics>
class completion {
 public:
  // pending → running. False: somebody else has it.
  [[nodiscard]] bool claim() {
    // Who may claim got the task from a queue or a future, which brought its contents along: the exchange only decides.
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // ordered by [R1]: only the result is handed over
    while ((seen & k_status) == k_pending) {
      // ordered by [R1]
      if (word_.compare_exchange(seen, seen | k_running, std::memory_order_relaxed, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  // running → done or cancelled; wakes who waits. Afterwards the caller touches nothing that a waiter may destroy.
  void finish(bool is_cancelled) {
    // [R1] release exchange: publishes the result → [R2].
    const std::uint32_t before = word_.exchange(is_cancelled ? k_cancelled : k_done, std::memory_order_release);
    FILCH_ASSERT((before & k_status) == k_running, before);
    if ((before & k_awaited) != 0) A::futex_wake(word_, UINT32_MAX);
  }

  // May it still be claimed? "No" is final.
  [[nodiscard]] bool is_pending() const {
    return (word_.load(std::memory_order_relaxed) & k_status) == k_pending;  // ordered by [R1], as in `claim`
  }
  [[nodiscard]] bool is_finished() const {
    // [R2] acquire load: the result is visible ← [R1].
    return (word_.load(std::memory_order_acquire) & k_done) != 0;
  }
  // Meaningful once it is finished.
  [[nodiscard]] bool is_cancelled() const {
    return (word_.load(std::memory_order_relaxed) & k_status) == k_cancelled;  // ordered by [R2]
  }

  // Blocks the calling thread until it is finished, or the deadline has passed. True: it is finished.
  bool block(time_ns deadline_ns = k_never_ns) {
    while (!is_finished()) {
      std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [R2]
      if ((seen & k_done) != 0) continue;
      // The bit says that `finish` must wake somebody; once set it stays. revalidated by [R2]
      if ((seen & k_awaited) == 0 &&
          !word_.compare_exchange(seen, seen | k_awaited, std::memory_order_relaxed, std::memory_order_relaxed)) {
        continue;
      }
      if (!A::futex_wait(word_, seen | k_awaited, deadline_ns)) return is_finished();
    }
    return true;
  }

 private:
  static constexpr std::uint32_t k_pending = 0;
  static constexpr std::uint32_t k_running = 1;
  static constexpr std::uint32_t k_done = 2;       // a bit of its own, which k_cancelled has too
  static constexpr std::uint32_t k_cancelled = 3;
  static constexpr std::uint32_t k_status = 3;
  static constexpr std::uint32_t k_awaited = 4;  // a thread sleeps on the word

  typename A::template atomic<std::uint32_t> word_{k_pending};
};

// A count of references; who drops the last one destroys.
template <class A = std_atomics>
class reference_count {
 public:
  explicit reference_count(std::uint32_t initial) : count_{initial} {}

  void add() {
    count_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R3]
  }
  // True: it was the last one.
  [[nodiscard]] bool drop() {
    // [R3] acq_rel fetch_sub: whatever any holder did comes before the destruction ↔ [R3].
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 private:
  typename A::template atomic<std::uint32_t> count_;
};

}  // namespace filch::inline v0
