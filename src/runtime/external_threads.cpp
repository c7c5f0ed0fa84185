#include "external_threads.hpp"

#include <new>
#include <utility>

namespace filch::inline v0 {
namespace {

constinit thread_local external_slot* slot_taken = nullptr;
// The thread ends: what its last destructors join runs on a worker, since no later moment would give its slot back.
constinit thread_local bool has_left = false;

}  // namespace

struct gives_slot_back_at_end {
  ~gives_slot_back_at_end() {
    has_left = true;
    // In a copy of the process the thread that locked the mutex may be missing.
    if (slot_taken != nullptr && slot_taken->of.fork_generation_ == fork_generation())
      external_threads::give_slot_back();
  }
};

external_slot* external_threads::slot_of_thread() noexcept { return slot_taken; }

external_slot* external_threads::slot_for_thread() noexcept {
  if (slot_taken != nullptr) return slot_taken;
  if (has_left) return nullptr;
  try {
    const std::lock_guard lock{mutex_};
    external_slot* chosen = nullptr;
    for (external_slot& each : made_) {
      if (!each.is_taken) chosen = &each;
    }
    if (chosen == nullptr) {
      if (made_.size() == k_slots) return nullptr;
      chosen = &made_.emplace_back(*this, host_, rules_, can_visit_);
      slots_[made_.size() - 1] = chosen;
      // [H1] release store: publishes the slot → [H2].
      opened_.store(static_cast<std::uint32_t>(made_.size()), std::memory_order_release);
    }
    thread_local gives_slot_back_at_end at_end;
    (void)at_end;
    chosen->is_taken = true;
    slot_taken = chosen;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return slot_taken;
}

void external_threads::give_slot_back() noexcept {
  external_slot& slot = *std::exchange(slot_taken, nullptr);
  const std::lock_guard lock{slot.of.mutex_};
  slot.is_taken = false;
}

}  // namespace filch::inline v0
