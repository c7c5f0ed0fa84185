#include <filch/runtime/task.hpp>

#include <filch/base/assert.hpp>

#include <cstdint>

namespace filch::inline v0 {

bool task_base::leave_pending(std::uint32_t to) {
  // Who may look at the task at all got it from a queue or a future, which brought its contents along; the exchange only
  // decides between them. Relaxed, ordered by [R2]: nothing but the result is handed over through the state.
  std::uint32_t seen = state_.load(std::memory_order_relaxed);
  while ((seen & k_status) == k_pending) {
    // ordered by [R2]
    if (state_.compare_exchange(seen, seen | to, std::memory_order_relaxed, std::memory_order_relaxed)) return true;
  }
  return false;
}

void task_base::finish(bool cancel) noexcept {
  if (!cancel) run();
  // [R1] release exchange: publishes the result → [R2].
  const std::uint32_t before = state_.exchange(cancel ? k_cancelled : k_done, std::memory_order_release);
  FILCH_ASSERT((before & k_status) == k_running, before);
  if ((before & k_awaited) != 0) std_atomics::futex_wake(state_, UINT32_MAX);
}

bool task_base::is_finished() const {
  // [R2] acquire load: the result is visible ← [R1].
  return (state_.load(std::memory_order_acquire) & k_done) != 0;
}

bool task_base::is_cancelled() const {
  return (state_.load(std::memory_order_relaxed) & k_status) == k_cancelled;  // ordered by [R2]
}

void task_base::block_until_finished() const { (void)block_until_finished(k_never_ns); }

bool task_base::block_until_finished(time_ns deadline_ns) const {
  while (!is_finished()) {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);  // revalidated by [R2]
    if ((seen & k_done) != 0) continue;
    // The bit says that finish() must wake somebody; set once, it stays. revalidated by [R2]
    if ((seen & k_awaited) == 0 &&
        !state_.compare_exchange(seen, seen | k_awaited, std::memory_order_relaxed, std::memory_order_relaxed)) {
      continue;
    }
    if (!std_atomics::futex_wait(state_, seen | k_awaited, deadline_ns)) return is_finished();
  }
  return true;
}

void task_base::add_reference() {
  references_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R3]
}

void task_base::release() noexcept {
  // [R3] acq_rel fetch_sub: whatever any holder did comes before the destruction ↔ [R3].
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace filch::inline v0
