// How many workers have announced their sleep and are still awake: they flush deferred requests.
// kernel: light headers only
//
// Who may call what: `begin` and `end` a worker that lingers; the others any thread.
// Forbidden is that a deferred request is left to a worker that no longer looks:
//
//   thread that defers                     worker that lingers
//   defer the request                      stop to linger
//   [L27] fence                            [L26] fence
//   look whether a worker lingers          look whether a request is deferred
//
// Of two such lists at least one sees the first step of the other.
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
  // The caller looks once more after this whether a request is deferred.
  void end() {
    count_.fetch_sub(1, std::memory_order_relaxed);  // ordered by [L26]
    // [L26] seq_cst fence: "stop to linger, then look what is deferred" against "defer, then look for lingering
    // workers" ↔ [L27].
    A::fence(std::memory_order_seq_cst);
  }
  // As a hint.
  [[nodiscard]] bool is_anybody() const {
    return count_.load(std::memory_order_relaxed) != 0;  // hint
  }
  // After a request was deferred: true says that a worker that lingers will see it.
  [[nodiscard]] bool is_seen_to() const {
    // [L27] seq_cst fence: "defer, then look for lingering workers" against "stop to linger, then look what is
    // deferred" ↔ [L26].
    A::fence(std::memory_order_seq_cst);
    return count_.load(std::memory_order_relaxed) != 0;  // ordered by [L27]
  }

 private:
  typename A::template atomic<std::uint32_t> count_{0};
};

}  // namespace filch::inline v0
