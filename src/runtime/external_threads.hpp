// The slots of external threads: threads that are no workers and take part while they join, and threads whose task blocks and
// which hold no worker meanwhile.
//
// Who may call what: `for_each` any thread; the others the external thread.
#pragma once

#include "share/share_point.hpp"

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace filch::inline v0 {

struct external_slot {
  external_slot(runtime::core& of, bool may_visit) : home{of}, point{may_visit} {}

  runtime::core& home;
  share_point point;
  // The list of latent frames is the one of these whose place in a page is that of the external thread's frames before the first:
  // see work_stack. They fill a page.
  static constexpr std::size_t k_places = 32;
  struct alignas(128) place {
    latent_stack stack;
  };
  static_assert(sizeof(place) == 128);
  std::unique_ptr<place[]> places{new place[k_places]};
  latent_stack* stack = nullptr;  // chosen at each visit
  [[nodiscard]] latent_stack& stack_near(std::uintptr_t frame) const {
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(places.get());
    return places[(frame - first) / sizeof(place) % k_places].stack;
  }
  // Odd: the external thread is inside a join. Written by the external thread, read by the monitor thread.
  std_atomics::atomic<std::uint64_t> visits{0};
  // Not 0: the external thread waits or blocks. Written by the external thread.
  std_atomics::atomic<std::uint32_t> waits{0};
  // Does the external thread use a processor, as far as filch knows?
  [[nodiscard]] bool computes() const {
    // hint
    return visits.load(std::memory_order_relaxed) % 2 != 0 && waits.load(std::memory_order_relaxed) == 0;
  }
  bool is_taken = false;  // guarded by the hall's mutex
};

class external_threads {
 public:
  static constexpr std::uint32_t k_seats = 64;  // guess: more threads than this that join at once go through a worker

  explicit external_threads(runtime::core& of) : home_{of} {}

  // The calling thread's slot, which it keeps until it ends or leaves it; nullptr: there is none left, no memory, or
  // the thread is ending.
  [[nodiscard]] external_slot* slot_for_thread() noexcept;
  // nullptr: it has none.
  [[nodiscard]] static external_slot* slot_of_thread() noexcept;
  // The thread has one, and is inside no join.
  void give_slot_back() noexcept;

  // A task has given its worker away, and blocks, or runs code that may block: workers may take what lies on its stack.
  // Does nothing while forks are recorded, as their tasks need a worker.
  void enter_blocked(latent_stack& stack, task_id task) noexcept;
  void rise() noexcept;

  // The slots that were ever taken.
  template <class Visit>
  void for_each(const Visit& visit) const {
    // [H2] acquire load: the slots are complete ← [H1].
    const std::uint32_t count = opened_.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i != count; ++i) visit(*seats_[i]);
  }

 private:
  runtime::core& home_;
  std::mutex mutex_;
  external_slot* seats_[k_seats] = {};  // written under mutex_ before the slot is opened
  std::deque<external_slot> made_;      // guarded by mutex_
  std_atomics::atomic<std::uint32_t> opened_{0};
};

// The calling thread is about to wait or to block: if it is a external thread, a worker may take its place until come_back() with
// what this has returned. Null: it is no external thread.
[[nodiscard]] external_slot* leave_place() noexcept;
void come_back(external_slot* slot) noexcept;

// While it lives, the calling thread waits.
class external_wait {
 public:
  external_wait() noexcept : slot_{leave_place()} {}
  external_wait(const external_wait&) = delete;
  external_wait& operator=(const external_wait&) = delete;
  ~external_wait() { come_back(slot_); }

 private:
  external_slot* const slot_;
};

}  // namespace filch::inline v0
