// The switch between two stacks, as the machine does it: the registers a function must keep, and the stack pointer.
// It knows no fiber; src/stack/fiber.hpp is what others use.
//
// For each machine there is one file that defines these functions: switch_x86_64.cpp and switch_aarch64.cpp in
// assembler, and switch_ucontext.cpp for all others, by the system's contexts (some hundred nanoseconds a switch).
//
// Who may call what: the thread that runs on the stack left; one thread at a time enters a stack.
#pragma once

#include <cstddef>

// FILCH_UCONTEXT_SWITCH may also be defined on the command line: so tests look at that file on every machine.
#if !defined(__x86_64__) && !defined(__aarch64__)
#define FILCH_UCONTEXT_SWITCH 1
#endif

namespace filch::inline v0 {

// Where a stack that was left continues. With contexts it owns memory, which forget_stack() frees.
using stack_position = void*;
// What the first entry of a stack calls: with its own argument, and with what the switch to it passed. It must not
// return.
using stack_start = void (*)(void* argument, void* passed);

// Makes `position` one from which `start` is called on an empty stack, which lies between `lowest` and `top`. What
// `position` was before is forgotten. `top` is a multiple of 16. With contexts it throws std::bad_alloc if there was no
// position before.
void prepare_stack(stack_position& position, std::byte* lowest, std::byte* top, stack_start start, void* argument);

// Leaves the running stack, which continues at `left`, and continues the one at `entered`. Returns when the former is
// entered again: what was passed there. The entered side learns by that what it must know, without any memory that
// belongs to a thread.
[[nodiscard, gnu::visibility("hidden")]] void* switch_stack(stack_position& left, stack_position entered,
                                                            void* passed) asm("filch_v0_switch_stack");

// No thread will continue there.
void forget_stack(stack_position& position) noexcept;

// The lowest address in use of a stack that was left at `position`; null: not known.
[[nodiscard]] const std::byte* lowest_in_use(stack_position position) noexcept;

}  // namespace filch::inline v0
