// How many holders an object has: the last one destroys it.
// kernel: light headers only
//
// Who may call what: each holder `drop` once; a holder `add` before it hands the object to another.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

// A count of references; the thread that drops the last one destroys.
template <class A = std_atomics>
class reference_count {
 public:
  explicit reference_count(std::uint32_t initial) : count_{initial} {}

  void add() {
    count_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R3]
  }
  // True: it was the last one.
  [[nodiscard]] bool drop() {
    // [R3] acq_rel fetch_sub: whatever any holder did comes before the destruction ↔ [R3].
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 private:
  typename A::template atomic<std::uint32_t> count_;
};

}  // namespace filch::inline v0
