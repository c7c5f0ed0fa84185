// An intrusive queue with many producers and one consumer at a time: the common part of injector and inbox.
// kernel: light headers only
//
// Vyukov's intrusive MPSC queue (1024cores.net): a producer makes its node the newest with one exchange and then links
// the predecessor to it. Between the two steps the list is cut; a consumer that reaches the cut reports `lost`, and the
// producer, which notifies only after the second step, will wake a worker (see park/README.md).
//
// Who may call what: `push` any thread; `pop` the consumer.
//
// Invariants
//   I1  Following `next` from oldest_ reaches every node up to the first cut; newest_ is the last node pushed.
//   I2  The stub is a node like any other; it is in the list at the start and whenever the consumer has pushed it.
//   I3  Once `pop` has returned a node, the caller owns it: no pointer in the queue refers to it.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/queue/steal_result.hpp>

#include <cstdint>

namespace filch::inline v0::queue {

// The base or member of an item of an intrusive queue. An item is in at most one queue at a time.
template <class A = std_atomics>
struct basic_link {
  typename A::template atomic<basic_link*> next{nullptr};
};

using link = basic_link<>;

template <class A = std_atomics>
class mpsc {
 public:
  using node = basic_link<A>;

  mpsc() : newest_{&stub_}, oldest_{&stub_} {}
  mpsc(const mpsc&) = delete;
  mpsc& operator=(const mpsc&) = delete;

  void push(node* item) { push_list(item, item); }

  // Pushes a chain that is already linked through `next`, in this order, in one step.
  void push_list(node* first, node* last) {
    last->next.store(nullptr, std::memory_order_relaxed);  // before publication
    // [M1] acq_rel exchange: release publishes the chain's own links, and orders the nullptr above before the next
    // producer's link; acquire receives the same from the previous producer ↔ [M1].
    node* const previous = newest_.exchange(last, std::memory_order_acq_rel);
    // [M2] release store: publishes the chain to the consumer → [M3] → [M4] → [M5] in `pop`.
    previous->next.store(first, std::memory_order_release);
  }

  // The oldest node. Consumer only.
  [[nodiscard]] steal_result<node*> pop() {
    node* oldest = oldest_.get();
    // [M3] acquire load: observes the complete node behind the link ← [M2] in `push_list`.
    node* behind = oldest->next.load(std::memory_order_acquire);
    if (oldest == &stub_) {
      if (behind == nullptr) return {status_at_end(oldest), nullptr};
      oldest_.set(behind);
      oldest = behind;
      // [M4] acquire load: as [M3] ← [M2] in `push_list`.
      behind = oldest->next.load(std::memory_order_acquire);
    }
    if (behind == nullptr) {
      if (status_at_end(oldest) == steal_status::lost) return {steal_status::lost, nullptr};
      // The last node: pushes the stub behind it, so that the node can be taken out.
      push(&stub_);
      // [M5] acquire load: a producer may have pushed in between; the store of its link is its last access to this
      // node, which the caller may free from now on (I3) ← [M2] in `push_list`.
      behind = oldest->next.load(std::memory_order_acquire);
      if (behind == nullptr) return {steal_status::lost, nullptr};
    }
    oldest_.set(behind);
    return {steal_status::taken, oldest};
  }

 private:
  // For a node without a successor. `empty`: it is the newest node. `lost`: a producer has yet to link its node to it.
  steal_status status_at_end(const node* last) const {
    // Only compared, never dereferenced; an old value is revalidated by [M1] when the stub is pushed.
    return newest_.load(std::memory_order_relaxed) == last ? steal_status::empty : steal_status::lost;
  }

  // Accessed by any thread.
  alignas(k_no_sharing_bytes) typename A::template atomic<node*> newest_;
  // Consumer only, except for the stub's `next`, which producers write.
  alignas(k_no_sharing_bytes) typename A::template var<node*> oldest_;
  node stub_;
};

}  // namespace filch::inline v0::queue
