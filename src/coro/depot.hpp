// Where workers leave batches of free memory that others may take.
// kernel: light headers only
//
// A few slots, each with a batch or empty. A batch is put where a slot is empty and taken by an exchange, so nobody
// ever looks into a batch that it does not own, and an address that comes again confuses nobody. What finds no slot is
// the caller's to free: the depot is bounded.
//
// Who may call what: any thread.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <cstdint>

namespace filch::inline v0::coro {

template <class Batch, std::size_t Slots, class A = std_atomics>
class depot {
 public:
  // False: there is no room, and the batch stays with the caller.
  [[nodiscard]] bool put(Batch* batch) {
    for (auto& slot : slots_) {
      if (slot.load(std::memory_order_relaxed) != nullptr) continue;  // revalidated by [C2]
      Batch* expected = nullptr;
      // [C2] release on success: hands over the batch → [C3]. Relaxed on failure: somebody else's batch is not looked
      // at, ordered by [C3] for who takes it.
      if (slot.compare_exchange(expected, batch, std::memory_order_release, std::memory_order_relaxed)) {
        count_.fetch_add(1, std::memory_order_relaxed);  // hint
        return true;
      }
    }
    return false;
  }

  // Null: there is none, or the last was put only now.
  [[nodiscard]] Batch* take() {
    if (count_.load(std::memory_order_relaxed) == 0) return nullptr;  // hint: the slots are many to look at
    for (auto& slot : slots_) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;  // revalidated by [C3]
      // [C3] acquire exchange: the batch is complete ← [C2].
      if (Batch* const batch = slot.exchange(nullptr, std::memory_order_acquire)) {
        count_.fetch_sub(1, std::memory_order_relaxed);  // hint
        return batch;
      }
    }
    return nullptr;
  }

 private:
  typename A::template atomic<Batch*> slots_[Slots];
  // below 0 for a moment, if a batch is taken before it is counted
  typename A::template atomic<std::int32_t> count_{0};
};

}  // namespace filch::inline v0::coro
