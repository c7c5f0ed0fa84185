// The switch on x86-64 (System V ABI).
#include "switch_stack.hpp"

#if defined(__x86_64__) && !defined(FILCH_UCONTEXT_SWITCH)

#include <cstdint>

namespace filch::inline v0 {

// The switch saves what a function must keep (six registers, the control words of SSE and x87) on the stack left and
// its stack pointer in `left`, and takes up the other stack; `passed` is its result there. Unwinders are told of each
// push: one that looks at a stack that was left finds the caller of the switch.
//
// filch_v0_enter_stack is the first frame of a stack: unwinding ends here, since it has no return address.
extern "C" void filch_v0_enter_stack();
asm(R"(
.text
.globl filch_v0_switch_stack
.hidden filch_v0_switch_stack
.type filch_v0_switch_stack,@function
.p2align 4
filch_v0_switch_stack:
  .cfi_startproc
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  movq %rdx, %rax
  popq %r15
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r15
  popq %r14
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r14
  popq %r13
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r13
  popq %r12
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r12
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  popq %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbp
  retq
  .cfi_endproc
.size filch_v0_switch_stack,.-filch_v0_switch_stack
.globl filch_v0_enter_stack
.hidden filch_v0_enter_stack
.type filch_v0_enter_stack,@function
.p2align 4
filch_v0_enter_stack:
  .cfi_startproc
  .cfi_undefined %rip
  movq %r13, %rdi
  movq %rax, %rsi
  callq *%r12
  ud2
  .cfi_endproc
.size filch_v0_enter_stack,.-filch_v0_enter_stack
)");

void prepare_stack(stack_position& position, std::byte*, std::byte* top, stack_start start, void* argument) {
  auto* frame = reinterpret_cast<std::uintptr_t*>(top);
  // What the switch pops, from the top down; the two words above align the stack for the first call.
  *--frame = 0;
  *--frame = 0;
  *--frame = reinterpret_cast<std::uintptr_t>(&filch_v0_enter_stack);
  *--frame = 0;                                           // rbp
  *--frame = 0;                                           // rbx
  *--frame = reinterpret_cast<std::uintptr_t>(start);     // r12
  *--frame = reinterpret_cast<std::uintptr_t>(argument);  // r13
  *--frame = 0;                                           // r14
  *--frame = 0;                                           // r15
  std::uint32_t mxcsr = 0;
  std::uint16_t x87 = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  *--frame = (std::uintptr_t{x87} << 32) | mxcsr;
  position = frame;
}

void forget_stack(stack_position& position) noexcept { position = nullptr; }

const std::byte* lowest_in_use(stack_position position) noexcept { return static_cast<const std::byte*>(position); }

}  // namespace filch::inline v0

#endif
