// oneshot: one value, sent once and received once.
//
//   filch::oneshot<int> answer;
//   answer.send(7);                               or answer.close(): there will be no value
//   std::optional<int> a = co_await answer.async_receive();         in a coroutine; answer.receive() elsewhere
//
// Who may call what: any thread. A thread that has received may destroy the oneshot, also while `send` has not returned
// yet. The plain form suspends the calling stack on a worker and blocks an external thread; the async form suspends the
// coroutine, and ends with task_cancelled when a stop of its task is requested.
#pragma once

#include <filch/sync/detail/line_wait.hpp>
#include <filch/sync/oneshot_core.hpp>

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

  // False: a value was sent before, or the oneshot is closed.
  bool send(T value) { return settle(&value); }
  // There will be no value. Does nothing after `send`.
  void close() { (void)settle(nullptr); }

  [[nodiscard]] auto async_receive() { return sync::line_awaiter<target>{target{this}}; }
  // Empty: the oneshot was closed, or the value was received before. Throws task_cancelled if a stop is requested
  // during the wait.
  std::optional<T> receive(const std::stop_token& stop = {}) {
    sync::line_wait<target> self{target{this}, target::k_reason};
    self.wait(stop);
    return core_.take();
  }
  // Does not wait: empty also if no value was sent yet.
  std::optional<T> try_receive() { return core_.take(); }

 private:
  using line_entry = sync::line_entry<>;

  struct target {
    using entry = line_entry;
    static constexpr const char* k_reason = "oneshot";
    oneshot* of;

    [[nodiscard]] bool is_ready() { return of->core_.is_settled(); }
    bool enter(entry& self) { return of->core_.wait_or_pass(self); }
    void cancel(entry& self) noexcept {
      if (of->core_.cancel(self)) sync::wake_entry(self);
    }
    [[nodiscard]] std::optional<T> result() { return of->core_.take(); }
  };

  bool settle(T* value) {
    sync::wake_list<> woken;
    const bool is_first = core_.settle(value, woken);
    sync::wake_entries(woken);
    return is_first;
  }

  sync::oneshot_core<T> core_;
};

}  // namespace filch::inline v0
