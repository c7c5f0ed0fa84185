// Stacks and the switch between them.
#include "fiber.hpp"

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>

#include <sys/mman.h>
#include <unistd.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include <cstdint>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <utility>

#ifdef FILCH_ASAN
extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack_save, const void** bottom_old, std::size_t* size_old);
void __asan_unpoison_memory_region(void const volatile* addr, std::size_t size);
}
#endif
#ifdef FILCH_TSAN_FIBERS
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}
#endif

namespace filch::inline v0 {

struct fiber_start {
  static void run(fiber::entry function, void* argument, fiber* self, fiber* left) {
    self->arrive(*left);
    function(argument, *left);
    FILCH_ASSERT(false && "a fiber's function returned");
  }
};

#if defined(__x86_64__)

// Saves the callee-saved registers on the stack left and its stack pointer in *save, continues with the stack `load`,
// and returns there what was given as `from` here: the entered side learns whom it was entered from without any memory
// that belongs to a thread.
extern "C" void* filch_v0_switch_stack(void** save, void* load, void* from);
extern "C" void filch_v0_enter_stack();
asm(R"(
.text
.globl filch_v0_switch_stack
.hidden filch_v0_switch_stack
.type filch_v0_switch_stack,@function
.p2align 4
filch_v0_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  movq %rdx, %rax
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size filch_v0_switch_stack,.-filch_v0_switch_stack
.globl filch_v0_enter_stack
.hidden filch_v0_enter_stack
.type filch_v0_enter_stack,@function
.p2align 4
filch_v0_enter_stack:
  movq %r12, %rdi
  movq %r13, %rsi
  movq %r14, %rdx
  movq %rax, %rcx
  pushq $0
  jmp filch_v0_start_fiber
.size filch_v0_enter_stack,.-filch_v0_enter_stack
)");

extern "C" [[gnu::used]] void filch_v0_start_fiber(fiber::entry function, void* argument, fiber* self, fiber* left) {
  fiber_start::run(function, argument, self, left);
}

#else

namespace {

// Other machines switch by the system's contexts, some hundred nanoseconds each. What the entered side must know passes
// through the thread; it reads it at once, in a function of its own, since it may have been on another thread before.
struct passage {
  fiber* entered;
  fiber* left;
};
constinit thread_local passage under_way{};
[[gnu::noinline]] passage read_passage() { return under_way; }
[[gnu::noinline]] void write_passage(fiber& entered, fiber& left) { under_way = {&entered, &left}; }

void enter_by_halves(unsigned function_high, unsigned function_low, unsigned argument_high, unsigned argument_low) {
  const auto whole = [](unsigned high, unsigned low) { return (std::uint64_t{high} << 32) | low; };
  const passage here = read_passage();
  fiber_start::run(reinterpret_cast<fiber::entry>(whole(function_high, function_low)),
                   reinterpret_cast<void*>(whole(argument_high, argument_low)), here.entered, here.left);
}

}  // namespace

#endif

fiber::fiber() {
#ifdef FILCH_TSAN_FIBERS
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

namespace {

// So many pages at the end of a mapping are left unused, another number for each stack. The system places a stack right
// below an arena of malloc, which begins at a multiple of 64 MiB: the first lines of both are in the same sets of the
// first cache, and some processors (AMD's) tell them apart by a hash of the address that is the same for both in every
// second process. Then each access to the one throws the other out: a coroutine on such a stack took 80 ns instead of
// 48.
std::size_t unused_pages() {
  static std_atomics::atomic<std::size_t> stacks{0};
  return 64 + stacks.fetch_add(1, std::memory_order_relaxed) * 37 % 128;  // statistic
}

}  // namespace

fiber::fiber(std::size_t stack_bytes, std::size_t top_bytes) : stack_bytes_{stack_bytes} {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  stack_bytes_ = (stack_bytes_ + page_bytes - 1) / page_bytes * page_bytes;
  mapping_bytes_ = (1 + unused_pages()) * page_bytes + stack_bytes_;
  void* const memory = ::mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(memory);
  if (::mprotect(mapping_, page_bytes, PROT_NONE) != 0) {
    ::munmap(mapping_, mapping_bytes_);
    throw std::bad_alloc();
  }
  stack_ = mapping_ + page_bytes;
  stack_bytes_ -= (top_bytes + 63) / 64 * 64;
#ifdef FILCH_TSAN_FIBERS
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

fiber::~fiber() {
#if !defined(__x86_64__)
  delete static_cast<ucontext_t*>(std::exchange(stack_pointer_, nullptr));
#endif
  if (mapping_ == nullptr) return;
#ifdef FILCH_TSAN_FIBERS
  __tsan_destroy_fiber(tsan_fiber_);
#endif
  unpoison();
  ::munmap(mapping_, mapping_bytes_);
}

// What was left on the stack when it was left for good is no longer there.
void fiber::unpoison() {
#ifdef FILCH_ASAN
#if defined(__x86_64__)
  if (stack_pointer_ == nullptr) return;
  const auto* const from = static_cast<const std::byte*>(stack_pointer_);
#else
  const std::byte* const from = stack_;
#endif
  __asan_unpoison_memory_region(from, static_cast<std::size_t>(stack_ + stack_bytes_ - from));
#endif
}

std::uintptr_t fiber::low_mark() const {
  return reinterpret_cast<std::uintptr_t>(stack_) + stack_reserve_bytes(stack_bytes_);
}

void fiber::discard() {
  constexpr std::size_t k_keep_bytes = 64 * 1024;
  if (mapping_ != nullptr && stack_bytes_ > k_keep_bytes) ::madvise(stack_, stack_bytes_ - k_keep_bytes, MADV_DONTNEED);
}

void fiber::prepare(entry function, void* argument) {
  unpoison();
  std::memset(exception_state_, 0, sizeof exception_state_);
  fake_stack_ = nullptr;
#if defined(__x86_64__)
  auto* top = reinterpret_cast<std::uintptr_t*>(stack_ + stack_bytes_);
  // What the switch pops, from the top down; the alignment is that of a function just called.
  *--top = 0;
  *--top = 0;
  *--top = reinterpret_cast<std::uintptr_t>(&filch_v0_enter_stack);
  *--top = 0;                                           // rbp
  *--top = 0;                                           // rbx
  *--top = reinterpret_cast<std::uintptr_t>(function);  // r12
  *--top = reinterpret_cast<std::uintptr_t>(argument);  // r13
  *--top = reinterpret_cast<std::uintptr_t>(this);      // r14
  *--top = 0;                                           // r15
  std::uint32_t mxcsr = 0;
  std::uint16_t x87 = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  *--top = (std::uintptr_t{x87} << 32) | mxcsr;
  stack_pointer_ = top;
#else
  if (stack_pointer_ == nullptr) stack_pointer_ = new ucontext_t;
  auto* const context = static_cast<ucontext_t*>(stack_pointer_);
  ::getcontext(context);
  context->uc_stack.ss_sp = stack_;
  context->uc_stack.ss_size = stack_bytes_;
  context->uc_link = nullptr;
  const auto f = std::uint64_t{reinterpret_cast<std::uintptr_t>(function)};
  const auto a = std::uint64_t{reinterpret_cast<std::uintptr_t>(argument)};
  ::makecontext(context, reinterpret_cast<void (*)()>(&enter_by_halves), 4, static_cast<unsigned>(f >> 32),
                static_cast<unsigned>(f), static_cast<unsigned>(a >> 32), static_cast<unsigned>(a));
#endif
}

// The part of a switch that runs on the stack entered, which is this fiber's.
void fiber::arrive([[maybe_unused]] fiber& left) {
#ifdef FILCH_ASAN
  const void* left_stack = nullptr;
  std::size_t left_bytes = 0;
  __sanitizer_finish_switch_fiber(fake_stack_, &left_stack, &left_bytes);
  if (left.mapping_ == nullptr) {  // a thread's own stack becomes known when it is left
    left.stack_ = static_cast<std::byte*>(const_cast<void*>(left_stack));
    left.stack_bytes_ = left_bytes;
  }
#endif
}

// The record of exceptions is the thread's, which is the same before and behind the switch: all is done before, since
// asking for it takes as long as the switch. Not inlined: the call is declared const, and a caller that comes back on
// another thread would use the address again.
[[gnu::noinline]] void fiber::exchange_exceptions(fiber& from, const fiber& to) {
  void* const here = abi::__cxa_get_globals();
  std::memcpy(from.exception_state_, here, sizeof from.exception_state_);
  std::memcpy(here, to.exception_state_, sizeof to.exception_state_);
}

fiber& fiber::switch_to(fiber& from, fiber& to, [[maybe_unused]] bool is_last) {
  exchange_exceptions(from, to);
#ifdef FILCH_ASAN
  __sanitizer_start_switch_fiber(is_last ? nullptr : &from.fake_stack_, to.stack_, to.stack_bytes_);
#endif
#ifdef FILCH_TSAN_FIBERS
  __tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
#if defined(__x86_64__)
  auto& left = *static_cast<fiber*>(filch_v0_switch_stack(&from.stack_pointer_, to.stack_pointer_, &from));
#else
  if (from.stack_pointer_ == nullptr) from.stack_pointer_ = new ucontext_t;
  write_passage(to, from);
  ::swapcontext(static_cast<ucontext_t*>(from.stack_pointer_), static_cast<ucontext_t*>(to.stack_pointer_));
  fiber& left = *read_passage().left;
#endif
  from.arrive(left);
  return left;
}

}  // namespace filch::inline v0
