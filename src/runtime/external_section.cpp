#include <filch/runtime/external_section.hpp>

#include "core.hpp"

#include "share/owner.hpp"
#include "stack/fiber.hpp"

#include <pthread.h>

#include <cstdio>
#include <system_error>

namespace filch::inline v0 {
namespace {

struct stack_bounds {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
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

// The first frame of a section lies there.
void open_stack(latent_stack& stack, const stack_bounds& bounds, std::uintptr_t here) {
  // A program may run its code on stacks that it made itself: then nothing is known of their ends.
  const bool is_own_stack = here >= bounds.low && here < bounds.high;
  stack.lowest = is_own_stack ? bounds.low : 0;
  stack.low_mark = is_own_stack ? bounds.low + stack_reserve_bytes(bounds.high - bounds.low) : 0;
  stack.fork_limit.store(stack.low_mark, std::memory_order_relaxed);                 // statistic
  stack.join_limit.store(latent_stack::k_no_join_limit, std::memory_order_relaxed);  // statistic
}

// The default runtime; null if the system gives it not one thread. Then it is not tried again for a while.
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

// Where a thread joins while there is no runtime. No requests come here, so nothing is offered.
latent_stack& lone_stack(std::uintptr_t here) {
  thread_local latent_stack stack;
  open_stack(stack, bounds_of_thread(), here);
  stack.is_private = true;
  return stack;
}

}  // namespace

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
  slot_ = home.shares->external.slot_for_thread();
  if (slot_ == nullptr) return;
  latent_stack& stack = slot_->stack_near(here);
  const bool is_requested =
      how == outside_work::worth_it && home.wakes->sleeping_hint() + home.wakes->searching_hint() != 0;
  slot_->point.lock.lock();  // another thread may visit what the last user of the slot has left
  open_stack(stack, bounds_of_thread(), here);
  slot_->stack = &stack;
  share_owner{slot_->point}.enter(&stack, is_requested);
  slot_->point.lock.unlock();
  running_latent_stack = &stack;
  set_share_point_here(&slot_->point);
  slot_->begin_section();
  home.shares->call_monitor();
}

external_section::~external_section() {
  if (!has_begun()) return;
  running_latent_stack = &no_latent_stack;
  if (is_alone_) return;
  set_share_point_here(nullptr);
  slot_->end_section();
}

}  // namespace detail
}  // namespace filch::inline v0
