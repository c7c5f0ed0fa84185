// The kernel of a oneshot: a value that is sent at most once, and the line of waiters for it.
// kernel: light headers only
//
// Who may call what: any thread; `cancel` as long as the entry lives. A thread that has observed that the oneshot is
// settled may destroy it: the lock's store is the settling thread's last access. T's moves must not throw; they run
// under the lock.
//
// Invariants
//   I1  The line is empty once the oneshot is settled.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/sync/short_lock.hpp>
#include <filch/sync/wait_line.hpp>

#include <optional>
#include <utility>

namespace filch::inline v0::sync {

template <class T, class A = std_atomics>
class oneshot_core {
 public:
  using entry = line_entry<A>;

  // Settles it with a value, which is moved from, or with null: there will be no value. False: it was settled before.
  // The caller wakes the entries of the list.
  [[nodiscard]] bool settle(T* value, wake_list<A>& woken) {
    const short_guard<A> guard{lock_};
    if (is_settled_.get()) return false;
    is_settled_.set(true);
    if (value != nullptr) value_.emplace(std::move(*value));
    line_.pop_all(wait_state::granted, woken);
    return true;
  }

  [[nodiscard]] bool is_settled() {
    const short_guard<A> guard{lock_};
    return is_settled_.get();
  }

  // True: `self` is in line, and will be woken. False: its state tells whether the oneshot is settled or `self` was
  // cancelled before.
  [[nodiscard]] bool wait_or_pass(entry& self) {
    const short_guard<A> guard{lock_};
    if (!is_settled_.get() || self.state.get() == wait_state::cancelled) return line_.join(self);
    self.state.set(wait_state::granted);
    return false;
  }

  // The waiter gives up. True: the caller wakes it.
  [[nodiscard]] bool cancel(entry& who) {
    const short_guard<A> guard{lock_};
    return line_.leave(who);
  }

  // Empty: there is no value, no value yet, or it was taken before.
  [[nodiscard]] std::optional<T> take() {
    const short_guard<A> guard{lock_};
    std::optional<T> taken;
    if (value_.has_value()) taken.emplace(std::move(*value_));
    value_.reset();
    return taken;
  }

 private:
  short_lock<A> lock_;
  // Guarded by lock_.
  typename A::template var<bool> is_settled_{false};
  std::optional<T> value_;
  wait_line<A> line_;
};

}  // namespace filch::inline v0::sync
