// The global free list: batches of free memory that one worker leaves and another takes.
// kernel: light headers only
//
// A fixed number of slots, each empty or with one batch. A batch is put into an empty slot by a compare-exchange and
// taken by an exchange, so no thread reads a batch that it does not own, and a reused address does no harm (no ABA).
// The list is bounded: the caller frees a batch for which there is no slot.
//
// Who may call what: any thread.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <cstdint>

namespace filch::inline v0::coro {

template <class Batch, std::size_t Slots, class A = std_atomics>
class global_free_list {
 public:
  // False: there is no empty slot, and the batch stays with the caller.
  [[nodiscard]] bool put(Batch* batch) {
    for (auto& slot : slots_) {
      if (slot.load(std::memory_order_relaxed) != nullptr) continue;  // revalidated by [C2]
      Batch* expected = nullptr;
      // [C2] release on success: publishes the batch → [C3]. Relaxed on failure: the other batch in the slot is not
      // read, ordered by [C3] for the thread that takes it.
      if (slot.compare_exchange(expected, batch, std::memory_order_release, std::memory_order_relaxed)) {
        count_.fetch_add(1, std::memory_order_relaxed);  // hint
        return true;
      }
    }
    return false;
  }

  // Null: the list is empty, or the put of its only batch is not counted yet.
  [[nodiscard]] Batch* take() {
    if (count_.load(std::memory_order_relaxed) == 0) return nullptr;  // hint: saves a scan of all slots
    for (auto& slot : slots_) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;  // revalidated by [C3]
      // [C3] acquire exchange: observes the complete batch ← [C2].
      if (Batch* const batch = slot.exchange(nullptr, std::memory_order_acquire)) {
        count_.fetch_sub(1, std::memory_order_relaxed);  // hint
        return batch;
      }
    }
    return nullptr;
  }

 private:
  typename A::template atomic<Batch*> slots_[Slots];
  // briefly below 0 if a batch is taken before its put is counted
  typename A::template atomic<std::int32_t> count_{0};
};

}  // namespace filch::inline v0::coro
