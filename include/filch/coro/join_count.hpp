// The kernel of a join of coroutines: the number of children that have not ended.
// kernel: light headers only
//
// Children execute in sibling runs: a worker executes one child, then the next sibling that it finds in its own list or
// deque, and so on until it finds none. A sibling run counts its children locally and subtracts them once, at its end.
// If no child was stolen there is one sibling run with all children, and no read-modify-write.
//
// Who may call what: each sibling run `end` once, with the number of its children; the numbers add up to `children`. If
// `end` returns false, the caller does not touch the parent afterwards.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::coro {

template <class A = std_atomics>
class join_count {
 public:
  explicit join_count(std::uint32_t children) : children_{children}, unfinished_{children} {}

  [[nodiscard]] std::uint32_t children() const { return children_; }

  // A sibling run of `ran` children has ended. True: all children have ended, and the caller resumes the parent.
  [[nodiscard]] bool end(std::uint32_t ran) {
    if (ran == children_) return true;  // there is no other sibling run
    // [C1] acq_rel fetch_sub: release publishes the effects of this run's children, acquire observes those of the other
    // runs ↔ [C1].
    return unfinished_.fetch_sub(ran, std::memory_order_acq_rel) == ran;
  }

 private:
  const std::uint32_t children_;
  typename A::template atomic<std::uint32_t> unfinished_;
};

}  // namespace filch::inline v0::coro
