// The switch on aarch64 (AAPCS64).
#include "switch_stack.hpp"

#if defined(__aarch64__) && !defined(FILCH_UCONTEXT_SWITCH)

#include <cstdint>

namespace filch::inline v0 {

// The switch saves what a function must keep (x19 to x30, the lower halves of v8 to v15, and FPCR) on the stack left
// and its stack pointer in `left`, and takes up the other stack; `passed` is its result there. FPCR is written only if
// it differs, since that waits for all that was begun. On Linux a call may change x18. Unwinders are told where the
// registers lie: one that looks at a stack that was left finds the caller of the switch.
//
// filch_v0_enter_stack is the first frame of a stack: unwinding ends here, since it has no return address.
extern "C" void filch_v0_enter_stack();
asm(R"(
.text
.globl filch_v0_switch_stack
.hidden filch_v0_switch_stack
.type filch_v0_switch_stack,%function
.p2align 4
filch_v0_switch_stack:
  .cfi_startproc
  sub sp, sp, #176
  .cfi_adjust_cfa_offset 176
  stp x19, x20, [sp]
  .cfi_rel_offset x19, 0
  .cfi_rel_offset x20, 8
  stp x21, x22, [sp, #16]
  .cfi_rel_offset x21, 16
  .cfi_rel_offset x22, 24
  stp x23, x24, [sp, #32]
  .cfi_rel_offset x23, 32
  .cfi_rel_offset x24, 40
  stp x25, x26, [sp, #48]
  .cfi_rel_offset x25, 48
  .cfi_rel_offset x26, 56
  stp x27, x28, [sp, #64]
  .cfi_rel_offset x27, 64
  .cfi_rel_offset x28, 72
  stp x29, x30, [sp, #80]
  .cfi_rel_offset x29, 80
  .cfi_rel_offset x30, 88
  stp d8, d9, [sp, #96]
  .cfi_rel_offset d8, 96
  .cfi_rel_offset d9, 104
  stp d10, d11, [sp, #112]
  .cfi_rel_offset d10, 112
  .cfi_rel_offset d11, 120
  stp d12, d13, [sp, #128]
  .cfi_rel_offset d12, 128
  .cfi_rel_offset d13, 136
  stp d14, d15, [sp, #144]
  .cfi_rel_offset d14, 144
  .cfi_rel_offset d15, 152
  mrs x3, fpcr
  str x3, [sp, #160]
  mov x4, sp
  str x4, [x0]
  mov sp, x1
  ldr x4, [sp, #160]
  cmp x3, x4
  b.eq 1f
  msr fpcr, x4
1:
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  .cfi_restore x19
  .cfi_restore x20
  .cfi_restore x21
  .cfi_restore x22
  .cfi_restore x23
  .cfi_restore x24
  .cfi_restore x25
  .cfi_restore x26
  .cfi_restore x27
  .cfi_restore x28
  .cfi_restore x29
  .cfi_restore x30
  .cfi_restore d8
  .cfi_restore d9
  .cfi_restore d10
  .cfi_restore d11
  .cfi_restore d12
  .cfi_restore d13
  .cfi_restore d14
  .cfi_restore d15
  add sp, sp, #176
  .cfi_adjust_cfa_offset -176
  mov x0, x2
  ret
  .cfi_endproc
.size filch_v0_switch_stack,.-filch_v0_switch_stack
.globl filch_v0_enter_stack
.hidden filch_v0_enter_stack
.type filch_v0_enter_stack,%function
.p2align 4
filch_v0_enter_stack:
  .cfi_startproc
  .cfi_undefined x30
  mov x1, x0
  mov x0, x20
  blr x19
  brk #0
  .cfi_endproc
.size filch_v0_enter_stack,.-filch_v0_enter_stack
)");

namespace {

// What the switch saves, in its order.
struct saved_registers {
  std::uint64_t x[12];  // x19 to x30
  std::uint64_t d[8];   // d8 to d15
  std::uint64_t fpcr;
  std::uint64_t unused;
};
static_assert(sizeof(saved_registers) == 176 && sizeof(saved_registers) % 16 == 0);

}  // namespace

void prepare_stack(stack_position& position, std::byte*, std::byte* top, stack_start start, void* argument) {
  auto* const frame = reinterpret_cast<saved_registers*>(top) - 1;
  *frame = {};
  frame->x[0] = reinterpret_cast<std::uintptr_t>(start);                   // x19
  frame->x[1] = reinterpret_cast<std::uintptr_t>(argument);                // x20
  frame->x[11] = reinterpret_cast<std::uintptr_t>(&filch_v0_enter_stack);  // x30
  asm volatile("mrs %0, fpcr" : "=r"(frame->fpcr));
  position = frame;
}

void forget_stack(stack_position& position) noexcept { position = nullptr; }

const std::byte* lowest_in_use(stack_position position) noexcept { return static_cast<const std::byte*>(position); }

}  // namespace filch::inline v0

#endif
