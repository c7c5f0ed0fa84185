// The children of one coroutine that run at the same time, and their parent, which goes on when the last has ended.
#pragma once

#include <filch/coro/detail/promise.hpp>
#include <filch/coro/join_count.hpp>

#include <coroutine>
#include <cstdint>

namespace filch::inline v0::coro {

// It lies in the parent's frame while the parent waits.
class children final : public end_listener {
 public:
  explicit children(std::uint32_t count) : unfinished_{count} {}

  // The parent is suspended; `first` and its siblings have not started. Puts all but the last into the worker's deque and
  // returns the last, which the caller resumes. Without memory for that they run one after the other.
  [[nodiscard]] std::coroutine_handle<> start(std::coroutine_handle<> parent, promise_base& first) noexcept;

  [[nodiscard]] std::coroutine_handle<> ended(promise_base& who) noexcept override;

 private:
  join_count<> unfinished_;
  std::coroutine_handle<> parent_;
};

}  // namespace filch::inline v0::coro
