// The kernel of requests to stop: points below points, of which one request marks all that are at or below its own.
// kernel: light headers only
//
// A point is one word: may a stop still be requested, was it, who is told of it (a node, made when somebody wants to
// be), and a list of links to the points below. A link is entered at a point and leads to another one; both lie where
// their owners keep them.
//
//   stop_point::request    marks its own point, then takes one link after the other out of the lists below and marks
//                          where they lead. It recurses nowhere and allocates nothing: its path down is linked through
//                          the links that it has taken. It calls nobody: the nodes that are to be told are returned.
//   stop_point::leave      takes a link out of the list; or waits until a request that has taken it is done with it.
//
// Who may call what: any thread, while the point is there; `leave` the owner of the link.
//
// Invariants
//   T1  A point that was requested stays so. Links are entered at no such point: whoever comes later is told so.
//   T2  A request takes the links only of points that it has marked itself. So two requests never visit the same point,
//       and points may lie in a circle.
//   T3  Nobody holds two locks. A link that was taken out of a list is `held` until the request does not touch the
//       point where it leads any more; its owner waits for that before it destroys either.
//   T4  A request touches its own point until that point's list is empty, and never again.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/wait_close.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace filch::inline v0::coro {

template <class Node, class A>
class stop_point;

// Two flags more than the alignment of a pointer gives.
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
  // Guarded by the lock of the point where it is entered; once it was taken they are the request's.
  typename A::template var<stop_link*> next_{nullptr};
  typename A::template var<stop_link*> before_{nullptr};
  typename A::template var<bool> is_listed_{false};
  typename A::template atomic<std::uint32_t> is_held_{0};
};

// What a node derives from. It belongs to its point, and to a request from the moment when it marks the point.
template <class Node, class A = std_atomics>
class alignas(k_stop_alignment) stop_node_base {
 public:
  // True: nobody else has it, and the caller destroys it.
  [[nodiscard]] bool release() {
    // [N8] acq_rel: release hands over what the caller did with it, acquire receives what the other did ← [N8].
    return owners_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 protected:
  ~stop_node_base() = default;

 private:
  friend stop_point<Node, A>;
  template <class, class>
  friend class stop_nodes;

  typename A::template var<stop_link<Node, A>*> below_{nullptr};  // guarded by the lock of its point
  typename A::template var<Node*> next_{nullptr};                 // of the request
  typename A::template atomic<std::uint32_t> owners_{1};
};

// Nodes that are to be told of a request: each before that of the point from which the request came to its own, so that
// who is told may wait for those below. Each has been retained.
template <class Node, class A = std_atomics>
class stop_nodes {
 public:
  // They come before those that are there.
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

// A node has request_stop().
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
    bool is_final;  // nobody can request a stop of this very point any more
    Node* node;     // null: nobody has wanted to be told
  };
  [[nodiscard]] state look() const {
    // [N4] acquire load: the node is complete, and what was done before a request is visible ← [N2].
    const std::uintptr_t seen = word_.load(std::memory_order_acquire);
    return {is_requested(seen), (seen & k_final) != 0, node_of(seen)};
  }
  [[nodiscard]] bool is_requested() const {
    // [N3] acquire load: as [N4] ← [N2].
    return is_requested(word_.load(std::memory_order_acquire));
  }
  // None was requested, and none can be, but through a node.
  [[nodiscard]] bool is_out_of_reach() const {
    // revalidated by [N1]: who does not see it enters a link in vain
    return (word_.load(std::memory_order_relaxed) & (k_requested | k_final | k_has_node)) == k_final;
  }

  // Every point at or below is marked when it returns, unless another request is about to. The caller tells the nodes.
  [[nodiscard]] nodes request() {
    nodes told;
    bool has_more = mark(told);
    link* path = nullptr;  // to points of which some links were not taken yet, the nearest first
    while (has_more || path != nullptr) {
      const taken next = (path != nullptr ? path->to_ : *this).take();
      if (next.is_last) {
        if (path == nullptr) has_more = false;
        else let_go(*std::exchange(path, path->next_.get()));
      }
      if (next.who == nullptr) continue;
      if (next.who->to_.mark(told)) {
        next.who->next_.set(path);
        path = next.who;
      } else {
        let_go(*next.who);
      }
    }
    return told;
  }

  // A request to this from now on goes to where the link leads, too. False: there was one before, and the link is not
  // entered.
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
  // What was entered here, or was not. Afterwards no request touches the link, or where it leads through it.
  void leave(link& who) {
    // [N14] acquire load: what a request did with the link comes before the end of it ← [N13].
    if (who.is_held_.load(std::memory_order_acquire) == 0) return;
    const std::uintptr_t seen = lock();
    if (!who.is_listed_.get()) {
      unlock(seen);
      return wait_until_let_go(who);
    }
    link* const next = who.next_.get();
    link* const before = who.before_.get();
    if (next != nullptr) next->before_.set(before);
    if (before != nullptr) before->next_.set(next);
    who.is_held_.store(0, std::memory_order_relaxed);  // owner-only
    unlock(before != nullptr ? seen : with_first(seen, next));
  }

  // `made` is nobody else's yet. Returns the node that holds: `made`, or one that was there before.
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

  // Nobody is left who could request a stop of this very point.
  void make_final() { unlock(lock() | k_final); }

 private:
  static constexpr std::uintptr_t k_locked = 1;
  static constexpr std::uintptr_t k_requested = 2;
  static constexpr std::uintptr_t k_final = 4;
  static constexpr std::uintptr_t k_has_node = 8;
  static constexpr std::uintptr_t k_flags = 15;  // above them: the node, or without one the first link

  static bool is_requested(std::uintptr_t seen) { return (seen & k_requested) != 0; }
  using node_base = stop_node_base<Node, A>;  // Node may be incomplete where points are linked
  static node_base* base_of(std::uintptr_t seen) {
    return (seen & k_has_node) != 0 ? reinterpret_cast<node_base*>(seen & ~k_flags) : nullptr;
  }
  static Node* node_of(std::uintptr_t seen) { return static_cast<Node*>(base_of(seen)); }

  // ---- with the lock ----
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

  // Returns the word without the lock.
  [[nodiscard]] std::uintptr_t lock() {
    std::uintptr_t seen = word_.load(std::memory_order_relaxed);  // revalidated by [N1]
    for (std::uint32_t turns = 0;;) {
      if ((seen & k_locked) != 0) {
        v0::wait_close_by<A>(++turns);
        seen = word_.load(std::memory_order_relaxed);  // revalidated by [N1]
        continue;
      }
      // [N1] acquire on success: what the last holder did is visible ← [N2]. Relaxed on failure: revalidated by [N1].
      if (word_.compare_exchange(seen, seen | k_locked, std::memory_order_acquire, std::memory_order_relaxed))
        return seen;
    }
  }
  void unlock(std::uintptr_t now) {
    // [N2] release store: hands over what the holder did, and what a caller did before its request → [N1] → [N3] →
    // [N4].
    word_.store(now, std::memory_order_release);
  }

  // ---- of a request ----
  // True: it was not marked before, and has links.
  [[nodiscard]] bool mark(nodes& told) {
    const std::uintptr_t seen = lock();
    if (is_requested(seen)) {
      unlock(seen);
      return false;
    }
    const bool has_links = first_of(seen) != nullptr;
    if (Node* const node = node_of(seen)) {
      node_base& base = *node;
      base.owners_.store(2, std::memory_order_relaxed);  // ordered by [N2]: only its point has it so far
      told.add(*node);
    }
    unlock(seen | k_requested);
    return has_links;
  }
  struct taken {
    link* who;     // null: the last has left meanwhile
    bool is_last;  // the point is not touched any more
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
  static void let_go(link& who) {
    // [N13] release store: the request is done with it → [N14] → [N11].
    who.is_held_.store(0, std::memory_order_release);
  }
  static void wait_until_let_go(link& who) {
    std::uint32_t turns = 0;
    // [N11] acquire load: as [N14] ← [N13].
    while (who.is_held_.load(std::memory_order_acquire) != 0) v0::wait_close_by<A>(++turns);
  }

  typename A::template atomic<std::uintptr_t> word_{0};
};

}  // namespace filch::inline v0::coro
