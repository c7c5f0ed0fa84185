// A worker's inbox: tasks that are pinned to the worker. Any thread pushes, only the worker pops; never stolen.
// kernel: light headers only
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/queue/mpsc.hpp>
#include <filch/queue/steal_result.hpp>

#include <cstdint>

namespace filch::inline v0::queue {

template <class A = std_atomics>
class inbox {
 public:
  using node = typename mpsc<A>::node;

  // Any thread.
  void push(node* item) {
    // Counted before the push: the count is never below the number of items, so an owner that sees 0 may sleep (the
    // sender's notification comes after its push).
    size_.fetch_add(1, std::memory_order_relaxed);  // ordered by [M1]
    items_.push(item);
  }

  // The oldest pinned task. The owning worker only.
  [[nodiscard]] steal_result<node*> pop() {
    if (is_empty()) return {steal_status::empty, nullptr};
    const steal_result<node*> result = items_.pop();
    if (result.is_taken()) size_.fetch_sub(1, std::memory_order_relaxed);  // hint
    // Counted but not linked yet: a sender is in the middle of its push.
    return result.status == steal_status::empty ? steal_result<node*>{steal_status::lost, nullptr} : result;
  }

  [[nodiscard]] bool is_empty() const { return size_hint() == 0; }
  [[nodiscard]] std::uint64_t size_hint() const {
    return size_.load(std::memory_order_relaxed);  // hint
  }

 private:
  mpsc<A> items_;
  typename A::template atomic<std::uint64_t> size_{0};
};

}  // namespace filch::inline v0::queue
