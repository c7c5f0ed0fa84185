// The injector: the queue for work that external threads submit. First in, first out; any thread pushes, any worker
// pops.
// kernel: light headers only
//
// An `mpsc` whose consumer side is shared by all workers through a one-word try-lock: a worker that finds it locked
// reports `lost` and looks elsewhere. With a bound `try_push` may refuse, so that the caller can slow its producers
// down.
//
// Invariants
//   I1  size_ is never below the number of items: it is raised before a push and lowered after a pop. So a worker that
//       sees 0 after a fence may sleep, because every pushing thread looks for sleepers after its push.
//   I2  With a bound, size_ counts at most `bound` items plus the pushes that are just being refused.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/queue/mpsc.hpp>
#include <filch/queue/steal_result.hpp>

#include <cstdint>
#include <type_traits>

namespace filch::inline v0::queue {

template <class A = std_atomics>
class injector {
 public:
  using node = typename mpsc<A>::node;

  static constexpr std::uint64_t k_unbounded = UINT64_MAX;

  explicit injector(std::uint64_t bound = k_unbounded) : bound_{bound} {}

  // Any thread. Accepts the item even above the bound: for work that must not be refused.
  void push(node* item) { push_list(item, item, 1); }

  // Any thread. Pushes a chain of `count` nodes, linked through `next`, in this order.
  void push_list(node* first, node* last, std::uint64_t count) {
    size_.fetch_add(count, std::memory_order_relaxed);  // ordered by [M1]
    items_.push_list(first, last);
  }

  // Any thread. `full`: the bound is reached and the item stays with the caller.
  [[nodiscard]] push_status try_push(node* item) {
    if (bound_ != k_unbounded) {
      if (size_.fetch_add(1, std::memory_order_relaxed) >= bound_) {  // ordered by [M1]
        size_.fetch_sub(1, std::memory_order_relaxed);                // hint
        return push_status::full;
      }
      items_.push(item);
    } else {
      push(item);
    }
    return push_status::pushed;
  }

  // Any worker. The oldest item.
  [[nodiscard]] steal_result<node*> pop() {
    node* item = nullptr;
    const steal_status status = pop_batch(1, [&](node* taken) { item = taken; });
    return {status, item};
  }

  // Any worker. Calls `take` for up to `limit` items, oldest first, while the consumer's side is locked; `take` must
  // not throw, and may return false to end the batch. `taken` if there was at least one item.
  template <class Take>
  [[nodiscard]] steal_status pop_batch(std::uint32_t limit, Take&& take) {
    if (is_empty()) return steal_status::empty;
    // [J1] acquire exchange: observes the previous consumer's changes to the consumer's side ← [J2].
    if (consumer_busy_.exchange(1, std::memory_order_acquire) != 0) return steal_status::lost;
    std::uint32_t taken = 0;
    while (taken != limit) {
      const steal_result<node*> next = items_.pop();
      if (!next.is_taken()) break;
      ++taken;
      if constexpr (std::is_void_v<decltype(take(next.item))>) take(next.item);
      else if (!take(next.item)) break;
    }
    // [J2] release store: publishes the consumer's side → [J1].
    consumer_busy_.store(0, std::memory_order_release);
    if (taken != 0) size_.fetch_sub(taken, std::memory_order_relaxed);  // hint
    // Counted but no item found: a producer is in the middle of its push, or about to be refused.
    return taken != 0 ? steal_status::taken : steal_status::lost;
  }

  [[nodiscard]] bool is_empty() const { return size_hint() == 0; }
  [[nodiscard]] std::uint64_t size_hint() const {
    return size_.load(std::memory_order_relaxed);  // hint
  }
  [[nodiscard]] std::uint64_t bound() const { return bound_; }

 private:
  // Immutable.
  std::uint64_t bound_;
  mpsc<A> items_;
  // Accessed by any thread.
  alignas(k_no_sharing_bytes) typename A::template atomic<std::uint64_t> size_{0};
  typename A::template atomic<std::uint32_t> consumer_busy_{0};
};

}  // namespace filch::inline v0::queue
