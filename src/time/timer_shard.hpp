// A shard of a runtime's timers behind one lock: usually the timers that one worker has started.
// kernel: light headers only
//
// Who may call what: any thread. `add` once for each timer, `cancel` any number of times.
//
// Invariants
//   I1  Exactly one call of `cancel`, `take_due` or `close` takes a timer out, and its caller wakes the waiter.
//   I2  earliest_ns_ is not later than the due time of the earliest timer. A thread that makes it earlier calls
//       `keeper::lower`.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/base/units.hpp>
#include <filch/time/detail/timer_node.hpp>

#include <cstddef>
#include <cstdint>

namespace filch::inline v0::time {

enum class timer_added : std::uint8_t {
  refused,   // it was cancelled before, or the runtime ends
  later,     // the shard has an earlier timer
  earliest,  // the caller calls keeper::lower
};

// `Queue` is a timer_wheel of nodes of `A`.
template <class Queue, class A = std_atomics>
class alignas(k_no_sharing_bytes) timer_shard {
 public:
  using node = typename Queue::node;

  // Adds a timer, which any thread may fire from now on; the caller touches it afterwards only if it was refused.
  [[nodiscard]] timer_added add(node& timer) {
    const guard lock{mutex_};
    if (timer.state.get() == timer_state::cancelled) return timer_added::refused;
    if (is_closed_.get()) {
      timer.state.set(timer_state::cancelled);
      return timer_added::refused;
    }
    timer.state.set(timer_state::pending);
    const time_ns due_ns = Queue::due_ns(timer.at_ns);
    queue_.insert(timer);
    if (due_ns >= earliest_ns_.load(std::memory_order_relaxed)) return timer_added::later;  // owner-only, by mutex_
    earliest_ns_.store(due_ns, std::memory_order_relaxed);  // ordered by [Z8], in the keeper's lower()
    return timer_added::earliest;
  }

  // True: the timer was pending, and the caller wakes the waiter. A timer that is not started yet is marked, so that
  // `add` refuses it. A timer that has fired is not changed.
  [[nodiscard]] bool cancel(node& timer) {
    const guard lock{mutex_};
    const timer_state was = timer.state.get();
    if (was == timer_state::fired) return false;
    timer.state.set(timer_state::cancelled);
    if (was != timer_state::pending) return false;
    queue_.remove(timer);
    return true;
  }

  // Takes out up to `at_most` due timers, linked by `next`, which the caller fires.
  [[nodiscard]] node* take_due(time_ns now_ns, std::size_t at_most) {
    const guard lock{mutex_};
    node* const first = queue_.take_due(now_ns, at_most);
    mark(first, timer_state::fired);
    earliest_ns_.store(queue_.earliest_ns(), std::memory_order_relaxed);  // ordered by [Z9], in the keeper's raise()
    return first;
  }

  // Takes out all timers as cancelled, and refuses later ones.
  [[nodiscard]] node* close() {
    const guard lock{mutex_};
    is_closed_.set(true);
    node* const first = queue_.take_all();
    mark(first, timer_state::cancelled);
    return first;
  }

  // No timer is due before this time.
  [[nodiscard]] time_ns earliest_ns() const {
    return earliest_ns_.load(std::memory_order_relaxed);  // ordered by [Z9], in the keeper's raise()
  }
  [[nodiscard]] std::size_t size() const {
    const guard lock{mutex_};
    return queue_.size();
  }

 private:
  struct guard {
    explicit guard(typename A::mutex& taken) : held{taken} { held.lock(); }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() { held.unlock(); }

    typename A::mutex& held;
  };

  static void mark(node* first, timer_state as) {
    for (; first != nullptr; first = first->next) first->state.set(as);
  }

  mutable typename A::mutex mutex_;
  // Guarded by mutex_.
  typename A::template var<bool> is_closed_{false};
  Queue queue_;
  // Written under mutex_.
  typename A::template atomic<time_ns> earliest_ns_{k_never_ns};
};

}  // namespace filch::inline v0::time
