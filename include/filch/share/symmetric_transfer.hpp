// From one coroutine to the next, without a limit to how often.
//
// An await that returns a coroutine gives it to the compiler, which jumps to it: no stack is needed. But below its
// second level of optimisation, and with sanitizers, g++ makes a call of this jump, and then every transfer leaves its
// frame on the stack. So a transfer that finds much stack in use since the first coroutine was resumed does not give
// the next one to the compiler: it leaves it to the caller that resumed the first, and everything between returns.
//
// Who may call what: transfer_to any thread, where on threads without a worker the compiler's jump is all there is;
// resume_here a worker.
#pragma once

#include <filch/base/machine_code.hpp>
#include <filch/share/latent.hpp>

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <utility>

namespace filch::inline v0 {

// What an await_suspend returns that has decided which coroutine resumes.
[[nodiscard]] inline std::coroutine_handle<> transfer_to(std::coroutine_handle<> next) noexcept {
#if !defined(__clang__)  // it always jumps
  latent_stack& stack = detail::latent_stack_here();
  if (detail::stack_pointer() < stack.transfer_mark && stack.left_over == nullptr) [[unlikely]] {
    stack.left_over = next;
    return std::noop_coroutine();
  }
#endif
  return next;
}

// Resumes a coroutine, and those that it leaves over.
inline void resume_here(std::coroutine_handle<> first) noexcept {
  constexpr std::uintptr_t k_room = 64 * 1024;  // guess
  // a worker's: the code may continue on another worker, but its stack is the same
  latent_stack& stack = detail::latent_stack_here();
  const std::uintptr_t mark = (std::max)(detail::stack_pointer() - k_room, stack.low_mark);
  const std::uintptr_t outer = std::exchange(stack.transfer_mark, mark);
  first.resume();
  while (stack.left_over != nullptr) [[unlikely]]
    std::exchange(stack.left_over, nullptr).resume();
  stack.transfer_mark = outer;
}

}  // namespace filch::inline v0
