// How many of those who have announced their sleep are awake still, and see to what was deferred.
// kernel: light headers only
//
// Who may call what: `begin` and `end` one who lingers; the others any thread.
// Forbidden is that what was deferred is left to one who no longer looks:
//
//   who owes                               who lingers
//   say that it was deferred                    say that it lingers no more
//   [L27] fence                            [L26] fence
//   look whether somebody lingers          look whether something was deferred
//
// Of two such lists at least one sees what the other has done first.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

template <class A = std_atomics>
class lingering_count {
 public:
  void begin() {
    count_.fetch_add(1, std::memory_order_relaxed);  // ordered by [L26]
  }
  // The caller looks once more after this whether something was deferred.
  void end() {
    count_.fetch_sub(1, std::memory_order_relaxed);  // ordered by [L26]
    // [L26] seq_cst fence: "linger no more, then look what was deferred" against "owe, then look who lingers" ↔ [L27].
    A::fence(std::memory_order_seq_cst);
  }
  // As a hint.
  [[nodiscard]] bool is_anybody() const {
    return count_.load(std::memory_order_relaxed) != 0;  // hint
  }
  // After something was owed: true says that one who lingers will see it.
  [[nodiscard]] bool is_seen_to() const {
    // [L27] seq_cst fence: "owe, then look who lingers" against "linger no more, then look what was deferred" ↔ [L26].
    A::fence(std::memory_order_seq_cst);
    return count_.load(std::memory_order_relaxed) != 0;  // ordered by [L27]
  }

 private:
  typename A::template atomic<std::uint32_t> count_{0};
};

}  // namespace filch::inline v0
