#include "external_threads.hpp"

#include "core.hpp"

#include <filch/runtime/external_section.hpp>

#include <pthread.h>

#include <cstdio>
#include <new>
#include <system_error>
#include <utility>

namespace filch::inline v0 {
namespace {

struct stack_bounds {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
};

constinit thread_local external_slot* slot_taken = nullptr;
// The thread ends: what its last destructors join runs on a worker, since nobody would give its slot back.
constinit thread_local bool has_left = false;

// Gives the slot back when the thread ends.
struct leaves_at_end {
  ~leaves_at_end() {
    has_left = true;
    // In a copy of the process nobody may be left to unlock the hall.
    if (slot_taken != nullptr && !slot_taken->home.is_forked_child()) slot_taken->home.external().give_slot_back();
  }
};

stack_bounds find_bounds() {
  stack_bounds found;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return found;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (::pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    found.low = reinterpret_cast<std::uintptr_t>(low);
    found.high = found.low + bytes;
  }
  ::pthread_attr_destroy(&attributes);
  return found;
}

// Of the calling thread's own stack.
[[gnu::noinline]] const stack_bounds& bounds_of_thread() {
  static thread_local const stack_bounds bounds = find_bounds();
  return bounds;
}

// The first frame of a visit lies there.
void open_stack(latent_stack& stack, const stack_bounds& bounds, std::uintptr_t here) {
  // A program may run its code on stacks that it made itself: then nothing is known of their ends.
  const bool is_own_stack = here >= bounds.low && here < bounds.high;
  stack.lowest = is_own_stack ? bounds.low : 0;
  stack.low_mark = is_own_stack ? bounds.low + stack_reserve_bytes(bounds.high - bounds.low) : 0;
  stack.fork_limit.store(stack.low_mark, std::memory_order_relaxed);                 // statistic
  stack.join_limit.store(latent_stack::k_no_join_limit, std::memory_order_relaxed);  // statistic
}

// The default runtime; null if the system gives it not one thread. Who has learnt that does not try again for a while.
runtime* default_runtime_if_any() {
  constexpr time_ns k_between_attempts_ns = 100 * k_ns_per_ms;  // guess: an attempt takes some 100 µs
  static constinit std_atomics::atomic<time_ns> failed_ns{0};
  const time_ns last_ns = failed_ns.load(std::memory_order_relaxed);  // hint
  if (last_ns != 0 && monotonic_now_ns() - last_ns < k_between_attempts_ns) return nullptr;
  try {
    return &default_runtime();
  } catch (const std::system_error& refused) {
    // hint
    if (failed_ns.exchange(monotonic_now_ns(), std::memory_order_relaxed) == 0) {
      std::fprintf(stderr, "%s. Joins and loops outside of a runtime run on their own thread alone.\n", refused.what());
    }
    return nullptr;
  }
}

// Where a thread joins while there is no runtime. Nobody asks here, so nothing is offered.
latent_stack& lone_stack(std::uintptr_t here) {
  thread_local latent_stack stack;
  open_stack(stack, bounds_of_thread(), here);
  stack.is_private = true;
  return stack;
}

}  // namespace

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
      if (made_.size() == k_seats) return nullptr;
      chosen = &made_.emplace_back(home_, home_.may_visit());
      seats_[made_.size() - 1] = chosen;
      // [H1] release store: publishes the slot → [H2].
      opened_.store(static_cast<std::uint32_t>(made_.size()), std::memory_order_release);
    }
    thread_local leaves_at_end at_end;
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
  const std::lock_guard lock{mutex_};
  slot.is_taken = false;
}

void external_threads::enter_blocked(latent_stack& stack, task_id task) noexcept {
  if (home_.records_forks()) return;
  external_slot* const slot = slot_for_thread();
  if (slot == nullptr) return;
  slot->waits.store(1, std::memory_order_relaxed);  // owner-only
  slot->point.lock.lock();                          // another thread may visit what the last external thread has left
  slot->stack = &stack;
  slot->point.task_number.store(task.value, std::memory_order_relaxed);  // hint
  slot->point.listen(&stack, has_latent_work(stack));
  slot->point.lock.unlock();
  // ordered by [G2] in the call
  slot->visits.store(slot->visits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  home_.call_monitor();
}

void external_threads::rise() noexcept {
  external_slot* const slot = slot_taken;
  if (slot == nullptr || slot->visits.load(std::memory_order_relaxed) % 2 == 0) return;             // owner-only
  slot->visits.store(slot->visits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // hint
  slot->point.leave();
  slot->stack = nullptr;
  slot->point.task_number.store(task_id::none().value, std::memory_order_relaxed);  // hint
  slot->waits.store(0, std::memory_order_relaxed);                                  // owner-only
  give_slot_back();  // a thread of the crew lives as long as the runtime: external threads would find no slot left
}

external_slot* leave_place() noexcept {
  external_slot* const slot = external_threads::slot_of_thread();
  if (slot == nullptr || slot->visits.load(std::memory_order_relaxed) % 2 == 0) return nullptr;  // owner-only
  const std::uint32_t before = slot->waits.load(std::memory_order_relaxed);                      // owner-only
  slot->waits.store(before + 1, std::memory_order_relaxed);                                      // owner-only
  if (before == 0 && slot->home.idle().sleeping_hint() != 0) slot->home.call_monitor();
  return slot;
}

void come_back(external_slot* slot) noexcept {
  if (slot == nullptr) return;
  slot->waits.store(slot->waits.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);  // owner-only
}

namespace detail {

external_section::external_section(outside_work how) : slot_{nullptr} {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const runtime* const found = default_runtime_if_any();
  if (found == nullptr) {
    is_alone_ = true;
    running_latent_stack = &lone_stack(here);
    return;
  }
  runtime::core& home = *found->core_;
  // While forks are recorded a worker runs the join, so that it is part of a task.
  if (home.is_forked_child() || home.records_forks()) return;
  slot_ = home.external().slot_for_thread();
  if (slot_ == nullptr) return;
  latent_stack& stack = slot_->stack_near(here);
  const bool is_asked =
      how == outside_work::worth_it && home.idle().sleeping_hint() + home.idle().searching_hint() != 0;
  slot_->point.lock.lock();  // somebody may visit what the last external thread has left
  open_stack(stack, bounds_of_thread(), here);
  slot_->stack = &stack;
  slot_->point.listen(&stack, is_asked);
  slot_->point.lock.unlock();
  running_latent_stack = &stack;
  // ordered by [G2] in the call
  slot_->visits.store(slot_->visits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  home.call_monitor();
}

external_section::~external_section() {
  if (!has_begun()) return;
  running_latent_stack = &no_latent_stack;
  if (is_alone_) return;
  slot_->visits.store(slot_->visits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // hint
}

}  // namespace detail
}  // namespace filch::inline v0
