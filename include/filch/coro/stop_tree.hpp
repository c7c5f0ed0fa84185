// The kernel of stop requests: a graph of points, in which a request marks its own point and all points below.
// kernel: light headers only
//
// A point is one word: whether a stop may still be requested, whether it was, the node to notify (made on demand), and
// a list of links to the points below. A link is entered at one point and leads to another. The owners of points and
// links provide their memory.
//
//   stop_point::request    marks its own point, then takes one link after the other out of the lists below and marks
//                          the points where they lead. It neither recurses nor allocates: the links that it has taken
//                          form its stack. It makes no callbacks: it returns the nodes that the caller must notify.
//   stop_point::leave      takes a link out of the list; or waits until the request that has taken it releases it.
//
// Who may call what: any thread, while the point exists; `leave` the owner of the link.
//
// Invariants
//   T1  A marked point stays marked. No link is entered at a marked point: `enter` returns false instead.
//   T2  A request takes links only from points that it has marked itself. So two requests never visit the same point,
//       and the links may form cycles.
//   T3  No thread holds two locks. A link that was taken out of a list stays `held` until the request no longer touches
//       the point where it leads; the link's owner waits for that before it destroys the link or that point.
//   T4  A request touches its own point until that point's list is empty, and not afterwards.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/wait_close.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace filch::inline v0::coro {

template <class Node, class A>
class stop_point;

// Leaves four low bits of a pointer free for flags: two more than its natural alignment guarantees.
inline constexpr std::size_t k_stop_alignment = 16;

template <class Node, class A = std_atomics>
class alignas(k_stop_alignment) stop_link {
 public:
  explicit stop_link(stop_point<Node, A>& to) : to_{to} {}
  stop_link(const stop_link&) = delete;
  stop_link& operator=(const stop_link&) = delete;

 private:
  friend stop_point<Node, A>;

  stop_point<Node, A>& to_;
  // Guarded by the lock of the point where the link is entered; owned by the request once the link was taken.
  typename A::template var<stop_link*> next_{nullptr};
  typename A::template var<stop_link*> before_{nullptr};
  typename A::template var<bool> is_listed_{false};
  typename A::template atomic<std::uint32_t> is_held_{0};
};

// The base of a node. The node is owned by its point, and also by a request from the moment when that marks the point.
template <class Node, class A = std_atomics>
class alignas(k_stop_alignment) stop_node_base {
 public:
  // Gives up one ownership. True: it was the last, and the caller destroys the node.
  [[nodiscard]] bool release() {
    // [N8] acq_rel: release publishes what the caller did with the node, acquire observes what the other did ← [N8].
    return owners_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 protected:
  ~stop_node_base() = default;

 private:
  friend stop_point<Node, A>;
  template <class, class>
  friend class stop_nodes;

  typename A::template var<stop_link<Node, A>*> below_{nullptr};  // guarded by the lock of its point
  typename A::template var<Node*> next_{nullptr};                 // owned by the request
  typename A::template atomic<std::uint32_t> owners_{1};
};

// The nodes that a request must notify. The node of a point comes before the node of the point from which the request
// reached it, so that a callback may wait for the points below its own. The list owns each node.
template <class Node, class A = std_atomics>
class stop_nodes {
 public:
  // Added nodes come before the present ones.
  void add(Node& one) {
    one.next_.set(first_);
    first_ = &one;
  }
  void add(stop_nodes others) {
    if (others.is_empty()) return;
    Node* last = others.first_;
    while (Node* const next = last->next_.get()) last = next;
    last->next_.set(first_);
    first_ = others.first_;
  }
  // Null: there are no more.
  [[nodiscard]] Node* pop() {
    Node* const one = first_;
    if (one == nullptr) return nullptr;
    first_ = one->next_.get();
    one->next_.set(nullptr);
    return one;
  }
  [[nodiscard]] bool is_empty() const { return first_ == nullptr; }

 private:
  Node* first_ = nullptr;
};

// `Node` derives from stop_node_base and has request_stop().
template <class Node, class A = std_atomics>
class stop_point {
 public:
  using link = stop_link<Node, A>;
  using nodes = stop_nodes<Node, A>;

  stop_point() = default;
  stop_point(const stop_point&) = delete;
  stop_point& operator=(const stop_point&) = delete;

  struct state {
    bool is_requested;
    bool is_final;  // no stop of this point itself can be requested any more
    Node* node;     // null: no token was asked for
  };
  [[nodiscard]] state look() const {
    // [N4] acquire load: observes the complete node, and what was done before a request ← [N2].
    const std::uintptr_t seen = word_.load(std::memory_order_acquire);
    return {is_requested(seen), (seen & k_final) != 0, node_of(seen)};
  }
  [[nodiscard]] bool is_requested() const {
    // [N3] acquire load: as [N4] ← [N2].
    return is_requested(word_.load(std::memory_order_acquire));
  }
  // No stop was requested, and none can be: the point is final and has no node that could follow another token.
  [[nodiscard]] bool is_out_of_reach() const {
    // revalidated by [N1]: a caller that reads an old value enters a link needlessly
    return (word_.load(std::memory_order_relaxed) & (k_requested | k_final | k_has_node)) == k_final;
  }

  // Marks this point and all points below, except those that a concurrent request is about to mark. Returns the nodes
  // that the caller must notify.
  [[nodiscard]] nodes request() {
    nodes to_notify;
    bool has_more = mark(to_notify);
    link* path = nullptr;  // the stack: links to points whose lists are not empty yet, innermost first
    while (has_more || path != nullptr) {
      const taken next = (path != nullptr ? path->to_ : *this).take();
      if (next.is_last) {
        if (path == nullptr) has_more = false;
        else release_link(*std::exchange(path, path->next_.get()));
      }
      if (next.who == nullptr) continue;
      if (next.who->to_.mark(to_notify)) {
        next.who->next_.set(path);
        path = next.who;
      } else {
        release_link(*next.who);
      }
    }
    return to_notify;
  }

  // From now on a request of this point also reaches the point where the link leads. False: this point is marked
  // already, and the link is not entered.
  [[nodiscard]] bool enter(link& who) {
    const std::uintptr_t seen = lock();
    if (is_requested(seen)) {
      unlock(seen);
      return false;
    }
    link* const first = first_of(seen);
    who.next_.set(first);
    who.before_.set(nullptr);
    who.is_listed_.set(true);
    who.is_held_.store(1, std::memory_order_relaxed);  // before publication
    if (first != nullptr) first->before_.set(&who);
    unlock(with_first(seen, &who));
    return true;
  }
  // Undoes `enter`; does nothing if that returned false. Afterwards no request touches the link, nor, through it, the
  // point where it leads.
  void leave(link& who) {
    // [N14] acquire load: what a request did with the link happens before its destruction ← [N13].
    if (who.is_held_.load(std::memory_order_acquire) == 0) return;
    const std::uintptr_t seen = lock();
    if (!who.is_listed_.get()) {
      unlock(seen);
      return wait_until_released(who);
    }
    link* const next = who.next_.get();
    link* const before = who.before_.get();
    if (next != nullptr) next->before_.set(before);
    if (before != nullptr) before->next_.set(next);
    who.is_held_.store(0, std::memory_order_relaxed);  // owner-only
    unlock(before != nullptr ? seen : with_first(seen, next));
  }

  // `made` is not shared yet. Returns the point's node: `made`, or the node that was there before.
  [[nodiscard]] Node* publish(Node& made) {
    const std::uintptr_t seen = lock();
    if (Node* const other = node_of(seen)) {
      unlock(seen);
      return other;
    }
    if (is_requested(seen)) made.request_stop();
    node_base& base = made;
    base.below_.set(first_of(seen));
    unlock(reinterpret_cast<std::uintptr_t>(&base) | k_has_node | (seen & (k_requested | k_final)));
    return &made;
  }

  // The last party that could request a stop of this point itself is gone.
  void make_final() { unlock(lock() | k_final); }

 private:
  static constexpr std::uintptr_t k_locked = 1;
  static constexpr std::uintptr_t k_requested = 2;
  static constexpr std::uintptr_t k_final = 4;
  static constexpr std::uintptr_t k_has_node = 8;
  static constexpr std::uintptr_t k_flags = 15;  // the other bits: the node, or the first link if there is no node

  static bool is_requested(std::uintptr_t seen) { return (seen & k_requested) != 0; }
  using node_base = stop_node_base<Node, A>;  // Node may be incomplete where points are linked
  static node_base* base_of(std::uintptr_t seen) {
    return (seen & k_has_node) != 0 ? reinterpret_cast<node_base*>(seen & ~k_flags) : nullptr;
  }
  static Node* node_of(std::uintptr_t seen) { return static_cast<Node*>(base_of(seen)); }

  // ---- called with the lock held ----
  static link* first_of(std::uintptr_t seen) {
    if (node_base* const node = base_of(seen)) return node->below_.get();
    return reinterpret_cast<link*>(seen & ~k_flags);
  }
  static std::uintptr_t with_first(std::uintptr_t seen, link* first) {
    if (node_base* const node = base_of(seen)) {
      node->below_.set(first);
      return seen;
    }
    return reinterpret_cast<std::uintptr_t>(first) | (seen & k_flags);
  }

  // Returns the word without the lock bit.
  [[nodiscard]] std::uintptr_t lock() {
    std::uintptr_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [N1]
    for (std::uint32_t turns = 0;;) {
      if ((seen & k_locked) != 0) {
        v0::wait_close_by<A>(++turns);
        seen = word_.load(std::memory_order_relaxed);  // revalidated by [N1]
        continue;
      }
      // [N1] acquire on success: observes what the last holder did ← [N2]. Relaxed on failure: revalidated by [N1].
      if (word_.compare_exchange(seen, seen | k_locked, std::memory_order_acquire, std::memory_order_relaxed))
        return seen;
    }
  }
  void unlock(std::uintptr_t now) {
    // [N2] release store: publishes what the holder did, and what a caller did before its request → [N1] → [N3] →
    // [N4].
    word_.store(now, std::memory_order_release);
  }

  // ---- the steps of a request ----
  // True: this call marked the point, and the point has links.
  [[nodiscard]] bool mark(nodes& to_notify) {
    const std::uintptr_t seen = lock();
    if (is_requested(seen)) {
      unlock(seen);
      return false;
    }
    const bool has_links = first_of(seen) != nullptr;
    if (Node* const node = node_of(seen)) {
      node_base& base = *node;
      base.owners_.store(2, std::memory_order_relaxed);  // ordered by [N2]: only the point owns the node so far
      to_notify.add(*node);
    }
    unlock(seen | k_requested);
    return has_links;
  }
  struct taken {
    link* who;     // null: the last link has left meanwhile
    bool is_last;  // the request does not touch the point any more
  };
  [[nodiscard]] taken take() {
    const std::uintptr_t seen = lock();
    link* const who = first_of(seen);
    if (who == nullptr) {
      unlock(seen);
      return {nullptr, true};
    }
    link* const next = who->next_.get();
    if (next != nullptr) next->before_.set(nullptr);
    who->is_listed_.set(false);
    unlock(with_first(seen, next));
    return {who, next == nullptr};
  }
  static void release_link(link& who) {
    // [N13] release store: the request no longer touches the link → [N14] → [N11].
    who.is_held_.store(0, std::memory_order_release);
  }
  static void wait_until_released(link& who) {
    std::uint32_t turns = 0;
    // [N11] acquire load: as [N14] ← [N13].
    while (who.is_held_.load(std::memory_order_acquire) != 0) v0::wait_close_by<A>(++turns);
  }

  typename A::template atomic<std::uintptr_t> word_{0};
};

}  // namespace filch::inline v0::coro
