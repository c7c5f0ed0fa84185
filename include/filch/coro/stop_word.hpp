// The kernel of a request to stop that few ever look at: one word until somebody wants to be told.
// kernel: light headers only
//
//   nothing → requested            nobody had asked to be told nothing, requested → node      somebody wants to be
//   told: the node knows who; a request goes to the node from now on
//
// Who may call what: any thread.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::coro {

// A node has request_stop(), which may be called more than once.
template <class Node, class A = std_atomics>
class stop_word {
 public:
  // Not null: the caller tells this node.
  [[nodiscard]] Node* request() {
    // [N1] acquire load and acquire on failure: the node is complete ← [N3].
    std::uintptr_t seen = word_.load(std::memory_order_acquire);
    while (seen == k_nothing) {
      // [N2] release on success: hands over what the caller did before → [N3] → [N4] → [N8]. Acquire on failure as in
      // [N1] ← [N3].
      if (word_.compare_exchange(seen, k_requested, std::memory_order_release, std::memory_order_acquire))
        return nullptr;
    }
    return node_of(seen);
  }

  // `made` is nobody else's yet. Returns the node that holds: `made`, or one that was there before.
  [[nodiscard]] Node* publish(Node& made) {
    // [N8] acquire load: another node may be there, complete ← [N3]; or a request, and what was done before it ← [N2].
    std::uintptr_t seen = word_.load(std::memory_order_acquire);
    while (seen <= k_requested) {
      if (seen == k_requested) made.request_stop();
      // [N3] release on success: hands the node over → [N1] → [N4] → [N8]. Acquire on failure: as [N8] ← [N2] ← [N3].
      if (word_.compare_exchange(seen, reinterpret_cast<std::uintptr_t>(&made), std::memory_order_release,
                                 std::memory_order_acquire)) {
        return &made;
      }
    }
    return node_of(seen);
  }

  struct state {
    bool is_requested;  // without a node
    Node* node;         // which knows better
  };
  [[nodiscard]] state look() const {
    // [N4] acquire load: the node is complete, or what was done before the request is visible ← [N2] ← [N3].
    const std::uintptr_t seen = word_.load(std::memory_order_acquire);
    return {seen == k_requested, node_of(seen)};
  }

 private:
  static constexpr std::uintptr_t k_nothing = 0;
  static constexpr std::uintptr_t k_requested = 1;

  static Node* node_of(std::uintptr_t seen) { return seen <= k_requested ? nullptr : reinterpret_cast<Node*>(seen); }

  typename A::template atomic<std::uintptr_t> word_{k_nothing};
};

}  // namespace filch::inline v0::coro
