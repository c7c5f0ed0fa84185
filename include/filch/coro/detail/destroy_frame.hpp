// How a coroutine's frame is destroyed that may hold others.
//
// A frame that holds a task, a stream or the handle of a task that has ended destroys that one's frame in its own
// destructor, which may hold the next. Each level takes a call, as in a list of std::unique_ptr. So whoever destroys a
// frame looks how much of the stack is left, and resumes on a further stack where it is little. The order is that of
// plain destructors: what a frame holds is gone before what the frame was given earlier.
//
// Who may call what: any thread.
#pragma once

#include <filch/share/latent.hpp>
#include <filch/share/symmetric_transfer.hpp>

#include <coroutine>
#include <cstdint>

namespace filch::inline v0::coro {

// Where the caller is not on a worker's stack, or little of it is left.
[[gnu::cold, gnu::noinline]] void destroy_frame_with_care(std::coroutine_handle<> frame) noexcept;

inline void destroy_frame(std::coroutine_handle<> frame) noexcept {
  // A worker's stack ends below its latent_stack. The one that stands for none lies anywhere: below all stacks in a
  // program, between them in a shared library.
  const latent_stack& stack = filch::detail::latent_stack_here();
  const std::uintptr_t room = reinterpret_cast<std::uintptr_t>(&stack) - stack.low_mark;
  if (filch::detail::stack_pointer() - stack.low_mark >= room || is_none(stack)) [[unlikely]]
    return destroy_frame_with_care(frame);
  frame.destroy();
}

}  // namespace filch::inline v0::coro
