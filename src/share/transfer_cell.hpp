// Where one piece of latent work is offered to the first thief that comes.
// kernel: light headers only
//
// Who may call what: `offer` the thread that holds the share point's lock, when the cell is empty; `take_back` the
// stack whose frame it is; the others any thread. Invariant: what was offered is got by exactly one call of `take` or
// `take_back`. README.md in include/filch/share is the protocol.
#pragma once

#include <filch/base/atomics.hpp>

namespace filch::inline v0 {

template <class Task, class A = std_atomics>
class transfer_cell {
 public:
  void offer(Task& what) {
    // [L1] release store: publishes the task and what it refers to → [L2].
    offered_.store(&what, std::memory_order_release);
  }
  // False: a thief has taken it.
  [[nodiscard]] bool take_back(Task& what) {
    Task* expected = &what;
    // ordered by [L1]: the stack takes back what it wrote itself, or what came with it from thread to thread
    return offered_.compare_exchange(expected, nullptr, std::memory_order_relaxed, std::memory_order_relaxed);
  }
  [[nodiscard]] Task* take() {
    if (!has_offer()) return nullptr;
    // [L2] acquire exchange: the task is complete ← [L1].
    return offered_.exchange(nullptr, std::memory_order_acquire);
  }
  [[nodiscard]] bool has_offer() const { return peek() != nullptr; }
  // What is offered, to compare it: it may be gone.
  [[nodiscard]] const Task* peek() const {
    return offered_.load(std::memory_order_relaxed);  // revalidated by [L2]
  }

 private:
  typename A::template atomic<Task*> offered_{nullptr};
};

}  // namespace filch::inline v0
