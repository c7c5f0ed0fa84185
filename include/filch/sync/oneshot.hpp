// oneshot: one value, sent once and received once.
//
//   filch::oneshot<int> answer;
//   answer.send(7);                               or answer.close(): there will be none
//   std::optional<int> a = co_await answer.async_receive();         in a coroutine; answer.receive() elsewhere
//
// Who may call what: any thread. Whoever received may destroy it, also while `send` returns. The plain form suspends the
// calling stack on a worker and blocks any other thread; the async form suspends the coroutine, and ends with task_cancelled
// when its task is told to stop.
#pragma once

#include <filch/sync/detail/line_wait.hpp>
#include <filch/sync/short_lock.hpp>

#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

template <class T>
class oneshot {
  static_assert(std::is_nothrow_move_constructible_v<T>, "the value is moved under a lock: its move must not throw");

 public:
  oneshot() = default;
  oneshot(const oneshot&) = delete;
  oneshot& operator=(const oneshot&) = delete;

  // False: something was sent before, or it was closed.
  bool send(T value) { return settle(&value); }
  // There will be no value. Does nothing after `send`.
  void close() { (void)settle(nullptr); }

  [[nodiscard]] auto async_receive() { return sync::line_awaiter<place>{place{this}}; }
  // Nothing: it was closed, or the value was received before. Throws task_cancelled if it is told to stop while it waits.
  std::optional<T> receive(const std::stop_token& stop = {}) {
    sync::line_wait<place> self{place{this}, place::k_reason};
    self.wait(stop);
    return take();
  }
  // Does not wait: nothing also if nothing was sent yet.
  std::optional<T> try_receive() { return take(); }

 private:
  using line_entry = sync::line_entry<>;

  struct place {
    using entry = line_entry;
    static constexpr const char* k_reason = "oneshot";
    oneshot* of;

    [[nodiscard]] bool is_ready() {
      const sync::short_guard guard{of->lock_};
      return of->is_settled_;
    }
    bool enter(entry& self) {
      const sync::short_guard guard{of->lock_};
      if (!of->is_settled_ || self.state.get() == sync::wait_state::cancelled) return of->line_.join(self);
      self.state.set(sync::wait_state::granted);
      return false;
    }
    void cancel(entry& self) noexcept {
      {
        const sync::short_guard guard{of->lock_};
        if (!of->line_.leave(self)) return;
      }
      sync::wake_entry(self);
    }
    [[nodiscard]] std::optional<T> result() { return of->take(); }
  };

  bool settle(T* value) {
    sync::wake_list<> woken;
    {
      const sync::short_guard guard{lock_};
      if (is_settled_) return false;
      is_settled_ = true;
      if (value != nullptr) value_.emplace(std::move(*value));
      line_.pop_all(sync::wait_state::granted, woken);
    }
    sync::wake_entries(woken);
    return true;
  }
  std::optional<T> take() {
    const sync::short_guard guard{lock_};
    std::optional<T> taken;
    if (value_.has_value()) taken.emplace(std::move(*value_));
    value_.reset();
    return taken;
  }

  sync::short_lock<> lock_;
  // Guarded by lock_.
  bool is_settled_ = false;
  std::optional<T> value_;
  sync::wait_line<> line_;
};

}  // namespace filch::inline v0
