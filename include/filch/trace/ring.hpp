// A bounded ring of fixed-size items from one writer to one reader, which may run at the same time.
//
// kernel: ring<Words, A> is checked by the model checker with its own atomics policy A.
//
// The writer never waits. When the ring is full it either refuses the new item (`refuse_new`) or overwrites the oldest
// one (`overwrite_old`); in the second case the reader notices what it missed and counts it.
//
// Who may call what: the writer append(); the reader take() and lost(). One thread at a time in each role; a role may
// pass to another thread with a happens-before between the two.
//
//   (I1) Item number n lies in slot n mod capacity, as words. head_ is the number of complete items.
//   (I2) reserved_ is head_ or head_ + 1. Slots of items below reserved_ - capacity may hold something newer.
//   (I3) refuse_new: head_ - tail_ <= capacity, so the slot that append() writes is never one that take() may read.
//   (I4) overwrite_old: an item that take() returns was not overwritten while it was read.
//   (I5) appended = taken + lost + still in the ring, where "lost" counts what the reader found overwritten.
//
// Why (I4). The writer announces an overwrite in reserved_ before it touches the slot, the reader looks at reserved_
// after it has read the slot:
//
//   append()                         take()
//   1. reserved_ = n + 1             1. read the slot of item m = n - capacity
//   2. fence [T2]                    2. fence [T5]
//   3. write the slot of item n      3. read reserved_; keep the item only if m >= reserved_ - capacity
//
// If 1 on the right sees any word of 3 on the left, the fences make 3 on the right see 1 on the left, and the item is
// thrown away. The words are atomic with relaxed order, so the torn read that is thrown away is no data race.
//
// [T1] and [T4] keep a slot's next write behind its last read. The words being atomic, only an execution in which a
// load sees a store that comes after it could break that; C++20 allows it, the model checker does not produce it.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace filch::inline v0::trace {

// What a full ring does with one more item.
enum class when_full : std::uint8_t {
  refuse_new,     // the beginning of a run is kept
  overwrite_old,  // the end of a run is kept: a flight recorder
};

// An item of a ring: whole words, because that is what the ring copies. A user's type with narrower fields is packed
// in registers before: written narrow and read back wide it would wait for the store buffer.
template <std::size_t Words>
struct ring_item {
  std::uint64_t at[Words];
};

template <std::size_t Words, class A = std_atomics>
class ring {
 public:
  using item = ring_item<Words>;

  // `capacity` is a power of two. Throws std::bad_alloc. `first` is the number of the first item: tests start near the
  // end of the range.
  ring(std::size_t capacity, when_full full, std::uint64_t first = 0)
      : capacity_{capacity}, full_{full}, words_{A::template make_array<word>(capacity * Words)} {
    FILCH_ASSERT(std::has_single_bit(capacity), capacity);
    head_.store(first, std::memory_order_relaxed);      // before publication
    reserved_.store(first, std::memory_order_relaxed);  // before publication
    tail_.store(first, std::memory_order_relaxed);      // before publication
    seen_tail_.set(first);
    seen_head_.set(first);
  }
  ~ring() { A::destroy_array(words_, capacity_ * Words); }
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  // Writer. False: the ring is full and refuses; the item is not stored.
  [[nodiscard]] bool append(const item& in) {
    const std::uint64_t n = head_.load(std::memory_order_relaxed);  // owner-only
    if (full_ == when_full::refuse_new) {
      if (n - seen_tail_.get() == capacity_) {
        // [T1] acquire load: the reader is done with the slots below → [T4] in take(). unobservable: see the head.
        seen_tail_.set(tail_.load(std::memory_order_acquire));
        if (n - seen_tail_.get() == capacity_) return false;
      }
    } else {
      reserved_.store(n + 1, std::memory_order_relaxed);  // ordered by [T2]
      // [T2] release fence: a reader of a word stored below also sees the announcement above → [T5] in take().
      A::fence(std::memory_order_release);
    }
    write(slot_of(n), in, std::make_index_sequence<Words>{});
    // [T3] release store: publishes the slot above → [T6] in take().
    head_.store(n + 1, std::memory_order_release);
    return true;
  }

  // Reader. The next item; false: there is none now, and `out` may have changed.
  [[nodiscard]] bool take(item& out) {
    std::uint64_t m = tail_.load(std::memory_order_relaxed);  // owner-only
    for (;;) {
      if (!is_before(m, seen_head_.get())) {
        // [T6] acquire load: the slots below are complete → [T3] in append().
        seen_head_.set(head_.load(std::memory_order_acquire));
        // After a skip even this value may lie below m: what reserved_ showed is not ordered with head_.
        if (!is_before(m, seen_head_.get())) return false;
      }
      read(slot_of(m), out, std::make_index_sequence<Words>{});
      if (full_ == when_full::overwrite_old) {
        // [T5] acquire fence: if a word above is newer, the load below sees its announcement → [T2] in append().
        A::fence(std::memory_order_acquire);
        const std::uint64_t reserved = reserved_.load(std::memory_order_relaxed);  // ordered by [T5]
        const std::uint64_t oldest = reserved - capacity_;
        if (is_before(m, oldest)) {
          lost_.set(lost_.get() + (oldest - m));
          m = oldest;
          tail_.store(m, std::memory_order_relaxed);  // owner-only
          continue;
        }
      }
      // [T4] release store: the slot has been read and may be written again → [T1] in append(). unobservable: see the
      // head.
      tail_.store(m + 1, std::memory_order_release);
      return true;
    }
  }

  // Reader. How many items take() found overwritten so far.
  [[nodiscard]] std::uint64_t lost() const { return lost_.get(); }

 private:
  using word = typename A::template atomic<std::uint64_t>;

  // Item numbers may wrap around.
  static bool is_before(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b) < 0; }
  word* slot_of(std::uint64_t n) const { return words_ + (static_cast<std::size_t>(n) & (capacity_ - 1)) * Words; }

  // Without a loop, so that an item made of registers goes to its slot from there.
  template <std::size_t... I>
  static void write(word* slot, const item& in, std::index_sequence<I...>) {
    (slot[I].store(in.at[I], std::memory_order_relaxed), ...);  // ordered by [T3]
  }
  template <std::size_t... I>
  static void read(const word* slot, item& out, std::index_sequence<I...>) {
    ((out.at[I] = slot[I].load(std::memory_order_relaxed)), ...);  // revalidated by [T5]
  }

  // Immutable.
  const std::size_t capacity_;
  const when_full full_;
  word* const words_;

  // Written by the writer.
  alignas(k_no_sharing_bytes) typename A::template atomic<std::uint64_t> head_;
  typename A::template atomic<std::uint64_t> reserved_;
  typename A::template var<std::uint64_t> seen_tail_;  // writer only

  // Written by the reader.
  alignas(k_no_sharing_bytes) typename A::template atomic<std::uint64_t> tail_;
  typename A::template var<std::uint64_t> seen_head_;  // reader only
  typename A::template var<std::uint64_t> lost_;       // reader only
};

}  // namespace filch::inline v0::trace
