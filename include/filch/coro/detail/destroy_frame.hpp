// Destroys a coroutine frame that may own other frames.
//
// A frame that holds a task, a stream or the handle of an ended task destroys the other frame in its own destructor,
// and that frame may own the next one. Each level takes a nested call, as in a list of std::unique_ptr. So
// destroy_frame() checks how much of the stack is left, and continues on an additional stack where it is little. The
// order is that of plain destructors: what a frame owns is destroyed before the objects that the frame received
// earlier.
//
// Who may call what: any thread.
#pragma once

#include <filch/share/latent.hpp>
#include <filch/share/symmetric_transfer.hpp>

#include <coroutine>
#include <cstdint>

namespace filch::inline v0::coro {

// For callers that are not on a worker's stack, or have little of it left.
[[gnu::cold, gnu::noinline]] void destroy_frame_slow_path(std::coroutine_handle<> frame) noexcept;

inline void destroy_frame(std::coroutine_handle<> frame) noexcept {
  // A worker's stack ends below its latent_stack. The placeholder for "no stack" has no fixed place: in a program it
  // lies below all stacks, in a shared library between them.
  const latent_stack& stack = filch::detail::latent_stack_here();
  const std::uintptr_t room = reinterpret_cast<std::uintptr_t>(&stack) - stack.low_mark;
  if (filch::detail::stack_pointer() - stack.low_mark >= room || is_none(stack)) [[unlikely]]
    return destroy_frame_slow_path(frame);
  frame.destroy();
}

}  // namespace filch::inline v0::coro
