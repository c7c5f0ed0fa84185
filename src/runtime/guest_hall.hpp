// The seats of guests: threads that are no workers and take part while they join, and threads whose task blocks and
// which hold no worker meanwhile.
//
// Who may call what: `for_each` any thread; the others the guest.
#pragma once

#include "latent_desk.hpp"

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace filch::inline v0 {

struct guest_seat {
  guest_seat(runtime::core& of, bool may_visit) : home{of}, desk{may_visit} {}

  runtime::core& home;
  latent_desk desk;
  // The list of latent frames is the one of these whose place in a page is that of the guest's frames before the first:
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
  // Odd: the guest is inside a join. Written by the guest, read by the lookout.
  std_atomics::atomic<std::uint64_t> visits{0};
  // Not 0: the guest waits or blocks. Written by the guest.
  std_atomics::atomic<std::uint32_t> waits{0};
  // Does the guest use a processor, as far as filch knows?
  [[nodiscard]] bool computes() const {
    // hint
    return visits.load(std::memory_order_relaxed) % 2 != 0 && waits.load(std::memory_order_relaxed) == 0;
  }
  bool is_taken = false;  // guarded by the hall's mutex
};

class guest_hall {
 public:
  static constexpr std::uint32_t k_seats = 64;  // guess: more threads than this that join at once go through a worker

  explicit guest_hall(runtime::core& of) : home_{of} {}

  // The calling thread's seat, which it keeps until it ends or leaves it; nullptr: there is none left, no memory, or
  // the thread is ending.
  [[nodiscard]] guest_seat* seat_for_thread() noexcept;
  // nullptr: it has none.
  [[nodiscard]] static guest_seat* seat_of_thread() noexcept;
  // The thread has one, and is inside no join.
  void leave_seat() noexcept;

  // A task has given its worker away, and blocks, or runs code that may block: workers may take what lies on its stack.
  // Does nothing while forks are recorded, as their tasks need a worker.
  void sit_beside(latent_stack& stack, task_id task) noexcept;
  void rise() noexcept;

  // The seats that were ever taken.
  template <class Visit>
  void for_each(const Visit& visit) const {
    // [H2] acquire load: the seats are complete ← [H1].
    const std::uint32_t count = opened_.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i != count; ++i) visit(*seats_[i]);
  }

 private:
  runtime::core& home_;
  std::mutex mutex_;
  guest_seat* seats_[k_seats] = {};  // written under mutex_ before the seat is opened
  std::deque<guest_seat> made_;      // guarded by mutex_
  std_atomics::atomic<std::uint32_t> opened_{0};
};

// The calling thread is about to wait or to block: if it is a guest, a worker may take its place until come_back() with
// what this has returned. Null: it is no guest.
[[nodiscard]] guest_seat* leave_place() noexcept;
void come_back(guest_seat* seat) noexcept;

// While it lives, the calling thread waits.
class guest_waits {
 public:
  guest_waits() noexcept : seat_{leave_place()} {}
  guest_waits(const guest_waits&) = delete;
  guest_waits& operator=(const guest_waits&) = delete;
  ~guest_waits() { come_back(seat_); }

 private:
  guest_seat* const seat_;
};

}  // namespace filch::inline v0
