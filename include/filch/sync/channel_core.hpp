// The kernel of channels: a queue with two ends, each with a lock and a line of waiters.
// kernel: light headers only
//
// Senders append to the back buffer, receivers take from the front buffer. A receiver that finds the front empty takes
// both locks and swaps the buffers: so a sender and a receiver that run at the same time share data only once per
// batch. Both buffers of a bounded channel are allocated at the beginning; those of an unbounded channel grow, and keep
// their memory for the next batch, unless that is much smaller.
//
// Waiters are served directly: a sender gives its item to the first receiver in line, and a receiver that makes room
// admits the item of the first sender in line. So no operation overtakes a waiter, and a woken waiter need not retry.
//
// Who may call what: any thread; `cancel` as long as the entry lives. T's moves must not throw; they run under a lock.
//
// Invariants (F: the front lock, B: the back lock; F is taken before B)
//   I1  The front buffer and the line of senders are guarded by F; the back buffer, the line of receivers and
//       `is_closed_` by B. A thread that appends to a line holds both. An entry's state is guarded as its line is.
//   I2  A receiver is in line only while both buffers are empty and no sender is in line.
//   I3  A sender is in line only while there are `capacity` items and the channel is open.
//   I4  pushed − popped is the number of items; a thread that holds B alone computes that number or a greater one.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/sync/detail/item_buffer.hpp>
#include <filch/sync/short_lock.hpp>
#include <filch/sync/wait_line.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace filch::inline v0::sync {

enum class send_status : std::uint8_t { sent, full, closed };
enum class receive_status : std::uint8_t { received, empty, closed };

// When it is granted, its item has been moved from.
template <class T, class A = std_atomics>
struct send_entry : line_entry<A> {
  explicit send_entry(T& what) : item{&what} {}

  T* const item;
};
// When it is granted, its item has been stored.
template <class T, class A = std_atomics>
struct receive_entry : line_entry<A> {
  explicit receive_entry(std::optional<T>& where) : item{&where} {}

  std::optional<T>* const item;
};

template <class T, class A = std_atomics>
class channel_core {
 public:
  using entry = line_entry<A>;

  static constexpr std::size_t k_unbounded = SIZE_MAX;

  // Throws std::bad_alloc.
  explicit channel_core(std::size_t capacity)
      : capacity_{capacity},
        back_{capacity == k_unbounded ? 0 : capacity},
        front_{capacity == k_unbounded ? 0 : capacity} {}
  channel_core(const channel_core&) = delete;
  channel_core& operator=(const channel_core&) = delete;

  // ---- sending

  // The item is moved from if and only if it was sent; `woken` is a receiver that the caller wakes, or null.
  // Throws std::bad_alloc if an unbounded channel cannot grow.
  [[nodiscard]] send_status try_send(T& item, entry*& woken) {
    const short_guard<A> back{back_lock_};
    if (is_closed_.get()) return send_status::closed;
    if (give_to_receiver(item, woken)) return send_status::sent;
    if (pushed_.get() - popped_seen_.get() >= capacity_) {
      popped_seen_.set(popped_.load(std::memory_order_relaxed));  // revalidated by [Y1] of F, in send_or_queue
      if (pushed_.get() - popped_seen_.get() >= capacity_) return send_status::full;
    }
    push(item);
    return send_status::sent;
  }

  // True: `self` is in line, and will be woken. False: its state tells whether the item was sent or refused, or the
  // entry cancelled before.
  [[nodiscard]] bool send_or_queue(send_entry<T, A>& self, entry*& woken) {
    const short_guard<A> front{front_lock_};
    const nested_guard<A> back{back_lock_};
    if (self.state.get() == wait_state::cancelled) return false;
    if (is_closed_.get()) {
      self.state.set(wait_state::refused);
      return false;
    }
    if (!give_to_receiver(*self.item, woken)) {
      popped_seen_.set(popped_.load(std::memory_order_relaxed));  // ordered by [Y1] of F
      if (pushed_.get() - popped_seen_.get() >= capacity_) return senders_.join(self);
      push(*self.item);
    }
    self.state.set(wait_state::granted);
    return false;
  }

  // ---- receiving: `woken` is a sender that the caller wakes, or null ----

  [[nodiscard]] receive_status try_receive(std::optional<T>& item, entry*& woken) {
    const short_guard<A> front{front_lock_};
    if (front_.is_empty()) [[unlikely]] {
      const nested_guard<A> back{back_lock_};
      if (!refill(item, woken)) return is_closed_.get() ? receive_status::closed : receive_status::empty;
      if (item.has_value()) return receive_status::received;
    }
    take(item, woken);
    return receive_status::received;
  }

  // True: `self` is in line, and will be woken. False: its state tells whether an item was received, will never be, or
  // the entry was cancelled before.
  [[nodiscard]] bool receive_or_queue(receive_entry<T, A>& self, entry*& woken) {
    const short_guard<A> front{front_lock_};
    const nested_guard<A> back{back_lock_};
    if (self.state.get() == wait_state::cancelled) return false;
    if (front_.is_empty() && !refill(*self.item, woken)) {
      if (!is_closed_.get()) return receivers_.join(self);
      self.state.set(wait_state::refused);
      return false;
    }
    if (!self.item->has_value()) take_and_admit_sender(*self.item, woken);
    self.state.set(wait_state::granted);
    return false;
  }

  // ---- ending ----

  // The waiter gives up. True: the caller wakes it.
  [[nodiscard]] bool cancel(send_entry<T, A>& who) {
    const short_guard<A> front{front_lock_};
    return senders_.leave(who);
  }
  [[nodiscard]] bool cancel(receive_entry<T, A>& who) {
    const short_guard<A> back{back_lock_};
    return receivers_.leave(who);
  }

  // The caller wakes the entries of both lists.
  void close(wake_list<A>& receivers, wake_list<A>& senders) {
    const short_guard<A> front{front_lock_};
    const nested_guard<A> back{back_lock_};
    is_closed_.set(true);
    receivers_.pop_all(wait_state::refused, receivers);
    senders_.pop_all(wait_state::refused, senders);
  }

  [[nodiscard]] bool is_closed() {
    const short_guard<A> back{back_lock_};
    return is_closed_.get();
  }
  [[nodiscard]] std::uint64_t size() {
    const short_guard<A> back{back_lock_};
    return pushed_.get() - popped_.load(std::memory_order_relaxed);  // statistic
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  // Called with B held.
  bool give_to_receiver(T& item, entry*& woken) {
    auto* const first = static_cast<receive_entry<T, A>*>(receivers_.front());
    if (first == nullptr) return false;
    receivers_.serve(*first);
    first->item->emplace(std::move(item));
    woken = first;
    return true;
  }
  void push(T& item) {
    back_.push(item, capacity_ == k_unbounded);
    pushed_.set(pushed_.get() + 1);
  }

  // Called with both locks held, while the front is empty. True: the front is no longer empty; or the capacity is 0 and
  // the item of the first sender in line was moved to `item`.
  bool refill(std::optional<T>& item, entry*& woken) {
    if (!back_.is_empty()) {
      front_.swap(back_, capacity_ == k_unbounded);
      return true;
    }
    auto* const first = static_cast<send_entry<T, A>*>(senders_.front());
    if (first == nullptr) return false;
    senders_.serve(*first);
    item.emplace(std::move(*first->item));
    woken = first;
    return true;
  }
  // Called with F held, while the front is not empty.
  void take(std::optional<T>& item, entry*& woken) {
    if (senders_.is_empty()) [[likely]]
      return take_one(item);
    const nested_guard<A> back{back_lock_};
    take_and_admit_sender(item, woken);
  }
  void take_one(std::optional<T>& item) {
    front_.pop(item);
    const std::uint64_t popped = popped_.load(std::memory_order_relaxed);  // owner-only: the holder of F
    popped_.store(popped + 1, std::memory_order_relaxed);                  // revalidated by [Y1] of F, in send_or_queue
  }
  // Called with both locks held: takes an item and admits the item of the first sender in line.
  void take_and_admit_sender(std::optional<T>& item, entry*& woken) {
    take_one(item);
    auto* const first = static_cast<send_entry<T, A>*>(senders_.front());
    if (first == nullptr) return;
    senders_.serve(*first);
    push(*first->item);
    woken = first;
  }

  // Immutable.
  const std::size_t capacity_;

  // The back: guarded by back_lock_.
  alignas(k_no_sharing_bytes) short_lock<A> back_lock_;
  typename A::template var<bool> is_closed_{false};
  typename A::template var<std::uint64_t> pushed_{0};
  typename A::template var<std::uint64_t> popped_seen_{0};  // not more than popped_
  wait_line<A> receivers_;
  item_buffer<T, A> back_;

  // The front: guarded by front_lock_; popped_ is also read with only back_lock_ held.
  alignas(k_no_sharing_bytes) short_lock<A> front_lock_;
  typename A::template atomic<std::uint64_t> popped_{0};
  wait_line<A> senders_;
  item_buffer<T, A> front_;
};

}  // namespace filch::inline v0::sync
