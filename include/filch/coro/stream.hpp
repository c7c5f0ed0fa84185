// async_stream: a coroutine that yields a sequence of values and may wait between them.
//
//   filch::async_stream<int> count(int n) {
//     for (int i = 0; i != n; ++i) {
//       co_await filch::yield();
//       co_yield i;
//     }
//   }
//   …
//   auto numbers = count(3);
//   while (auto each = co_await numbers.next()) use(*each);                std::optional<int>; empty at the end
//
// It is lazy: it runs only while a task awaits its next value, on the same worker and in the context of that task, as
// an awaited task does. An exception that leaves the stream is rethrown by `next`, and the stream is then at its end.
// Destroying a stream before its end destroys the locals in its frame. The values of an async_stream<T&> are pointers,
// null at the end.
//
// Who may call what: a coroutine; one `next` at a time. A stream must not be destroyed while its next value is awaited.
#pragma once

#include <filch/coro/detail/destroy_frame.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/runtime/errors.hpp>

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

template <class T>
class async_stream;

namespace coro {

[[noreturn]] void throw_empty_stream();
[[noreturn]] void throw_stream_is_awaited();

// `continuation` is the coroutine that awaits the next value; null: there is none, and the stream is suspended.
template <class T>
class stream_promise final : public promise_base {
  using value = std::remove_reference_t<T>;

  // Suspends the stream with its value and resumes the awaiting coroutine.
  struct give {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<stream_promise> me) const noexcept {
      return v0::transfer_to(me.promise().continuation);
    }
    void await_resume() const noexcept {}
  };
  // The same with a copy of the value, which lies in the stream's frame.
  struct give_copy : give {
    give_copy(stream_promise& of, const value& original) : copy{original} { of.current_ = std::addressof(copy); }
    give_copy(const give_copy&) = delete;
    give_copy& operator=(const give_copy&) = delete;

    value copy;
  };

 public:
  [[nodiscard]] async_stream<T> get_return_object() noexcept;

  // The value stays in place until the stream resumes: in the frame, or in the referenced object.
  [[nodiscard]] give yield_value(std::conditional_t<std::is_reference_v<T>, T, value&&> one) noexcept {
    current_ = std::addressof(one);
    return {};
  }
  [[nodiscard]] give_copy yield_value(const value& one)
    requires(!std::is_reference_v<T> && std::is_copy_constructible_v<value>)
  {
    return {*this, one};
  }
  void return_void() noexcept {}
  void unhandled_exception() noexcept { error_ = std::current_exception(); }

  // The value that the stream is suspended with; null: the stream is at its end. Rethrows the stream's exception.
  [[nodiscard]] value* take() {
    continuation = nullptr;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return std::exchange(current_, nullptr);
  }

 private:
  value* current_ = nullptr;
  std::exception_ptr error_;
};

}  // namespace coro

template <class T>
class [[nodiscard]] async_stream {
  static_assert(!std::is_void_v<T> && !std::is_rvalue_reference_v<T> && !std::is_const_v<T>,
                "a stream is of values (async_stream<T>) or of references (async_stream<T&>)");

 public:
  using promise_type = coro::stream_promise<T>;
  // The result of awaiting `next`.
  using item = std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*,
                                  std::optional<std::remove_reference_t<T>>>;

  async_stream(async_stream&& other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {}
  async_stream& operator=(async_stream&& other) noexcept {
    if (this != &other) {
      reset();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~async_stream() { reset(); }

  // True if the stream has a coroutine: it was not moved from.
  [[nodiscard]] bool valid() const { return frame_ != nullptr; }

  // Returns an awaitable of the next value, which is empty at the end and on each later call.
  [[nodiscard]] auto next() {
    if (frame_ == nullptr) coro::throw_empty_stream();
    return awaiter{frame_};
  }

 private:
  friend promise_type;

  struct awaiter {
    using waits_only_for_tasks = void;

    std::coroutine_handle<promise_type> frame;

    [[nodiscard]] bool await_ready() const noexcept { return frame.done(); }
    template <class Promise>
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> who) const {
      promise_type& stream = frame.promise();
      if (stream.continuation != nullptr) coro::throw_stream_is_awaited();
      stream.continuation = who;
      stream.belong_to(who);
      return v0::transfer_to(frame);
    }
    item await_resume() const {
      auto* const current = frame.promise().take();
      if constexpr (std::is_reference_v<T>) return current;
      else if (current == nullptr) return std::nullopt;
      else return item{std::in_place, std::move(*current)};
    }
  };

  explicit async_stream(std::coroutine_handle<promise_type> frame) noexcept : frame_{frame} {}
  void reset() noexcept {
    if (frame_ != nullptr) coro::destroy_frame(std::exchange(frame_, nullptr));
  }

  std::coroutine_handle<promise_type> frame_;
};

template <class T>
async_stream<T> coro::stream_promise<T>::get_return_object() noexcept {
  const auto frame = std::coroutine_handle<stream_promise>::from_promise(*this);
  self = frame;
  return async_stream<T>{frame};
}

}  // namespace filch::inline v0
