// oneshot: one value, sent once and received once.
//
//   filch::oneshot<int> answer;
//   answer.send(7);                               or answer.close(): there will be none
//   std::optional<int> a = co_await answer.async_receive();         in a coroutine; answer.receive() elsewhere
//
// Who may call what: any thread. Whoever received may destroy it, also while `send` returns. The plain form suspends
// the calling stack on a worker and blocks any other thread; the async form suspends the coroutine, and ends with
// task_cancelled when its task is told to stop.
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

  // False: something was sent before, or it was closed.
  bool send(T value) { return settle(&value); }
  // There will be no value. Does nothing after `send`.
  void close() { (void)settle(nullptr); }

  [[nodiscard]] auto async_receive() { return sync::line_awaiter<place>{place{this}}; }
  // Nothing: it was closed, or the value was received before. Throws task_cancelled if it is told to stop while it
  // waits.
  std::optional<T> receive(const std::stop_token& stop = {}) {
    sync::line_wait<place> self{place{this}, place::k_reason};
    self.wait(stop);
    return core_.take();
  }
  // Does not wait: nothing also if nothing was sent yet.
  std::optional<T> try_receive() { return core_.take(); }

 private:
  using line_entry = sync::line_entry<>;

  struct place {
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
