// How somebody waits in a line: as a coroutine, on its stack or as a thread, until it is served or told to stop.
//
// A `Place` is what it waits for, as a small value: bool enter(line_entry<>&)             true: in line, and somebody
//   will wake it; false: its state says what became of it void cancel(line_entry<>&) noexcept   it gives up; wakes it
//   if it was in line
//
// The stop callback is made before the entry is in line: from the moment it is, who waits may have gone on elsewhere
// and be gone. A stop that comes earlier marks the entry, and `enter` does not take it.
#pragma once

#include <filch/coro/budget.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/sync/detail/late.hpp>
#include <filch/sync/detail/stop_listener.hpp>
#include <filch/sync/wait_line.hpp>

#include <coroutine>
#include <stop_token>
#include <utility>

namespace filch::inline v0::sync {

// Who waits, as the lines know it. `Entry` is a line_entry or what a kernel derived from it.
template <class Entry = line_entry<>>
struct waiting : Entry {
  template <class... Args>
  explicit waiting(const char* why, Args&&... args) : Entry{std::forward<Args>(args)...}, who{why} {}

  coro::waiter who;
};

// `Entry` is what the line was given.
template <class Entry = line_entry<>>
void wake_entry(line_entry<>& served) noexcept {
  static_cast<waiting<Entry>&>(static_cast<Entry&>(served)).who.wake();
}
template <class Entry = line_entry<>>
void wake_entries(const wake_list<>& served) noexcept {
  served.wake_each([](line_entry<>& each) { sync::wake_entry<Entry>(each); });
}

template <class Place, class Entry = line_entry<>>
class line_wait : public waiting<Entry> {
 public:
  template <class... Args>
  explicit line_wait(Place place, const char* why, Args&&... args)
      : waiting<Entry>{why, std::forward<Args>(args)...}, place_{place} {}
  line_wait(const line_wait&) = delete;
  line_wait& operator=(const line_wait&) = delete;

  // A stack or a thread. Returns when it is served or refused; throws task_cancelled.
  void wait(const std::stop_token& stop) {
    if (begin(stop)) {
      do this->who.wait_here();
      while (is_back_in_line());
    }
    end();
  }

  // A coroutine, whose awaiter was not ready: also because its budget is spent. Once it was resumed it calls `end`.
  template <class Promise>
  [[nodiscard]] bool suspend(std::coroutine_handle<Promise> coroutine) {
    this->who.arm(coroutine);
    return begin(coro::stop_token_of(coroutine)) || coro::pause_if_spent(coroutine);
  }
  // Throws task_cancelled.
  void end() {
    on_stop_.drop();
    if (this->state.get() == wait_state::cancelled) throw task_cancelled{};
  }

  [[nodiscard]] bool is_refused() const { return this->state.get() == wait_state::refused; }

 private:
  static void give_up(void* who) noexcept {
    auto& self = *static_cast<line_wait*>(who);
    self.place_.cancel(self);
  }

  // True: it waits, and nothing of this may be touched.
  bool begin(const std::stop_token& stop) {
    if (stop.stop_possible()) on_stop_.listen(stop, {&give_up, this});
    return place_.enter(*this);
  }

  // It was woken. True: only to try, in vain; it is woken again.
  bool is_back_in_line() {
    if constexpr (requires { place_.try_again(*this, this->who); }) return place_.try_again(*this, this->who);
    else return false;
  }

  Place place_;
  stop_listener on_stop_;
};

// co_await: `Place` has `bool is_ready()`, which gets it without waiting, `auto result()`, `k_reason`, the name of what
// it waits for, as dumps show it, and `entry`; perhaps also `auto wish()`, which the entry is made with. What waits is
// made when it has to: most do not.
template <class Place>
class [[nodiscard]] line_awaiter {
 public:
  static constexpr const char* k_reason = Place::k_reason;

  explicit line_awaiter(Place place) : place_{place} {}

  [[nodiscard]] bool await_ready() { return coro::has_budget() && place_.is_ready(); }
  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
    if constexpr (requires(const Place& one) { one.wish(); })
      return wait_.make(place_, k_reason, place_.wish()).suspend(who);
    else return wait_.make(place_, k_reason).suspend(who);
  }
  auto await_resume() {
    if (auto* const waited = wait_.get()) waited->end();
    return place_.result();
  }

 private:
  Place place_;
  late<line_wait<Place, typename Place::entry>> wait_;
};

}  // namespace filch::inline v0::sync
