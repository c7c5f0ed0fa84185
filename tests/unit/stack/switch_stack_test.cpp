// The switch alone, without what fibers add to it: every register that a function must keep.
#include <stack/switch_stack.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace {

// Gives each register that a function must keep a number of its own, beginning with `base`, and switches. Returns 0 if
// all of them are the same afterwards. In assembler, as a compiler's code between would keep some of them itself.
extern "C" std::uint64_t filch_test_switch_with_numbers(filch::stack_position* left, filch::stack_position entered,
                                                        void* passed, std::uint64_t base);
#if defined(__x86_64__)
asm(R"(
.text
.type filch_test_switch_with_numbers,@function
filch_test_switch_with_numbers:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  pushq %rcx
  leaq 1(%rcx), %rbp
  leaq 2(%rcx), %rbx
  leaq 3(%rcx), %r12
  leaq 4(%rcx), %r13
  leaq 5(%rcx), %r14
  leaq 6(%rcx), %r15
  callq filch_v0_switch_stack
  popq %rcx
  xorl %eax, %eax
  subq %rcx, %rbp
  xorq $1, %rbp
  orq %rbp, %rax
  subq %rcx, %rbx
  xorq $2, %rbx
  orq %rbx, %rax
  subq %rcx, %r12
  xorq $3, %r12
  orq %r12, %rax
  subq %rcx, %r13
  xorq $4, %r13
  orq %r13, %rax
  subq %rcx, %r14
  xorq $5, %r14
  orq %r14, %rax
  subq %rcx, %r15
  xorq $6, %r15
  orq %r15, %rax
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size filch_test_switch_with_numbers,.-filch_test_switch_with_numbers
)");
#elif defined(__aarch64__)
asm(R"(
.text
.type filch_test_switch_with_numbers,%function
filch_test_switch_with_numbers:
  stp x29, x30, [sp, #-176]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  str x3, [sp, #160]
  .irp number, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
  add x\number, x3, #\number
  .endr
  .irp number, 8, 9, 10, 11, 12, 13, 14, 15
  add x4, x3, #\number
  fmov d\number, x4
  .endr
  bl filch_v0_switch_stack
  ldr x3, [sp, #160]
  mov x0, #0
  .irp number, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
  sub x4, x\number, x3
  sub x4, x4, #\number
  orr x0, x0, x4
  .endr
  .irp number, 8, 9, 10, 11, 12, 13, 14, 15
  fmov x4, d\number
  sub x4, x4, x3
  sub x4, x4, #\number
  orr x0, x0, x4
  .endr
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #176
  ret
.size filch_test_switch_with_numbers,.-filch_test_switch_with_numbers
)");
#endif

#if defined(__x86_64__) || defined(__aarch64__)

class switch_stack : public testing::Test {
 public:
  ~switch_stack() override {
    filch::forget_stack(away_);
    filch::forget_stack(home_);
  }
  void prepare(filch::stack_start start) {
    std::byte* const end = memory_.get() + k_bytes;
    std::byte* const top = end - reinterpret_cast<std::uintptr_t>(end) % 16;
    filch::prepare_stack(away_, memory_.get(), top, start, this);
  }

  static constexpr std::size_t k_bytes = 64 << 10;
  const std::unique_ptr<std::byte[]> memory_ = std::make_unique<std::byte[]>(k_bytes);
  filch::stack_position home_ = nullptr;
  filch::stack_position away_ = nullptr;
  std::uint64_t spoiled_ = 0;  // seen by the other stack
};

// Property: each of two stacks that hold other numbers in all of these registers finds its own after every switch.
TEST_F(switch_stack, keeps_every_register_that_a_function_must_keep) {
  prepare([](void* given, void*) {
    auto& here = *static_cast<switch_stack*>(given);
    while (true) here.spoiled_ |= filch_test_switch_with_numbers(&here.away_, here.home_, nullptr, 1000);
  });
  for (int i = 0; i != 3; ++i) EXPECT_EQ(filch_test_switch_with_numbers(&home_, away_, nullptr, 5000), 0u);
  EXPECT_EQ(spoiled_, 0u);
}

TEST_F(switch_stack, hands_over_what_is_passed) {
  prepare([](void* given, void* passed) {
    auto& here = *static_cast<switch_stack*>(given);
    while (true) passed = filch::switch_stack(here.away_, here.home_, static_cast<int*>(passed) + 1);
  });
  int numbers[4] = {};
  for (int i = 0; i != 3; ++i) EXPECT_EQ(filch::switch_stack(home_, away_, numbers + i), numbers + i + 1);
}

#endif

}  // namespace
