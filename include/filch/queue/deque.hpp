// The lock-free work-stealing deque: one owner pushes and pops at the bottom, any number of thieves steal at the top.
// kernel: light headers only
//
// Chase and Lev, "Dynamic circular work-stealing deque" (SPAA 2005), with the C11 orderings of Lê, Pop, Cohen and
// Zappella Nardelli (PPoPP 2013), changed in two ways. Every store to `bottom_` is a release store: since C++20 a later
// relaxed store is not part of the release sequence, so a thief that reads pop's store would not see older slots. And
// there is one ring per size class, which is reused, so that a deque that grew in a burst can release its pages in
// `trim`.
//
// Who may call what: one thread at a time uses the `owner_handle`; any thread may use a `thief_handle`.
//
// Invariants
//   I1  top_ never decreases. The items are those with index in [top_, bottom_).
//   I2  bottom_ is written by the owner only. It is one less than the true end only inside `pop`.
//   I3  A slot of the current ring is overwritten only when its old index is below top_.
//   I4  Only the current ring is written. Item i is in every ring that was the current one while i was in the deque, at
//       slot i & mask, until `trim` discards the ring, when no item is left.
//   I5  Index i goes to exactly one party: to the thread that moves top_ from i to i + 1, or to the owner if it sees i
//       above top_ after it has published bottom_ = i.
// Indices are unsigned and wrap; only their differences are compared, as signed numbers.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/queue/steal_result.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace filch::inline v0::queue {

// `Item` is trivially copyable and as large as a pointer: larger tasks are held by pointer, so that a large task object
// is never copied over a stack.
template <class Item, class A = std_atomics>
class deque {
  static_assert(std::is_trivially_copyable_v<Item>, "an item of a deque must be trivially copyable");
  static_assert(sizeof(Item) == sizeof(void*),
                "an item of a deque must be as large as a pointer: push a pointer to it");

 public:
  using index = std::uint64_t;
  using difference = std::int64_t;

  static constexpr std::uint32_t k_default_capacity = 256;  // 2 KiB; guess

  class owner_handle;
  class thief_handle;

  // `capacity` is rounded up to a power of two; the deque grows as needed and never shrinks below it. With
  // `first_index` a test can begin near a wrap-around.
  explicit deque(std::uint32_t capacity = k_default_capacity, index first_index = 0)
      : top_{first_index}, bottom_{first_index}, smallest_class_{class_of(capacity)}, cached_top_{first_index} {
    ring* const first = open_ring(smallest_class_);
    own_ring_ = *first;
    ring_.store(first, std::memory_order_relaxed);  // before publication
  }

  deque(const deque&) = delete;
  deque& operator=(const deque&) = delete;

  ~deque() {
    for (ring* r : rings_) {
      if (r == nullptr) continue;
      A::destroy_array(r->slots, r->capacity());
      A::destroy(r);
    }
  }

  [[nodiscard]] owner_handle owner() { return owner_handle{*this}; }
  [[nodiscard]] thief_handle thief() { return thief_handle{*this}; }

  // The number of items. Any thread; a hint, exact if no other thread uses the deque.
  [[nodiscard]] std::uint64_t size_hint() const {
    const index b = bottom_.load(std::memory_order_relaxed);  // hint
    const index t = top_.load(std::memory_order_relaxed);     // hint
    const auto n = static_cast<difference>(b - t);
    return n > 0 ? static_cast<std::uint64_t>(n) : 0;
  }

 private:
  using slot = typename A::template atomic<Item>;

  // A circular array. Its description is written before publication and constant afterwards.
  struct ring {
    slot* slots = nullptr;
    index mask = 0;
    std::uint32_t size_class = 0;

    [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(mask) + 1; }
    [[nodiscard]] slot& at(index i) const { return slots[i & mask]; }
  };

  static constexpr std::uint32_t k_classes = 48;

  static std::uint32_t class_of(std::uint32_t capacity) {
    FILCH_ASSERT(capacity >= 1 && capacity <= (1u << 30), capacity);
    return static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(capacity)) - 1);
  }

  // The ring of that class, allocated at its first use. Throws std::bad_alloc without any effect.
  ring* open_ring(std::uint32_t size_class) {
    FILCH_ASSERT(size_class < k_classes, size_class);
    if (rings_[size_class] != nullptr) return rings_[size_class];
    const std::size_t capacity = std::size_t{1} << size_class;
    auto* fresh = A::template make<ring>();
    try {
      fresh->slots = A::template make_array<slot>(capacity);
    } catch (...) {
      A::destroy(fresh);
      throw;
    }
    fresh->mask = capacity - 1;
    fresh->size_class = size_class;
    return rings_[size_class] = fresh;
  }

  // Owner only. Reads how many slots are free, and moves to a larger ring if `count` items do not fit. A member of the
  // deque and not of the handle, so that the handle's address is never passed and the handle stays in a register.
  [[gnu::cold, gnu::noinline]] void make_room(std::uint64_t count) {
    const index b = bottom_.load(std::memory_order_relaxed);  // owner-only
    // [Q9] acquire load: a thief's read of a slot happens before the owner's next write to it ← [Q8] in `steal_one`.
    // unobservable: without it the thief would have to read a value before it is written; the standard allows that for
    // relaxed operations, the checker's model does not.
    cached_top_ = top_.load(std::memory_order_acquire);
    std::uint32_t size_class = own_ring_.size_class;
    while (count > (std::uint64_t{1} << size_class) - (b - cached_top_)) {
      if (++size_class == k_classes) throw std::bad_alloc();
    }
    if (size_class == own_ring_.size_class) return;
    ring* const larger = open_ring(size_class);
    for (index i = cached_top_; i != b; ++i) {
      const Item item = own_ring_.at(i).load(std::memory_order_relaxed);  // owner-only
      larger->at(i).store(item, std::memory_order_relaxed);               // ordered by [Q10]
    }
    own_ring_ = *larger;
    // [Q10] release store: publishes the copied slots → [Q7] in `steal_one`.
    ring_.store(larger, std::memory_order_release);
  }

  // Accessed by any thread.
  alignas(k_no_sharing_bytes) typename A::template atomic<index> top_;
  // Written by the owner, read by any thread.
  alignas(k_no_sharing_bytes) typename A::template atomic<index> bottom_;
  typename A::template atomic<ring*> ring_;
  // Immutable.
  std::uint32_t smallest_class_;
  // Owner only.
  ring own_ring_;     // a copy of *ring_: saves one indirection per slot
  index cached_top_;  // at most top_: the owner knows that the slots of all indices below it are free
  ring* rings_[k_classes] = {};
};

// The owner's side. Copies of the handle are the same owner: one thread at a time.
template <class Item, class A>
class deque<Item, A>::owner_handle {
 public:
  // Throws std::bad_alloc without any effect if the deque must grow and cannot.
  void push(Item item) {
    deque& d = *deque_;
    const index b = d.bottom_.load(std::memory_order_relaxed);  // owner-only
    if (b - d.cached_top_ >= d.own_ring_.capacity()) d.make_room(1);
    d.own_ring_.at(b).store(item, std::memory_order_relaxed);  // ordered by [Q1]
    // [Q1] release store: publishes the slot and its ring → [Q4] in `steal_one`.
    d.bottom_.store(b + 1, std::memory_order_release);
  }

  // Makes room for `count` further pushes, which then cannot throw.
  void reserve(std::uint64_t count) {
    deque& d = *deque_;
    const index b = d.bottom_.load(std::memory_order_relaxed);  // owner-only
    if (count > d.own_ring_.capacity() - (b - d.cached_top_)) d.make_room(count);
  }

  // The newest item.
  [[nodiscard]] std::optional<Item> pop() {
    deque& d = *deque_;
    const index b = d.bottom_.load(std::memory_order_relaxed) - 1;  // owner-only
    index t = d.top_.load(std::memory_order_relaxed);               // revalidated by [Q3]
    if (static_cast<difference>(b - t) < 0) return std::nullopt;    // exact: top_ never decreases (I1)

    // [Q2] release store: a thief that reads this value must still see the slots below it → [Q4] in `steal_one`.
    d.bottom_.store(b, std::memory_order_release);
    // [Q3] seq_cst fence: "publish bottom_, then read top_" here against "read top_, then read bottom_" in the thief
    // ↔ [Q5]. It forbids that both sides read the old value and take the same item.
    A::fence(std::memory_order_seq_cst);
    t = d.top_.load(std::memory_order_relaxed);  // ordered by [Q3]

    const auto left = static_cast<difference>(b - t);
    const Item item = d.own_ring_.at(b).load(std::memory_order_relaxed);  // owner-only
    if (left > 0) return item;                                            // (I5)

    bool is_won = false;
    if (left == 0) {
      // The last item: the owner races with the thieves for it.
      // Relaxed, ordered by [Q3]: a thief that reads the new top_ sees the bottom_ stored above, by the two fences.
      is_won = d.top_.compare_exchange(t, t + 1, std::memory_order_relaxed, std::memory_order_relaxed);
    }
    // [Q6] release store: as every store to bottom_ → [Q4] in `steal_one`. unobservable: the deque is empty here, so a
    // thief that reads this value and computes a positive size has read an old top_ and fails at [Q8].
    d.bottom_.store(b + 1, std::memory_order_release);
    // No named optional: g++ 12 builds one in memory by partial stores, and the load of the whole cannot be forwarded.
    if (is_won) return item;
    return std::nullopt;
  }

  // The oldest item, for an owner that works in FIFO order. Unlike a thief's steal it never returns `lost`: if a thief
  // takes the item, it tries the next one.
  [[nodiscard]] std::optional<Item> pop_oldest() {
    deque& d = *deque_;
    const index b = d.bottom_.load(std::memory_order_relaxed);  // owner-only
    index t = d.top_.load(std::memory_order_relaxed);           // revalidated by [Q8], done by the owner below
    while (static_cast<difference>(b - t) > 0) {
      const Item item = d.own_ring_.at(t).load(std::memory_order_relaxed);  // owner-only
      // Relaxed, ordered by [Q3]: only a pop lowers bottom_, and it has fenced.
      if (d.top_.compare_exchange(t, t + 1, std::memory_order_relaxed, std::memory_order_relaxed)) return item;
    }
    return std::nullopt;
  }

  // Called by an owner that falls asleep: if the deque is empty and has grown, returns to the smallest ring and
  // releases the pages of the larger ones. True if it did.
  //
  // No thief can take an item from a discarded ring. Let top_ = bottom_ = t. Every index that held an item so far lies
  // below t, so a thief that still holds the old ring holds an index below top_ and fails; a thief that sees an item at
  // t or above has seen a later push, and with it the new ring (I4).
  bool trim() {
    deque& d = *deque_;
    if (d.own_ring_.size_class == d.smallest_class_) return false;
    const index b = d.bottom_.load(std::memory_order_relaxed);      // owner-only
    if (d.top_.load(std::memory_order_relaxed) != b) return false;  // owner-only: an empty deque's top_ is the owner's
    d.cached_top_ = b;
    ring* const smallest = d.rings_[d.smallest_class_];
    d.own_ring_ = *smallest;
    // Ordered by [Q1]: the smallest ring is as old as the deque, and its later items are published by a push.
    d.ring_.store(smallest, std::memory_order_relaxed);
    for (std::uint32_t c = d.smallest_class_ + 1; c != k_classes; ++c) {
      if (d.rings_[c] != nullptr) A::discard(d.rings_[c]->slots, d.rings_[c]->capacity());
    }
    return true;
  }

  [[nodiscard]] std::uint64_t size_hint() const { return deque_->size_hint(); }
  [[nodiscard]] std::size_t capacity() const { return deque_->own_ring_.capacity(); }

 private:
  friend deque;
  explicit owner_handle(deque& d) : deque_{&d} {}

  deque* deque_;
};

// A thief's side, for any thread but the owner's.
template <class Item, class A>
class deque<Item, A>::thief_handle {
 public:
  // The oldest item.
  [[nodiscard]] steal_result<Item> steal() { return steal_one(); }

  // Steals up to half of the items, at most `limit` and at least one: returns the oldest and moves the others to the
  // thief's own deque in their order. Makes room before it takes any item, so an exception has no effect.
  [[nodiscard]] steal_batch_result<Item> steal_half(owner_handle into, std::uint32_t limit) {
    const std::uint64_t half = (deque_->size_hint() + 1) / 2;
    return steal_some(into, half < limit ? static_cast<std::uint32_t>(half) : limit);
  }

  // The same for up to `count` items. They are taken one by one: the owner may pop any item but the last one without a
  // compare-exchange, so a thief cannot claim several at once.
  [[nodiscard]] steal_batch_result<Item> steal_some(owner_handle into, std::uint32_t count) {
    FILCH_ASSERT(into.deque_ != deque_, "a deque cannot be robbed by its own owner");
    if (count > 1) into.reserve(count - 1);
    const steal_result<Item> first = steal_one();
    steal_batch_result<Item> result{first.status, first.item, 0};
    while (result.is_taken() && result.moved + 1 < count) {
      const steal_result<Item> further = steal_one();
      if (!further.is_taken()) break;
      into.push(further.item);
      ++result.moved;
    }
    return result;
  }

  [[nodiscard]] std::uint64_t size_hint() const { return deque_->size_hint(); }

 private:
  friend deque;
  explicit thief_handle(deque& d) : deque_{&d} {}

  steal_result<Item> steal_one() {
    deque& d = *deque_;
    index t = d.top_.load(std::memory_order_relaxed);  // ordered by [Q5]
    // [Q5] seq_cst fence: "read top_, then read bottom_", the thief's half of ↔ [Q3] in `pop`.
    A::fence(std::memory_order_seq_cst);
    // [Q4] acquire load: observes the slots below bottom_ and their ring ← [Q1] ← [Q2] ← [Q6].
    const index b = d.bottom_.load(std::memory_order_acquire);
    if (static_cast<difference>(b - t) <= 0) return {steal_status::empty, {}};
    // [Q7] acquire load: observes the slots of a ring that is newer than the one that [Q4] observed ← [Q10].
    const ring* r = d.ring_.load(std::memory_order_acquire);
    // Reads the item before the claim: afterwards the owner may reuse the slot.
    const Item item = r->at(t).load(std::memory_order_relaxed);  // revalidated by [Q8]
    // [Q8] release on success: the read of the slot above happens before the owner's next write to it → [Q9] in
    // `make_room`. Relaxed on failure, revalidated by [Q8] of the next attempt. unobservable: as [Q9].
    if (!d.top_.compare_exchange(t, t + 1, std::memory_order_release, std::memory_order_relaxed)) {
      return {steal_status::lost, {}};
    }
    return {steal_status::taken, item};
  }

  deque* deque_;
};

}  // namespace filch::inline v0::queue
