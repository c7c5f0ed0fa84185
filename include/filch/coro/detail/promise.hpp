// The common part of all coroutines of filch: which coroutine resumes at the end, the context, and the result.
#pragma once

#include <filch/coro/context.hpp>
#include <filch/coro/detail/frame_memory.hpp>
#include <filch/coro/detail/tracked_awaiter.hpp>
#include <filch/share/entry.hpp>
#include <filch/share/symmetric_transfer.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <source_location>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace filch::inline v0::coro {

class promise_base;

// Is called when a coroutine has ended: on the worker where it ended, after its result was stored and its frame
// suspended.
class end_listener {
 public:
  // Returns the coroutine to resume next, or std::noop_coroutine.
  [[nodiscard]] virtual std::coroutine_handle<> ended(promise_base& who) noexcept = 0;

 protected:
  ~end_listener() = default;
};

// The end of one of several concurrent children (children.hpp).
[[nodiscard]] inline std::coroutine_handle<> end_among_siblings(promise_base& who) noexcept;

// Is itself the queue entry of a coroutine that has not started, if that is a concurrent child or spawned.
class promise_base : public coroutine_entry {
 public:
  promise_base() = default;
  promise_base(const promise_base&) = delete;
  promise_base& operator=(const promise_base&) = delete;

  static void* operator new(std::size_t bytes) { return allocate_coroutine(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { free_coroutine(memory, bytes); }

  struct final_awaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    // The frame may be destroyed before this returns.
    template <class Promise>
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ending) const noexcept {
      promise_base& base = ending.promise();
      if (base.group != nullptr) return transfer_to(end_among_siblings(base));
      return transfer_to(base.listener == nullptr ? base.continuation : base.listener->ended(base));
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] final_awaiter final_suspend() const noexcept { return {}; }

  // Every co_await goes through here, so that dumps can show where a coroutine waits, and for what.
  template <class Awaitable>
  [[nodiscard]] decltype(auto) await_transform(Awaitable&& what,
                                               std::source_location where = std::source_location::current()) {
    awaits_at = where;
    if constexpr (!waits_only_for_tasks<Awaitable>)
      return tracked_awaiter_for<Awaitable>{*this, static_cast<Awaitable&&>(what)};
    else if constexpr (with_member_co_await<Awaitable>) return static_cast<Awaitable&&>(what).operator co_await();
    else return referred<std::remove_reference_t<Awaitable>>{what};
  }

  // Empty if no stop can be requested.
  [[nodiscard]] std::stop_token stop_token() const noexcept {
    return context == nullptr ? std::stop_token{} : context->stop_token();
  }
  [[nodiscard]] bool is_stop_requested() const noexcept { return context != nullptr && context->is_stop_requested(); }

  // `one` awaits this coroutine, which takes over its context. A coroutine type of another library has no context.
  template <class Promise>
  void belong_to(std::coroutine_handle<Promise> one) noexcept {
    if constexpr (std::is_base_of_v<promise_base, Promise>) {
      parent = &one.promise();
      context = parent->context;
    }
  }

  // Written before the coroutine starts, by the party that starts it.
  // resumed at the end, unless this is a concurrent child or there is a listener
  std::coroutine_handle<> continuation;
  end_listener* listener = nullptr;
  coro::context* context = nullptr;
  promise_base* parent = nullptr;  // awaits this coroutine and is suspended until it has ended
  // For a concurrent child.
  promise_base* sibling = nullptr;  // the next child of its sibling run
  std::uint32_t ran = 1;            // the number of children in its sibling run so far, this one included
  bool is_spawned = false;          // its context is a `spawned` of its own
  // Written by the coroutine, while it runs.
  bool has_failed = false;           // an exception left it
  std::source_location awaits_at{};  // the last co_await
};

// The result of a coroutine: nothing yet, then a value or an exception.
template <class T>
class outcome {
  using stored = std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, std::remove_const_t<T>>;

 public:
  outcome() noexcept {}
  outcome(const outcome&) = delete;
  outcome& operator=(const outcome&) = delete;
  ~outcome() {
    if (has_ == contents::value) std::destroy_at(std::addressof(value_));
    else if (has_ == contents::error) std::destroy_at(std::addressof(error_));
  }

  template <class U = T>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) noexcept(std::is_nothrow_constructible_v<T, U&&>) {
    if constexpr (std::is_reference_v<T>) {
      T bound = static_cast<U&&>(value);
      ::new (static_cast<void*>(std::addressof(value_))) stored(std::addressof(bound));
    } else {
      ::new (static_cast<void*>(std::addressof(value_))) stored(static_cast<stored>(std::forward<U>(value)));
    }
    has_ = contents::value;
  }
  // The destructor of a local may throw after the result was stored: the exception then replaces the result.
  void unhandled_exception() noexcept {
    if (has_ == contents::value) std::destroy_at(std::addressof(value_));
    ::new (static_cast<void*>(std::addressof(error_))) std::exception_ptr(std::current_exception());
    has_ = contents::error;
  }

  // Called once, after the end.
  T take() {
    if (has_ == contents::error) std::rethrow_exception(std::move(error_));
    if constexpr (std::is_reference_v<T>) return static_cast<T>(*value_);
    else return std::move(value_);
  }

 private:
  enum class contents : std::uint8_t { none, value, error };

  contents has_ = contents::none;
  union {
    stored value_;
    std::exception_ptr error_;
  };
};

template <>
class outcome<void> {
 public:
  void return_void() noexcept {}
  void unhandled_exception() noexcept { error_ = std::current_exception(); }
  void take() {
    if (error_) std::rethrow_exception(std::move(error_));
  }

 private:
  std::exception_ptr error_;
};

}  // namespace filch::inline v0::coro
