// What a coroutine of filch awaits, told to the registry of tasks if its runtime tracks them.
#pragma once

#include <filch/runtime/tracking.hpp>

#include <coroutine>
#include <string_view>
#include <type_traits>
#include <utility>

namespace filch::inline v0::coro {

class promise_base;

// `who` is about to suspend, for that reason; perhaps until a spawned task has ended. True: it is listed.
[[nodiscard]] bool note_wait(const promise_base& who, std::string_view reason, const void* awaited) noexcept;
void forget_wait(const promise_base& who) noexcept;

// An awaitable with this type inside awaits tasks, which tell for themselves what they wait for; or it never waits.
template <class T>
concept waits_for_tasks_alone = requires { typename std::remove_cvref_t<T>::waits_for_tasks_alone; };

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

// An awaiter that lies elsewhere: g++ 12 copies one to which await_transform returns a reference.
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

// The name of T, inside some text.
template <class T>
constexpr std::string_view name_of_type() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  return text.substr(0, text.find_first_of(";]"));
}

// `Awaiter` is a reference, or the object itself where `operator co_await` has made one.
template <class Awaiter>
class [[nodiscard]] noted {
  using bare = std::remove_cvref_t<Awaiter>;

 public:
  template <class Awaitable>
  noted(const promise_base& who, Awaitable&& what)
      : inner_{coro::awaiter_of(static_cast<Awaitable&&>(what))}, who_{who} {}
  noted(const noted&) = delete;
  noted& operator=(const noted&) = delete;
  ~noted() { forget(); }

  [[nodiscard]] decltype(auto) await_ready() { return inner_.await_ready(); }
  template <class Promise>
  [[nodiscard]] decltype(auto) await_suspend(std::coroutine_handle<Promise> who) {
    if (detail::is_tracking()) [[unlikely]]
      note();
    return inner_.await_suspend(who);
  }
  decltype(auto) await_resume() {
    forget();
    return inner_.await_resume();
  }

 private:
  void note() noexcept {
    const void* awaited = nullptr;
    if constexpr (requires(const bare& one) { one.awaited_task(); }) awaited = inner_.awaited_task();
    if constexpr (requires { std::string_view{bare::k_reason}; })
      is_listed_ = coro::note_wait(who_, bare::k_reason, awaited);
    else is_listed_ = coro::note_wait(who_, coro::name_of_type<bare>(), awaited);
  }
  void forget() noexcept {
    if (!is_listed_) return;
    is_listed_ = false;
    forget_wait(who_);
  }

  Awaiter inner_;
  const promise_base& who_;
  bool is_listed_ = false;
};

template <class Awaitable>
using noted_for = noted<decltype(coro::awaiter_of(std::declval<Awaitable>()))>;

}  // namespace filch::inline v0::coro
