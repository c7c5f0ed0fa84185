// Children that run at the same time under a context of their own, so that some of them can be asked to stop by the end
// of another: what `any` and timeouts are made of.
//
//   std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
//     a.promise().sibling = &b.promise();
//     return scope_.start(parent, a.promise());
//   }
//   … await_resume() { if (scope_.decisive() == &a.promise()) … }
//
// The parent resumes when all children have ended: nobody is left behind. A child that has not started when the others
// are asked to stop does not start; it has neither a result nor an exception.
//
// Who may call what: `start` the parent's awaiter; both requests any thread while the parent waits; the rest the parent
// once it resumes. It lies in the parent's frame.
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
  // Whose end asks the others to stop.
  enum class until : std::uint8_t { first_success, first_failure, first_end, all_end };

  child_scope(std::uint32_t children, until when) : unfinished_{children}, when_{when} {}

  // The parent is suspended; `first` and its siblings have not started. Returns whom to resume.
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
  // On a worker, where nothing may wait (context.hpp).
  void request_stop_apart() noexcept { context_->request_stop_apart(); }

  // The child whose end made the others stop, if there is one.
  [[nodiscard]] promise_base* decisive() const { return decisive_.load(std::memory_order_relaxed); }  // ordered by [C1]

  [[nodiscard]] std::coroutine_handle<> ended(promise_base& who) noexcept override;
  // `first`, which has not started, or a sibling of it if it is too late for that. Returns whom to resume.
  [[nodiscard]] std::coroutine_handle<> begin(promise_base& first) noexcept;

 private:
  [[nodiscard]] std::coroutine_handle<> start_all(promise_base& first) noexcept;
  [[nodiscard]] std::coroutine_handle<> end_strand(std::uint32_t ran) noexcept;
  [[nodiscard]] bool decides(const promise_base& ended) const;

  join_count<> unfinished_;
  const until when_;
  std::coroutine_handle<> parent_;
  std::optional<context_below> context_;
  std_atomics::atomic<promise_base*> decisive_{nullptr};
};

}  // namespace filch::inline v0::coro
