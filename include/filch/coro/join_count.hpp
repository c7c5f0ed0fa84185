// The kernel of a join of coroutines: how many children have not ended.
// kernel: light headers only
//
// Children run in strands: a strand is a child, then a sibling that it found in its worker's own deque, and so on. A
// strand counts its children by itself and takes them off once, at its end. So if nobody stole anything there is one
// strand with all children, and no read-modify-write.
//
// Who may call what: each strand `end` once, with the number of its children; they add up to `children`. After `end`
// has returned false the caller touches nothing of the parent's.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::coro {

template <class A = std_atomics>
class join_count {
 public:
  explicit join_count(std::uint32_t children) : children_{children}, unfinished_{children} {}

  [[nodiscard]] std::uint32_t children() const { return children_; }

  // A strand that ran so many children has ended. True: all have, and the caller resumes with the parent.
  [[nodiscard]] bool end(std::uint32_t ran) {
    if (ran == children_) return true;  // there is no other strand
    // [C1] acq_rel fetch_sub: release hands over what this strand's children did, acquire receives it of the others ↔
    // [C1].
    return unfinished_.fetch_sub(ran, std::memory_order_acq_rel) == ran;
  }

 private:
  const std::uint32_t children_;
  typename A::template atomic<std::uint32_t> unfinished_;
};

}  // namespace filch::inline v0::coro
