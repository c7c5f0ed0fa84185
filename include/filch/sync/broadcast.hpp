// broadcast: every receiver gets every message; a receiver that is too slow gets the number of messages it missed.
//
//   filch::broadcast<int> prices{16};             keeps the last 16 messages
//   auto mine = prices.subscribe();               receives the messages that are sent from now on
//   prices.send(7);                               never waits
//   auto got = co_await mine.async_receive();     in a coroutine; mine.receive() elsewhere
//   if (got) use(got->value, got->missed);        empty: it was closed, and this receiver has got every message
//
// Who may call what: any thread; a receiver one thread at a time. The broadcast outlives its receivers. T is copied
// once for each receiver, under a short lock. The plain form suspends the calling stack on a worker and blocks an
// external thread; the async form suspends the coroutine, and ends with task_cancelled when a stop of its task is
// requested.
#pragma once

#include <filch/sync/broadcast_core.hpp>
#include <filch/sync/detail/line_wait.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>

namespace filch::inline v0 {

template <class T>
class broadcast {
 public:
  // Throws std::invalid_argument, std::bad_alloc.
  explicit broadcast(std::size_t capacity) : core_{require_some(capacity)} {}
  broadcast(const broadcast&) = delete;
  broadcast& operator=(const broadcast&) = delete;

  // False: the broadcast is closed.
  bool send(T message) {
    std::optional<T> exchanged{std::move(message)};  // holds the oldest message until after the lock
    sync::wake_list<> woken;
    const bool is_sent = core_.send(exchanged, woken);
    sync::wake_entries(woken);
    return is_sent;
  }
  // Messages that were sent before are still received.
  void close() {
    sync::wake_list<> woken;
    core_.close(woken);
    sync::wake_entries(woken);
  }

  class receiver;
  [[nodiscard]] receiver subscribe() { return receiver{core_, core_.subscribe()}; }

 private:
  static std::size_t require_some(std::size_t capacity) {
    if (capacity == 0) throw std::invalid_argument("filch: a broadcast that keeps 0 messages: allowed is 1 or more");
    return capacity;
  }

  struct target {
    using entry = sync::line_entry<>;
    static constexpr const char* k_reason = "broadcast";
    receiver* who;

    [[nodiscard]] bool is_ready() { return who->from_->is_served(who->next_); }
    bool enter(entry& self) { return who->from_->wait_or_pass(self, who->next_); }
    void cancel(entry& self) noexcept {
      if (who->from_->cancel(self)) sync::wake_entry(self);
    }
    [[nodiscard]] auto result() { return who->try_receive(); }
  };

  sync::broadcast_core<T> core_;
};

template <class T>
class broadcast<T>::receiver {
 public:
  [[nodiscard]] auto async_receive() { return sync::line_awaiter<target>{target{this}}; }
  // Throws task_cancelled if a stop is requested during the wait.
  std::optional<broadcast_message<T>> receive(const std::stop_token& stop = {}) {
    sync::line_wait<target> self{target{this}, target::k_reason};
    self.wait(stop);
    return try_receive();
  }
  // Does not wait: empty also if there is no new message.
  std::optional<broadcast_message<T>> try_receive() { return from_->take(next_); }

 private:
  friend broadcast;
  receiver(sync::broadcast_core<T>& from, std::uint64_t next) : from_{&from}, next_{next} {}

  sync::broadcast_core<T>* from_;
  std::uint64_t next_;  // the number of its next message
};

}  // namespace filch::inline v0
