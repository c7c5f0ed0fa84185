// Waiting in a line, as a coroutine, a stack or a thread, until the entry is served or a stop is requested.
//
// A `Target` is the object that is waited for, as a small value:
//   bool enter(line_entry<>&)              true: in line, and will be woken; false: the state is final
//   void cancel(line_entry<>&) noexcept    the waiter gives up; wakes it if it was in line
//
// The stop callback is registered before the entry is in line: as soon as it is in line, the waiter may resume on
// another thread and be destroyed. A stop request that comes earlier marks the entry, and `enter` refuses it.
#pragma once

#include <filch/coro/budget.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/sync/detail/lazy.hpp>
#include <filch/sync/detail/stop_listener.hpp>
#include <filch/sync/wait_line.hpp>

#include <coroutine>
#include <stop_token>
#include <utility>

namespace filch::inline v0::sync {

// An entry together with its waiter. `Entry` is line_entry, or a type that a kernel derived from it.
template <class Entry = line_entry<>>
struct waiting : Entry {
  template <class... Args>
  explicit waiting(const char* why, Args&&... args) : Entry{std::forward<Args>(args)...}, who{why} {}

  coro::waiter who;
};

// `Entry` is the type of the line's entries.
template <class Entry = line_entry<>>
void wake_entry(line_entry<>& served) noexcept {
  static_cast<waiting<Entry>&>(static_cast<Entry&>(served)).who.wake();
}
template <class Entry = line_entry<>>
void wake_entries(const wake_list<>& served) noexcept {
  served.wake_each([](line_entry<>& each) { sync::wake_entry<Entry>(each); });
}

template <class Target, class Entry = line_entry<>>
class line_wait : public waiting<Entry> {
 public:
  template <class... Args>
  explicit line_wait(Target target, const char* why, Args&&... args)
      : waiting<Entry>{why, std::forward<Args>(args)...}, target_{target} {}
  line_wait(const line_wait&) = delete;
  line_wait& operator=(const line_wait&) = delete;

  // For a stack or a thread. Returns when the entry is granted or refused; throws task_cancelled.
  void wait(const std::stop_token& stop) {
    if (begin(stop)) {
      do this->who.wait_here();
      while (is_back_in_line());
    }
    end();
  }

  // For a coroutine whose awaiter was not ready, perhaps because its budget is spent. It calls `end` after it resumes.
  template <class Promise>
  [[nodiscard]] bool suspend(std::coroutine_handle<Promise> coroutine) {
    this->who.arm(coroutine);
    return begin(coro::stop_token_of(coroutine)) || coro::pause_if_spent(coroutine);
  }
  // Throws task_cancelled if the wait was cancelled.
  void end() {
    on_stop_.drop();
    if (this->state.get() == wait_state::cancelled) throw task_cancelled{};
  }

  [[nodiscard]] bool is_refused() const { return this->state.get() == wait_state::refused; }

 private:
  static void give_up(void* who) noexcept {
    auto& self = *static_cast<line_wait*>(who);
    self.target_.cancel(self);
  }

  // True: it waits, and the caller does not touch this object afterwards.
  bool begin(const std::stop_token& stop) {
    if (stop.stop_possible()) on_stop_.listen(stop, {&give_up, this});
    return target_.enter(*this);
  }

  // The waiter was woken. True: only to retry, which has failed; it will be woken again.
  bool is_back_in_line() {
    if constexpr (requires { target_.try_again(*this, this->who); }) return target_.try_again(*this, this->who);
    else return false;
  }

  Target target_;
  stop_listener on_stop_;
};

// The awaiter for co_await. `Target` also has `bool is_ready()`, which tries without waiting; `auto result()`;
// `k_reason`, the name of the target in dumps; the type `entry`; and optionally `auto entry_argument()`, the argument
// of the entry's constructor. The waiter is constructed only if the coroutine suspends: most do not.
template <class Target>
class [[nodiscard]] line_awaiter {
 public:
  static constexpr const char* k_reason = Target::k_reason;

  explicit line_awaiter(Target target) : target_{target} {}

  [[nodiscard]] bool await_ready() { return coro::has_budget() && target_.is_ready(); }
  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
    if constexpr (requires(const Target& one) { one.entry_argument(); })
      return wait_.make(target_, k_reason, target_.entry_argument()).suspend(who);
    else return wait_.make(target_, k_reason).suspend(who);
  }
  auto await_resume() {
    if (auto* const waited = wait_.get()) waited->end();
    return target_.result();
  }

 private:
  Target target_;
  lazy<line_wait<Target, typename Target::entry>> wait_;
};

}  // namespace filch::inline v0::sync
