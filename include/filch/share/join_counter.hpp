// Where a parent waits for its children: each child that ends counts down, and so does the parent when it begins to
// wait. The thread that counts to zero resumes the parent.
// kernel: light headers only
//
// Who may call what: `add` the parent before it waits, or a child before it ends; `finish` each child once; `is_done`
// and `wait` the parent. A counter is used once. After `finish` has returned nullptr the child touches nothing of the
// parent's.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

// `Waiter` is what a parent leaves behind when it stops running.
template <class Waiter, class A = std_atomics>
class join_counter {
 public:
  explicit join_counter(std::uint32_t children) : unfinished_{children + 1} {}

  void add() {
    unfinished_.fetch_add(1, std::memory_order_relaxed);  // ordered by [L3]: the caller has not counted down yet
  }

  // A child has ended. Not null: it was the last, and this parent waits for the caller to continue it.
  [[nodiscard]] Waiter* finish() {
    // [L3] acq_rel fetch_sub: release hands the child's result over; acquire receives the waiter, and for it the
    // results of the other children → [L4] ↔ [L5] ↔ [L3].
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) != 1) return nullptr;
    return waiter_.get();
  }

  // Have all children ended? Then the parent resumes without `wait`.
  [[nodiscard]] bool is_done() const {
    // [L4] acquire load: the children's results are visible ← [L3].
    return unfinished_.load(std::memory_order_acquire) == 1;
  }

  // The parent has stopped, and `who` tells how to resume it. True: all children have ended meanwhile, and the caller
  // continues it. Otherwise the caller touches nothing of the parent's any more.
  [[nodiscard]] bool wait(Waiter& who) {
    waiter_.set(&who);
    // [L5] acq_rel fetch_sub: release hands the waiter over, acquire receives the children's results ↔ [L3].
    return unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 private:
  typename A::template atomic<std::uint32_t> unfinished_;
  typename A::template var<Waiter*> waiter_{nullptr};
};

}  // namespace filch::inline v0
