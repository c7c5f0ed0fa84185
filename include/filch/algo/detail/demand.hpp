// Where algorithms meet the fork layer: how they get a stack that can fork, and how they see requests.
#pragma once

#include <filch/fork/join.hpp>
#include <filch/share/latent.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/share/symmetric_transfer.hpp>

namespace filch::inline v0::algo::detail {

using v0::detail::outside_work;

// Calls `function` where it may fork. By default it is known to be worth a wake-up.
template <class F>
decltype(auto) enter(F&& function, outside_work how = outside_work::worth_it) {
  if (current_latent_stack() != nullptr) return function();
  return v0::detail::enter_from_outside([&]() -> decltype(auto) { return function(); }, how);
}

// The calling thread's stack, where a loop begins; null if it takes no part. A loop may call its function without a
// fork, which would see the end of the stack: so it looks itself. Throws stack_exhausted.
[[nodiscard]] inline latent_stack* stack_of_loop() {
  latent_stack& here = v0::detail::latent_stack_here();
  if (!is_used_up(here, v0::detail::stack_pointer())) [[likely]]
    return &here;
  if (is_none(here)) return nullptr;
  require_stack_left();
  return &here;
}

using v0::is_share_requested;
using v0::detail::leaving;

// True: a request waits for a new fork; if that is not worth a wake-up, only a thief that is awake would take it. An
// older fork, if there is one, answers the request here, and the result is false.
[[nodiscard]] inline bool is_requested(latent_stack& stack, bool is_worth_waking = true) {
  if (!is_share_requested(stack)) [[likely]]
    return false;
  return v0::detail::loop_slow_path(stack, is_worth_waking);
}

}  // namespace filch::inline v0::algo::detail
