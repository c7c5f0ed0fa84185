// channel: a queue from any number of senders to any number of receivers. Each item goes to one receiver, in the order
// of sending.
//
//   filch::channel<int> numbers{16};                        holds at most 16 items; without a number it is unbounded
//   co_await numbers.async_send(1);                         in a coroutine; waits while the channel is full
//   std::optional<int> n = co_await numbers.async_receive();                    empty: the channel is closed and empty
//   numbers.send(1); numbers.receive();                     elsewhere
//   numbers.close();                                        no more sending; items that were sent are still received
//   for (int each : numbers) …                              receives until the channel is closed and empty
//
// Who may call what: any thread, any number of them at either end. With a capacity of 0 a sender waits until a receiver
// takes its item. The plain forms suspend the calling stack on a worker and block an external thread; the async forms
// suspend the coroutine, and end with task_cancelled when a stop of its task is requested. An item that was not sent is
// dropped. T's move constructor must not throw. The channel must outlive all calls and waits.
#pragma once

#include <filch/sync/channel_core.hpp>
#include <filch/sync/detail/lazy.hpp>
#include <filch/sync/detail/line_wait.hpp>

#include <coroutine>
#include <cstddef>
#include <iterator>
#include <optional>
#include <stop_token>
#include <utility>

namespace filch::inline v0 {

using sync::send_status;

template <class T>
class channel {
  using core = sync::channel_core<T>;
  using send_entry = sync::send_entry<T>;
  using receive_entry = sync::receive_entry<T>;

 public:
  static constexpr std::size_t k_unbounded = core::k_unbounded;

  // Throws std::bad_alloc.
  explicit channel(std::size_t capacity = k_unbounded) : core_{capacity} {}

  // ---- sending: true if the item was sent, false if the channel is closed ----

  [[nodiscard]] auto async_send(T item) { return send_awaiter{core_, std::move(item)}; }
  // Throws task_cancelled if a stop is requested during the wait.
  bool send(T item, const std::stop_token& stop = {}) {
    switch (try_send(std::move(item))) {
      case send_status::sent:
        return true;
      case send_status::closed:
        return false;
      case send_status::full:
        break;
    }
    sync::line_wait<send_target, send_entry> self{send_target{&core_}, "channel", item};
    self.wait(stop);
    return !self.is_refused();
  }
  // Does not wait. The item is moved from only if it was sent.
  send_status try_send(T&& item) { return try_send(item); }
  send_status try_send(T& item) {
    sync::line_entry<>* woken = nullptr;
    const send_status status = core_.try_send(item, woken);
    if (woken != nullptr) sync::wake_entry<receive_entry>(*woken);
    return status;
  }

  // ---- receiving: empty if the channel is closed and empty ----

  [[nodiscard]] auto async_receive() { return receive_awaiter{core_}; }
  // Throws task_cancelled if a stop is requested during the wait.
  std::optional<T> receive(const std::stop_token& stop = {}) {
    std::optional<T> item;
    if (receive_now(core_, item) != sync::receive_status::empty) return item;
    sync::line_wait<receive_target, receive_entry> self{receive_target{&core_}, "channel", item};
    self.wait(stop);
    return item;
  }
  // Does not wait: empty also if the channel is open and empty.
  std::optional<T> try_receive() {
    std::optional<T> item;
    (void)receive_now(core_, item);
    return item;
  }

  // ---- ending ----

  // Waiting senders get false. A second call has no effect.
  void close() {
    sync::wake_list<> receivers;
    sync::wake_list<> senders;
    core_.close(receivers, senders);
    sync::wake_entries<receive_entry>(receivers);
    sync::wake_entries<send_entry>(senders);
  }
  [[nodiscard]] bool is_closed() const { return core_.is_closed(); }

  // The number of items, which may be outdated on return.
  [[nodiscard]] std::size_t size_hint() const { return static_cast<std::size_t>(core_.size()); }
  [[nodiscard]] std::size_t capacity() const { return core_.capacity(); }

  // Each increment receives an item.
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    explicit iterator(channel& from) : from_{&from}, item_{from.receive()} {}
    iterator(iterator&&) noexcept = default;
    iterator& operator=(iterator&&) noexcept = default;

    [[nodiscard]] T& operator*() const { return *item_; }
    iterator& operator++() {
      item_ = from_->receive();
      return *this;
    }
    void operator++(int) { ++*this; }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const { return !item_.has_value(); }

   private:
    channel* from_;
    mutable std::optional<T> item_;
  };
  [[nodiscard]] iterator begin() { return iterator{*this}; }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  static sync::receive_status receive_now(core& from, std::optional<T>& item) {
    sync::line_entry<>* woken = nullptr;
    const sync::receive_status status = from.try_receive(item, woken);
    if (woken != nullptr) sync::wake_entry<send_entry>(*woken);
    return status;
  }

  struct send_target {
    core* of;
    bool enter(send_entry& self) {
      sync::line_entry<>* woken = nullptr;
      const bool is_queued = of->send_or_queue(self, woken);
      if (woken != nullptr) sync::wake_entry<receive_entry>(*woken);
      return is_queued;
    }
    void cancel(send_entry& self) noexcept {
      if (of->cancel(self)) sync::wake_entry<send_entry>(self);
    }
  };
  struct receive_target {
    core* of;
    bool enter(receive_entry& self) {
      sync::line_entry<>* woken = nullptr;
      const bool is_queued = of->receive_or_queue(self, woken);
      if (woken != nullptr) sync::wake_entry<send_entry>(*woken);
      return is_queued;
    }
    void cancel(receive_entry& self) noexcept {
      if (of->cancel(self)) sync::wake_entry<receive_entry>(self);
    }
  };

  class [[nodiscard]] send_awaiter {
   public:
    static constexpr const char* k_reason = "channel";

    send_awaiter(core& to, T&& item) : to_{to}, item_{std::move(item)} {}
    send_awaiter(const send_awaiter&) = delete;
    send_awaiter& operator=(const send_awaiter&) = delete;

    [[nodiscard]] bool await_ready() {
      if (!coro::has_budget()) return false;
      sync::line_entry<>* woken = nullptr;
      const send_status status = to_.try_send(item_, woken);
      if (woken != nullptr) sync::wake_entry<receive_entry>(*woken);
      is_sent_ = status == send_status::sent;
      return status != send_status::full;
    }
    template <class Promise>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
      return wait_.make(send_target{&to_}, k_reason, item_).suspend(who);
    }
    bool await_resume() {
      auto* const waited = wait_.get();
      if (waited == nullptr) return is_sent_;
      waited->end();
      return !waited->is_refused();
    }

   private:
    core& to_;
    T item_;
    bool is_sent_ = false;
    sync::lazy<sync::line_wait<send_target, send_entry>> wait_;
  };

  class [[nodiscard]] receive_awaiter {
   public:
    static constexpr const char* k_reason = "channel";

    explicit receive_awaiter(core& from) : from_{from} {}
    receive_awaiter(const receive_awaiter&) = delete;
    receive_awaiter& operator=(const receive_awaiter&) = delete;

    [[nodiscard]] bool await_ready() {
      return coro::has_budget() && receive_now(from_, item_) != sync::receive_status::empty;
    }
    template <class Promise>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
      return wait_.make(receive_target{&from_}, k_reason, item_).suspend(who);
    }
    // Built from its parts: the value and the flag of `item_` were written by two stores, so a copy of both by one load
    // would stall on the store buffer.
    std::optional<T> await_resume() {
      if (auto* const waited = wait_.get()) waited->end();
      if (!item_.has_value()) return std::nullopt;
      return std::optional<T>{std::move(*item_)};
    }

   private:
    core& from_;
    std::optional<T> item_;
    sync::lazy<sync::line_wait<receive_target, receive_entry>> wait_;
  };

  mutable core core_;
};

}  // namespace filch::inline v0
