// The kernel of a broadcast: the newest messages, and the line of receivers that have received them all.
// kernel: light headers only
//
// A receiver is represented by the number of its next message, which it keeps itself and passes with each call.
//
// Who may call what: any thread; one receiver's number one thread at a time; `cancel` as long as the entry lives. T is
// copied under the lock.
//
// Invariants
//   I1  Message n lies at n modulo the capacity, from sent − capacity on.
//   I2  A receiver is in line only while it has received every message and the broadcast is open.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/sync/short_lock.hpp>
#include <filch/sync/wait_line.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace filch::inline v0 {

template <class T>
struct broadcast_message {
  T value;
  std::uint64_t missed;  // the number of messages before it that were overwritten before this receiver got them
};

namespace sync {

template <class T, class A = std_atomics>
class broadcast_core {
 public:
  using entry = line_entry<A>;

  // At least one. Throws std::bad_alloc.
  explicit broadcast_core(std::size_t capacity)
      : capacity_{capacity}, kept_{A::template make_array<std::optional<T>>(capacity)} {}
  broadcast_core(const broadcast_core&) = delete;
  broadcast_core& operator=(const broadcast_core&) = delete;
  ~broadcast_core() { A::destroy_array(kept_, capacity_); }

  // Exchanges the message for the oldest one, which the caller drops. False: the broadcast is closed. The caller wakes
  // the entries of the list.
  [[nodiscard]] bool send(std::optional<T>& message, wake_list<A>& woken) {
    const short_guard<A> guard{lock_};
    if (is_closed_.get()) return false;
    const std::uint64_t sent = sent_.get();
    std::swap(kept_[sent % capacity_], message);
    sent_.set(sent + 1);
    line_.pop_all(wait_state::granted, woken);
    return true;
  }
  // The caller wakes the entries of the list.
  void close(wake_list<A>& woken) {
    const short_guard<A> guard{lock_};
    is_closed_.set(true);
    line_.pop_all(wait_state::granted, woken);
  }

  // A receiver of the messages that are sent from now on.
  [[nodiscard]] std::uint64_t subscribe() {
    const short_guard<A> guard{lock_};
    return sent_.get();
  }
  // True if there is a message for this receiver, or never will be.
  [[nodiscard]] bool is_served(std::uint64_t next) {
    const short_guard<A> guard{lock_};
    return has_news(next);
  }
  // True: `self` is in line, and will be woken. False: its state tells whether `is_served` holds or it was cancelled
  // before.
  [[nodiscard]] bool wait_or_pass(entry& self, std::uint64_t next) {
    const short_guard<A> guard{lock_};
    if (!has_news(next) || self.state.get() == wait_state::cancelled) return line_.join(self);
    self.state.set(wait_state::granted);
    return false;
  }
  // The waiter gives up. True: the caller wakes it.
  [[nodiscard]] bool cancel(entry& who) {
    const short_guard<A> guard{lock_};
    return line_.leave(who);
  }

  // The oldest stored message that this receiver has not received; empty: there is none.
  [[nodiscard]] std::optional<broadcast_message<T>> take(std::uint64_t& next) {
    const short_guard<A> guard{lock_};
    const std::uint64_t sent = sent_.get();
    if (next == sent) return std::nullopt;
    const std::uint64_t oldest = sent > capacity_ ? sent - capacity_ : 0;
    const std::uint64_t at = next > oldest ? next : oldest;
    std::optional<broadcast_message<T>> got{broadcast_message<T>{*kept_[at % capacity_], at - next}};
    next = at + 1;
    return got;
  }

 private:
  [[nodiscard]] bool has_news(std::uint64_t next) const { return next != sent_.get() || is_closed_.get(); }

  // Immutable.
  const std::size_t capacity_;
  std::optional<T>* const kept_;  // the elements are guarded by lock_; I1

  short_lock<A> lock_;
  // Guarded by lock_.
  typename A::template var<std::uint64_t> sent_{0};
  typename A::template var<bool> is_closed_{false};
  wait_line<A> line_;
};

}  // namespace sync
}  // namespace filch::inline v0
