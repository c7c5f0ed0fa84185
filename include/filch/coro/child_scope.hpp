// Children that run concurrently under a context of their own, so that the end of one child can request a stop of the
// others. `any` and timeouts are built on it.
//
//   std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
//     a.promise().sibling = &b.promise();
//     return scope_.start(parent, a.promise());
//   }
//   … await_resume() { if (scope_.decisive() == &a.promise()) … }
//
// The parent resumes when all children have ended. A child that has not started when the stop is requested never
// starts; it has neither a result nor an exception.
//
// Who may call what: `start` the parent's awaiter; `request_stop` and `request_stop_deferred` any thread while the
// parent waits; `decisive` the parent once it resumes. The scope lies in the parent's frame.
#pragma once

#include <filch/coro/context.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/coro/join_count.hpp>

#include <coroutine>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace filch::inline v0::coro {

class child_scope final : public end_listener {
 public:
  // Which child's end requests the stop of the others.
  enum class until : std::uint8_t { first_success, first_failure, first_end, all_end };

  child_scope(std::uint32_t children, until when) : unfinished_{children}, when_{when} {}

  // The parent is suspended; `first` and its siblings have not started. Returns the coroutine to resume.
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> start(std::coroutine_handle<Promise> parent, promise_base& first) noexcept {
    context* above = nullptr;
    if constexpr (std::is_base_of_v<promise_base, Promise>) above = parent.promise().context;
    context_.emplace(above);
    parent_ = parent;
    for (promise_base* each = &first; each != nullptr; each = each->sibling) {
      each->belong_to(parent);
      each->context = &*context_;
      each->listener = this;
    }
    return start_all(first);
  }

  void request_stop() noexcept { context_->request_stop(); }
  // For a caller on a worker that must not block (context.hpp).
  void request_stop_deferred() noexcept { context_->request_stop_deferred(); }

  // The child whose end requested the stop; null: there is none.
  [[nodiscard]] promise_base* decisive() const { return decisive_.load(std::memory_order_relaxed); }  // ordered by [C1]

  [[nodiscard]] std::coroutine_handle<> ended(promise_base& who) noexcept override;
  // Starts `first`, unless a stop was requested: then it skips the siblings in this run. Returns the coroutine to
  // resume.
  [[nodiscard]] std::coroutine_handle<> begin(promise_base& first) noexcept;

 private:
  [[nodiscard]] std::coroutine_handle<> start_all(promise_base& first) noexcept;
  [[nodiscard]] std::coroutine_handle<> end_sibling_run(std::uint32_t ran) noexcept;
  [[nodiscard]] bool decides(const promise_base& ended) const;

  join_count<> unfinished_;
  const until when_;
  std::coroutine_handle<> parent_;
  std::optional<context_below> context_;
  std_atomics::atomic<promise_base*> decisive_{nullptr};
};

}  // namespace filch::inline v0::coro
