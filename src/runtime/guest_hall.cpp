#include "guest_hall.hpp"

#include "core.hpp"

#include <filch/runtime/guest.hpp>

#include <pthread.h>

#include <new>
#include <utility>

namespace filch::inline v0 {
namespace {

constinit thread_local guest_seat* seat_taken = nullptr;

// Gives the seat back when the thread ends.
struct leaves_at_end {
  guest_hall& hall;
  ~leaves_at_end() {
    if (guest_seat* const seat = std::exchange(seat_taken, nullptr)) hall.leave(*seat);
  }
};

void find_stack_bounds(guest_seat& seat) {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (::pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    seat.stack_low = reinterpret_cast<std::uintptr_t>(low);
    seat.stack_high = seat.stack_low + bytes;
  }
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

guest_seat* guest_hall::seat_of_thread() noexcept { return seat_taken; }

guest_seat* guest_hall::seat_for_thread() noexcept {
  if (seat_taken != nullptr) return seat_taken;
  try {
    const std::lock_guard lock{mutex_};
    guest_seat* chosen = nullptr;
    for (guest_seat& each : made_) {
      if (!each.is_taken) chosen = &each;
    }
    if (chosen == nullptr) {
      if (made_.size() == k_seats) return nullptr;
      chosen = &made_.emplace_back(home_, home_.may_interrupt());
      seats_[made_.size() - 1] = chosen;
      // [H1] release store: publishes the seat → [H2].
      opened_.store(static_cast<std::uint32_t>(made_.size()), std::memory_order_release);
    }
    thread_local const leaves_at_end at_end{*this};
    (void)at_end;
    chosen->is_taken = true;
    find_stack_bounds(*chosen);
    seat_taken = chosen;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return seat_taken;
}

void guest_hall::leave(guest_seat& seat) noexcept {
  const std::lock_guard lock{mutex_};
  seat.is_taken = false;
}

namespace detail {

guest_visit::guest_visit(outside_work how) : seat_{nullptr} {
  runtime::core& home = *default_runtime().core_;
  // While forks are recorded a worker runs the join, so that it is part of a task.
  if (home.is_forked_child() || home.records_forks()) return;
  seat_ = home.guests().seat_for_thread();
  if (seat_ == nullptr) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  latent_stack& stack = seat_->stack_near(here);
  // A program may run its code on stacks that it made itself: then nothing is known of their ends.
  const bool is_own_stack = here >= seat_->stack_low && here < seat_->stack_high;
  stack.low_mark = is_own_stack ? seat_->stack_low + stack_reserve_bytes(seat_->stack_high - seat_->stack_low) : 0;
  stack.alarm.store(stack.low_mark, std::memory_order_relaxed);             // statistic
  stack.watch.store(latent_stack::k_unwatched, std::memory_order_relaxed);  // statistic
  seat_->stack = &stack;
  const bool is_asked =
      how == outside_work::worth_it && home.idle().sleeping_hint() + home.idle().searching_hint() != 0;
  seat_->desk.listen(&stack, is_asked);
  running_latent_stack = &stack;
  // ordered by [G2] in the call
  seat_->visits.store(seat_->visits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  home.look_out();
}

guest_visit::~guest_visit() {
  if (seat_ == nullptr) return;
  running_latent_stack = &no_latent_stack;
  seat_->visits.store(seat_->visits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // statistic
}

}  // namespace detail
}  // namespace filch::inline v0
