// The slots of external threads: threads that are no workers and take part while they join, and threads whose task
// blocks and which hold no worker meanwhile.
//
// Who may call what: `for_each` and `is_any_computing` any thread; the others the external thread.
#pragma once

#include "fork_generation.hpp"

#include "share/share_point.hpp"

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace filch::inline v0 {

class external_threads;

struct external_slot {
  external_slot(external_threads& of_, share_host& host, const policy::demand& rules, bool can_visit)
      : of{of_}, point{host, rules, can_visit, task_number} {}

  external_threads& of;
  std_atomics::atomic<std::uint64_t> task_number{task_id::none().value};  // of a task that blocks
  share_point point;
  // The list of latent frames is the one of these whose place in a page is that of the thread's frames before the
  // first: then no frame of the first levels has the same place in a page as the list, which a processor would take for
  // the same address at first. They fill a page.
  static constexpr std::size_t k_places = 32;
  struct alignas(128) place {
    latent_stack stack;
  };
  static_assert(sizeof(place) == 128);
  std::unique_ptr<place[]> places{new place[k_places]};
  latent_stack* stack = nullptr;  // chosen at each section
  [[nodiscard]] latent_stack& stack_near(std::uintptr_t frame) const {
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(places.get());
    return places[(frame - first) / sizeof(place) % k_places].stack;
  }

  // Odd: the thread is inside a section. Written by the thread, read by the monitor thread.
  std_atomics::atomic<std::uint64_t> sections{0};
  // Not 0: the thread waits or blocks. Written by the thread.
  std_atomics::atomic<std::uint32_t> waits{0};
  [[nodiscard]] bool is_inside() const {
    return sections.load(std::memory_order_relaxed) % 2 != 0;  // ordered by [G1] or [I3], whichever the caller executed
  }
  // Inside, and it uses a processor, as far as filch knows.
  [[nodiscard]] bool computes() const {
    return is_inside() && waits.load(std::memory_order_relaxed) == 0;  // hint
  }
  void begin_section() {
    // ordered by [G2] in the call of the monitor thread
    sections.store(sections.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void end_section() {
    sections.store(sections.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // hint
  }
  bool is_taken = false;  // guarded by the mutex of `of`
};

class external_threads {
 public:
  // More threads than this that join at once go through a worker (guess).
  static constexpr std::uint32_t k_slots = 64;

  external_threads(share_host& host, const policy::demand& rules, bool can_visit)
      : host_{host}, rules_{rules}, can_visit_{can_visit} {}
  external_threads(const external_threads&) = delete;
  external_threads& operator=(const external_threads&) = delete;

  // The calling thread's slot, which it keeps until it ends or gives it back; nullptr: there is none left, no memory,
  // or the thread is ending.
  [[nodiscard]] external_slot* slot_for_thread() noexcept;
  // nullptr: it has none.
  [[nodiscard]] static external_slot* slot_of_thread() noexcept;
  // The thread has one, and is inside no section.
  static void give_slot_back() noexcept;

  // The slots that were ever taken.
  template <class Visit>
  void for_each(const Visit& visit) const {
    // [H2] acquire load: the slots are complete ← [H1].
    const std::uint32_t count = opened_.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i != count; ++i) visit(*slots_[i]);
  }
  [[nodiscard]] bool is_any_computing() const {
    bool is_any = false;
    for_each([&](const external_slot& slot) { is_any |= slot.computes(); });
    return is_any;
  }

 private:
  friend struct gives_slot_back_at_end;

  share_host& host_;
  const policy::demand& rules_;
  const bool can_visit_;
  const std::uint32_t fork_generation_ = fork_generation();
  std::mutex mutex_;
  external_slot* slots_[k_slots] = {};  // written under mutex_ before the slot is opened
  std::deque<external_slot> made_;      // guarded by mutex_
  std_atomics::atomic<std::uint32_t> opened_{0};
};

}  // namespace filch::inline v0
