// The state of a task: which party runs it, whether it is finished, whether threads sleep until it is, and the listener
// that is told when it is.
// kernel: light headers only
//
//   pending → running → done        claimed by a worker, or by a thread that waits for it
//   pending → running → cancelled   claimed, and then not run
//
// One listener may be told instead of sleeping. It may give up, at any time, also before it listens: then it is told
// nothing, and the result is not wanted any more.
//
// Who may call what: `finish` and `is_unwanted` the party that claimed; `listen` and `give_up` the listener, once each,
// `give_up` from any thread; the others any thread.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>
#include <filch/share/reference_count.hpp>

#include <cstdint>

namespace filch::inline v0 {

// Is told that a task is finished.
class finish_listener {
 public:
  // On the thread that finished it. The listener may be gone when this returns.
  virtual void finished() noexcept = 0;

 protected:
  ~finish_listener() = default;
};

template <class A = std_atomics>
class completion {
 public:
  // pending → running. False: another party has it.
  [[nodiscard]] bool claim() {
    // A caller got the task from a queue or a future, which brought its contents along: the exchange only decides.
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // ordered by [R1]: only the result is handed over
    while ((seen & k_status) == k_pending) {
      // ordered by [R1]
      if (word_.compare_exchange(seen, seen | k_running, std::memory_order_relaxed, std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  // running → done or cancelled; wakes the waiters. Afterwards the caller touches nothing that a waiter may destroy.
  void finish(bool is_cancelled) {
    // [R1] acq_rel exchange: release publishes the result → [R2]; acquire receives the listener ← [R25].
    const std::uint32_t before = word_.exchange(is_cancelled ? k_cancelled : k_done, std::memory_order_acq_rel);
    FILCH_ASSERT((before & k_status) == k_running, before);
    if ((before & k_awaited) != 0) A::futex_wake(word_, UINT32_MAX);
    if ((before & k_listened) != 0) listener_.get()->finished();
  }
  // It was claimed: had the listener given up before?
  [[nodiscard]] bool is_unwanted() const {
    return (word_.load(std::memory_order_relaxed) & k_unwanted) != 0;  // ordered by [R1]: nothing is handed over
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
      // The bit says that `finish` must wake sleepers; once set it stays. revalidated by [R2]
      if ((seen & k_awaited) == 0 &&
          !word_.compare_exchange(seen, seen | k_awaited, std::memory_order_relaxed, std::memory_order_relaxed)) {
        continue;
      }
      if (!A::futex_wait(word_, seen | k_awaited, deadline_ns)) return is_finished();
    }
    return true;
  }

  // True: `who` is told when it is finished, or gives up; the caller touches nothing of the listener's any more. False:
  // it is finished, or `give_up` came before.
  [[nodiscard]] bool listen(finish_listener& who) {
    listener_.set(&who);
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [R25]
    while ((seen & (k_done | k_unwanted)) == 0) {
      // [R25] release on success: hands the listener over → [R1] → [R26]. Relaxed on failure: revalidated by [R2],
      // which the caller asks.
      if (word_.compare_exchange(seen, seen | k_listened, std::memory_order_release, std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  // The listener gives up. True: it listened, is not told any more, and the caller resumes it. False: it was told, or
  // is being told; or it does not listen yet and never will.
  [[nodiscard]] bool give_up() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [R26]
    while ((seen & k_done) == 0) {
      // [R26] acquire on success: the caller resumes the listener, and so must have what it wrote before ← [R25].
      // Relaxed on failure: revalidated by [R26].
      if (word_.compare_exchange(seen, (seen & ~k_listened) | k_unwanted, std::memory_order_acquire,
                                 std::memory_order_relaxed)) {
        return (seen & k_listened) != 0;
      }
    }
    return false;
  }

 private:
  static constexpr std::uint32_t k_pending = 0;
  static constexpr std::uint32_t k_running = 1;
  static constexpr std::uint32_t k_done = 2;  // a bit of its own, which k_cancelled has too
  static constexpr std::uint32_t k_cancelled = 3;
  static constexpr std::uint32_t k_status = 3;
  static constexpr std::uint32_t k_awaited = 4;    // a thread sleeps on the word
  static constexpr std::uint32_t k_listened = 8;   // there is a listener
  static constexpr std::uint32_t k_unwanted = 16;  // there was one, or would have been

  typename A::template atomic<std::uint32_t> word_{k_pending};
  typename A::template var<finish_listener*> listener_{nullptr};
};

}  // namespace filch::inline v0
