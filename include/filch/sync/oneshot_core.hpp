// The kernel of a oneshot: a value that comes once, or never, and a line of those who wait for it.
// kernel: light headers only
//
// Who may call what: any thread; `cancel` as long as the entry lives. Whoever knows that it is settled may destroy it:
// the lock's store is the last touch of who settles it. T's moves must not throw; they run under the lock.
//
// Invariants
//   I1  Somebody is in line only while it is not settled.
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

  // With a value, which is moved from, or null: there will be none. False: it was settled before. The caller wakes
  // those in the list.
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

  // True: `self` is in line, and somebody wakes it. False: its state says whether it is settled or `self` has given up
  // before.
  [[nodiscard]] bool wait_or_pass(entry& self) {
    const short_guard<A> guard{lock_};
    if (!is_settled_.get() || self.state.get() == wait_state::cancelled) return line_.join(self);
    self.state.set(wait_state::granted);
    return false;
  }

  // It gives up. True: the caller wakes it.
  [[nodiscard]] bool cancel(entry& who) {
    const short_guard<A> guard{lock_};
    return line_.leave(who);
  }

  // Nothing: there is none, or not yet, or somebody took it.
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
