// Registers the waits of coroutines with the task registry if their runtime tracks tasks (options::track_tasks).
#pragma once

#include <filch/runtime/tracking.hpp>

#include <coroutine>
#include <string_view>
#include <type_traits>
#include <utility>

namespace filch::inline v0::coro {

class promise_base;

// `who` is about to suspend for that reason. `awaited` is the spawned task that it waits for, or null. True: the wait
// was registered.
[[nodiscard]] bool register_wait(const promise_base& who, std::string_view reason, const void* awaited) noexcept;
void unregister_wait(const promise_base& who) noexcept;

// An awaitable that declares this member type waits only for tasks, whose own waits are registered; or never waits.
template <class T>
concept waits_only_for_tasks = requires { typename std::remove_cvref_t<T>::waits_only_for_tasks; };

template <class T>
concept with_member_co_await = requires(T&& what) { static_cast<T&&>(what).operator co_await(); };
template <class T>
concept with_free_co_await = requires(T&& what) { operator co_await(static_cast<T&&>(what)); };

template <class T>
decltype(auto) awaiter_of(T&& what) {
  if constexpr (with_member_co_await<T>) return static_cast<T&&>(what).operator co_await();
  else if constexpr (with_free_co_await<T>) return operator co_await(static_cast<T&&>(what));
  else return static_cast<T&&>(what);
}

// Refers to an awaiter that lies elsewhere. Needed because g++ 12 copies an awaiter that await_transform returns by
// reference.
template <class Awaiter>
struct [[nodiscard]] referred {
  Awaiter& inner;

  [[nodiscard]] bool await_ready() { return inner.await_ready(); }
  template <class Promise>
  [[nodiscard]] decltype(auto) await_suspend(std::coroutine_handle<Promise> who) {
    return inner.await_suspend(who);
  }
  decltype(auto) await_resume() { return inner.await_resume(); }
};

// The name of T, cut out of __PRETTY_FUNCTION__.
template <class T>
constexpr std::string_view name_of_type() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  return text.substr(0, text.find_first_of(";]"));
}

// Wraps an awaiter. `Awaiter` is a reference type, or an object type where `operator co_await` returned an object.
template <class Awaiter>
class [[nodiscard]] tracked_awaiter {
  using bare = std::remove_cvref_t<Awaiter>;

 public:
  template <class Awaitable>
  tracked_awaiter(const promise_base& who, Awaitable&& what)
      : inner_{coro::awaiter_of(static_cast<Awaitable&&>(what))}, who_{who} {}
  tracked_awaiter(const tracked_awaiter&) = delete;
  tracked_awaiter& operator=(const tracked_awaiter&) = delete;
  ~tracked_awaiter() { end_tracking(); }

  [[nodiscard]] decltype(auto) await_ready() { return inner_.await_ready(); }
  template <class Promise>
  [[nodiscard]] decltype(auto) await_suspend(std::coroutine_handle<Promise> who) {
    if (detail::is_tracking()) [[unlikely]]
      begin_tracking();
    return inner_.await_suspend(who);
  }
  decltype(auto) await_resume() {
    end_tracking();
    return inner_.await_resume();
  }

 private:
  void begin_tracking() noexcept {
    const void* awaited = nullptr;
    if constexpr (requires(const bare& one) { one.awaited_task(); }) awaited = inner_.awaited_task();
    if constexpr (requires { std::string_view{bare::k_reason}; })
      is_listed_ = coro::register_wait(who_, bare::k_reason, awaited);
    else is_listed_ = coro::register_wait(who_, coro::name_of_type<bare>(), awaited);
  }
  void end_tracking() noexcept {
    if (!is_listed_) return;
    is_listed_ = false;
    unregister_wait(who_);
  }

  Awaiter inner_;
  const promise_base& who_;
  bool is_listed_ = false;
};

template <class Awaitable>
using tracked_awaiter_for = tracked_awaiter<decltype(coro::awaiter_of(std::declval<Awaitable>()))>;

}  // namespace filch::inline v0::coro
