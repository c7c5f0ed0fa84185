// broadcast: every receiver gets every message, unless it is too slow; then it is told how many it missed.
//
//   filch::broadcast<int> prices{16};             keeps the last 16 messages
//   auto mine = prices.subscribe();               gets what is sent from now on
//   prices.send(7);                               never waits
//   auto got = co_await mine.async_receive();     in a coroutine; mine.receive() elsewhere
//   if (got) use(got->value, got->missed);        nothing: it was closed, and this receiver has seen everything
//
// Who may call what: any thread; a receiver one at a time. The broadcast outlives its receivers. T is copied once for each
// receiver, under a short lock. The plain form suspends the calling stack on a worker and blocks any other thread; the async
// form suspends the coroutine, and ends with task_cancelled when its task is told to stop.
#pragma once

#include <filch/sync/detail/line_wait.hpp>
#include <filch/sync/short_lock.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

namespace filch::inline v0 {

template <class T>
struct broadcast_message {
  T value;
  std::uint64_t missed;  // so many before it, since the last one this receiver got, were overwritten
};

template <class T>
class broadcast {
 public:
  // Throws std::invalid_argument, std::bad_alloc.
  explicit broadcast(std::size_t capacity) : kept_(require_some(capacity)) {}
  broadcast(const broadcast&) = delete;
  broadcast& operator=(const broadcast&) = delete;

  // False: it is closed.
  bool send(T message) {
    std::optional<T> exchanged{std::move(message)};  // holds the oldest message until after the lock
    sync::wake_list<> woken;
    {
      const sync::short_guard guard{lock_};
      if (is_closed_) return false;
      std::swap(kept_[static_cast<std::size_t>(sent_ % kept_.size())], exchanged);
      ++sent_;
      line_.pop_all(sync::wait_state::granted, woken);
    }
    sync::wake_entries(woken);
    return true;
  }
  // What was sent is still received.
  void close() {
    sync::wake_list<> woken;
    {
      const sync::short_guard guard{lock_};
      is_closed_ = true;
      line_.pop_all(sync::wait_state::granted, woken);
    }
    sync::wake_entries(woken);
  }

  class receiver;
  [[nodiscard]] receiver subscribe() {
    const sync::short_guard guard{lock_};
    return receiver{*this, sent_};
  }

 private:
  using line_entry = sync::line_entry<>;

  static std::size_t require_some(std::size_t capacity) {
    if (capacity == 0) throw std::invalid_argument("filch: a broadcast that keeps 0 messages: allowed is 1 or more");
    return capacity;
  }

  struct place {
    using entry = line_entry;
    static constexpr const char* k_reason = "broadcast";
    receiver* who;

    [[nodiscard]] bool is_ready() {
      const sync::short_guard guard{of().lock_};
      return who->is_served();
    }
    bool enter(entry& self) {
      const sync::short_guard guard{of().lock_};
      if (!who->is_served() || self.state.get() == sync::wait_state::cancelled) return of().line_.join(self);
      self.state.set(sync::wait_state::granted);
      return false;
    }
    void cancel(entry& self) noexcept {
      {
        const sync::short_guard guard{of().lock_};
        if (!of().line_.leave(self)) return;
      }
      sync::wake_entry(self);
    }
    [[nodiscard]] auto result() { return who->try_receive(); }
    [[nodiscard]] broadcast& of() const { return *who->from_; }
  };

  sync::short_lock<> lock_;
  // Guarded by lock_.
  std::vector<std::optional<T>> kept_;  // message n at n modulo its size
  std::uint64_t sent_ = 0;
  bool is_closed_ = false;
  sync::wait_line<> line_;
};

template <class T>
class broadcast<T>::receiver {
 public:
  [[nodiscard]] auto async_receive() { return sync::line_awaiter<place>{place{this}}; }
  // Throws task_cancelled if it is told to stop while it waits.
  std::optional<broadcast_message<T>> receive(const std::stop_token& stop = {}) {
    sync::line_wait<place> self{place{this}, place::k_reason};
    self.wait(stop);
    return try_receive();
  }
  // Does not wait: nothing also if there is nothing new.
  std::optional<broadcast_message<T>> try_receive() {
    const sync::short_guard guard{from_->lock_};
    if (next_ == from_->sent_) return std::nullopt;
    const std::uint64_t room = from_->kept_.size();
    const std::uint64_t oldest = from_->sent_ > room ? from_->sent_ - room : 0;
    const std::uint64_t at = next_ > oldest ? next_ : oldest;
    std::optional<broadcast_message<T>> got{
        broadcast_message<T>{*from_->kept_[static_cast<std::size_t>(at % room)], at - next_}};
    next_ = at + 1;
    return got;
  }

 private:
  friend broadcast;
  receiver(broadcast& from, std::uint64_t next) : from_{&from}, next_{next} {}

  // Holds the broadcast's lock.
  [[nodiscard]] bool is_served() const { return next_ != from_->sent_ || from_->is_closed_; }

  broadcast* from_;
  std::uint64_t next_;  // the number of the message it gets next
};

}  // namespace filch::inline v0
