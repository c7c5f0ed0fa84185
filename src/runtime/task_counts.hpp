// How many tasks were made and how many are finished, kept by each worker apart, so that "everything is done" can be
// found out without a word that all workers write.
// kernel: light headers only
//
// Who may call what: `made` and `finished` the holder of the worker it belongs to; `add_made` and `add_finished`
// of the counts of external threads any thread; reading any thread.
//
// Why `is_balanced` is right: finished is summed up before made. Both only grow, and at no moment is more finished than
// made. So sum of finished ≤ finished at any moment between the two readings ≤ made at that moment ≤ sum of made, and
// if the two sums are equal, everything made was finished at that moment.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

template <class A = std_atomics>
class task_counts {
 public:
  // The number of tasks made so far, before this one.
  std::uint64_t made() {
    const std::uint64_t before = made_.load(std::memory_order_relaxed);  // owner-only
    made_.store(before + 1, std::memory_order_relaxed);                  // ordered by [R4]
    return before;
  }
  void finished() {
    const std::uint64_t before = finished_.load(std::memory_order_relaxed);  // owner-only
    // [R4] release store: whatever the task did, above all what it made, comes before → [R5].
    finished_.store(before + 1, std::memory_order_release);
  }

  // The same for threads that are no workers: several at a time.
  std::uint64_t add_made() {
    return made_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R4]: its end comes after it
  }
  void add_finished() {
    // [R6] release fetch_add: as [R4] → [R5].
    finished_.fetch_add(1, std::memory_order_release);
  }

  [[nodiscard]] std::uint64_t finished_so_far() const {
    // [R5] acquire load: what the tasks counted here made is counted below ← [R4] ← [R6].
    return finished_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t made_so_far() const {
    return made_.load(std::memory_order_relaxed);  // ordered by [R5]
  }

 private:
  typename A::template atomic<std::uint64_t> made_{0};
  typename A::template atomic<std::uint64_t> finished_{0};
};

// Is everything done that was made? `each(visit)` calls `visit` for all of them.
template <class Each>
[[nodiscard]] bool is_balanced(Each&& each) {
  std::uint64_t finished = 0;
  std::uint64_t made = 0;
  each([&](const auto& of) { finished += of.finished_so_far(); });
  each([&](const auto& of) { made += of.made_so_far(); });
  return finished == made;
}

}  // namespace filch::inline v0
