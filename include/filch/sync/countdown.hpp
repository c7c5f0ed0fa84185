// The kernel of latches and events: a count, and the line of waiters until it is zero.
// kernel: light headers only
//
// Who may call what: any thread; `cancel` as long as the entry lives. A thread that has observed zero may destroy the
// object: the lock's store is the last access of the thread that lowered the count.
//
// Invariants
//   I1  The line is empty while the count is zero.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/sync/short_lock.hpp>
#include <filch/sync/wait_line.hpp>

#include <cstdint>

namespace filch::inline v0::sync {

template <class A = std_atomics>
class countdown {
 public:
  explicit countdown(std::uint64_t count) : count_{count} {}

  [[nodiscard]] bool is_zero() {
    const short_guard<A> guard{lock_};
    return count_.get() == 0;
  }

  // True: `self` is in line, and will be woken. False: its state tells whether the count is zero or it was cancelled
  // before.
  [[nodiscard]] bool wait_or_pass(line_entry<A>& self) {
    const short_guard<A> guard{lock_};
    if (count_.get() == 0 && self.state.get() != wait_state::cancelled) {
      self.state.set(wait_state::granted);
      return false;
    }
    return line_.join(self);
  }

  // Lowers the count, but not below zero. The caller wakes the entries of the list.
  [[nodiscard]] wake_list<A> lower(std::uint64_t by) {
    const short_guard<A> guard{lock_};
    const std::uint64_t before = count_.get();
    count_.set(by < before ? before - by : 0);
    wake_list<A> woken;
    if (by >= before) line_.pop_all(wait_state::granted, woken);
    return woken;
  }
  // Sets a count of zero to `to`; later callers wait. Does nothing if the count is not zero.
  void raise(std::uint64_t to) {
    const short_guard<A> guard{lock_};
    if (count_.get() == 0) count_.set(to);
  }

  // The waiter gives up. True: the caller wakes it.
  [[nodiscard]] bool cancel(line_entry<A>& who) {
    const short_guard<A> guard{lock_};
    return line_.leave(who);
  }

 private:
  short_lock<A> lock_;
  // Guarded by lock_.
  typename A::template var<std::uint64_t> count_;
  wait_line<A> line_;
};

}  // namespace filch::inline v0::sync
