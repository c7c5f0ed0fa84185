// The kernel of a broadcast: the newest messages, and a line of those who have seen them all.
// kernel: light headers only
//
// A receiver is the number of the message that it gets next; it belongs to the receiver, and is given with each call.
//
// Who may call what: any thread; one receiver's number one thread at a time; `cancel` as long as the entry lives. T is
// copied under the lock.
//
// Invariants
//   I1  Message n lies at n modulo the capacity, from sent − capacity on.
//   I2  Who is in line has seen every message, and the broadcast is open.
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
  std::uint64_t missed;  // so many before it, since the last one this receiver got, were overwritten
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

  // The message is exchanged for the oldest one, which the caller drops. False: it is closed. The caller wakes those in
  // the list.
  [[nodiscard]] bool send(std::optional<T>& message, wake_list<A>& woken) {
    const short_guard<A> guard{lock_};
    if (is_closed_.get()) return false;
    const std::uint64_t sent = sent_.get();
    std::swap(kept_[sent % capacity_], message);
    sent_.set(sent + 1);
    line_.pop_all(wait_state::granted, woken);
    return true;
  }
  // The caller wakes those in the list.
  void close(wake_list<A>& woken) {
    const short_guard<A> guard{lock_};
    is_closed_.set(true);
    line_.pop_all(wait_state::granted, woken);
  }

  // A receiver of what is sent from now on.
  [[nodiscard]] std::uint64_t subscribe() {
    const short_guard<A> guard{lock_};
    return sent_.get();
  }
  // Is there a message for this receiver, or will there be none any more?
  [[nodiscard]] bool is_served(std::uint64_t next) {
    const short_guard<A> guard{lock_};
    return has_news(next);
  }
  // True: `self` is in line, and somebody wakes it. False: its state says whether there is news or it has given up
  // before.
  [[nodiscard]] bool wait_or_pass(entry& self, std::uint64_t next) {
    const short_guard<A> guard{lock_};
    if (!has_news(next) || self.state.get() == wait_state::cancelled) return line_.join(self);
    self.state.set(wait_state::granted);
    return false;
  }
  // It gives up. True: the caller wakes it.
  [[nodiscard]] bool cancel(entry& who) {
    const short_guard<A> guard{lock_};
    return line_.leave(who);
  }

  // The oldest message that this receiver has not seen and that is still there; nothing: there is none.
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
  std::optional<T>* const kept_;  // what is in them is guarded by lock_; I1

  short_lock<A> lock_;
  // Guarded by lock_.
  typename A::template var<std::uint64_t> sent_{0};
  typename A::template var<bool> is_closed_{false};
  wait_line<A> line_;
};

}  // namespace sync
}  // namespace filch::inline v0
