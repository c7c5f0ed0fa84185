// The concurrent children of one coroutine, and their parent, which resumes when the last child has ended.
#pragma once

#include <filch/coro/detail/promise.hpp>
#include <filch/coro/join_count.hpp>
#include <filch/share/local_work.hpp>

#include <coroutine>
#include <cstdint>

namespace filch::inline v0::coro {

// Lies in the parent's frame while the parent waits.
class children final : public pending_group {
 public:
  explicit children(std::uint32_t count) : unfinished_{count} {}

  // Called for each child before start(); `next` is the following sibling, or null.
  template <class Promise>
  void adopt(promise_base& child, promise_base* next, std::coroutine_handle<Promise> parent) noexcept {
    child.belong_to(parent);
    child.group = this;
    child.next.store(next, std::memory_order_relaxed);  // before publication
  }

  // The parent is suspended; `first` and its following siblings have not started. Puts all but the first into the
  // worker's private list and returns the first, which the caller resumes.
  [[nodiscard]] std::coroutine_handle<> start(std::coroutine_handle<> parent, promise_base& first) noexcept {
    parent_ = parent;
    const std::coroutine_handle<> started = first.self;
    pending = static_cast<coroutine_entry*>(first.next.load(std::memory_order_relaxed));  // owner-only
    if (pending != nullptr) put_pending(*current_local_work(), *this);
    return started;
  }

  // A child has ended. Returns a sibling from the worker's private list if there is one, so that a tree is walked
  // depth first, as a tree of calls is.
  [[nodiscard]] std::coroutine_handle<> ended(promise_base& who) noexcept {
    local_work& mine = *current_local_work();
    if (mine.newest.load(std::memory_order_relaxed) == this) {  // owner-only
      if (coroutine_entry* const taken = take_pending(mine, *this)) [[likely]] {
        auto& next = static_cast<promise_base&>(*taken);
        next.ran = who.ran + 1;
        return next.self;
      }
    }
    if (who.ran == unfinished_.children()) return parent_;
    return ended_apart(who);
  }

 private:
  // Slow path: other workers may have taken children.
  [[nodiscard, gnu::cold, gnu::noinline]] std::coroutine_handle<> ended_apart(promise_base& who) noexcept;

  join_count<> unfinished_;
  std::coroutine_handle<> parent_;
};

inline std::coroutine_handle<> end_among_siblings(promise_base& who) noexcept {
  return static_cast<children*>(const_cast<void*>(who.group))->ended(who);
}

}  // namespace filch::inline v0::coro
