#include "fiber.hpp"

#include <filch/base/assert.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <utility>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define FILCH_CHECK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FILCH_CHECK_ASAN 1
#endif
#endif
#ifdef FILCH_CHECK_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace filch::check {
namespace {

fiber* g_left = nullptr;     // the fiber that the running switch leaves
fiber* g_entered = nullptr;  // the fiber that the running switch enters

}  // namespace

#if defined(__x86_64__)
// Saves the callee-saved registers on the stack left, then takes the stack entered and restores its registers. The
// first argument is where the left stack pointer goes, the second is the stack pointer to continue with.
extern "C" void filch_check_switch(void** save, void* load);
asm(R"(
.text
.globl filch_check_switch
.hidden filch_check_switch
.type filch_check_switch,@function
.p2align 4
filch_check_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size filch_check_switch,.-filch_check_switch
)");
#endif

fiber::fiber(std::size_t stack_bytes) : stack_bytes_{stack_bytes} {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  mapping_bytes_ = stack_bytes_ + page_bytes;
  void* memory = ::mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(memory);
  const int guarded = ::mprotect(mapping_, page_bytes, PROT_NONE);
  FILCH_ASSERT(guarded == 0, guarded);
  stack_ = mapping_ + page_bytes;
}

fiber::~fiber() {
#if !defined(__x86_64__)
  delete static_cast<ucontext_t*>(context_);
#endif
  if (mapping_ == nullptr) return;
#ifdef FILCH_CHECK_ASAN
  __asan_unpoison_memory_region(stack_, stack_bytes_);
#endif
  ::munmap(mapping_, mapping_bytes_);
}

// The part of a switch that runs on the stack entered.
void fiber_started(fiber& self) {
#ifdef FILCH_CHECK_ASAN
  const void* left_stack = nullptr;
  std::size_t left_bytes = 0;
  __sanitizer_finish_switch_fiber(self.fake_stack_, &left_stack, &left_bytes);
  if (g_left != nullptr && g_left->mapping_ == nullptr) {  // the thread's own stack becomes known when it is left
    g_left->stack_ = static_cast<std::byte*>(const_cast<void*>(left_stack));
    g_left->stack_bytes_ = left_bytes;
  }
#endif
  auto* state = reinterpret_cast<void**>(abi::__cxa_get_globals());
  std::memcpy(state, self.exception_state_, sizeof self.exception_state_);
}

namespace {

// The first frame of every fiber.
void start_fiber(fiber::entry function, void* argument) {
  fiber_started(*g_entered);
  function(argument);
  FILCH_ASSERT(false && "a fiber's function returned");
}

}  // namespace

#if defined(__x86_64__)

extern "C" void filch_check_enter(fiber::entry function, void* argument) { start_fiber(function, argument); }
extern "C" void filch_check_first();
asm(R"(
.text
.globl filch_check_first
.hidden filch_check_first
.type filch_check_first,@function
.p2align 4
filch_check_first:
  movq %r12, %rdi
  movq %r13, %rsi
  pushq $0
  jmp filch_check_enter
.size filch_check_first,.-filch_check_first
)");

void fiber::prepare(entry function, void* argument) {
#ifdef FILCH_CHECK_ASAN
  __asan_unpoison_memory_region(stack_, stack_bytes_);
#endif
  std::memset(exception_state_, 0, sizeof exception_state_);
  fake_stack_ = nullptr;
  auto* top = reinterpret_cast<std::uintptr_t*>(stack_ + stack_bytes_);
  // What filch_check_switch pops: r15 r14 r13 r12 rbx rbp and the return address; 16-byte alignment as at a call.
  *--top = 0;
  *--top = 0;
  *--top = reinterpret_cast<std::uintptr_t>(&filch_check_first);
  *--top = 0;                                          // rbp
  *--top = 0;                                          // rbx
  *--top = reinterpret_cast<std::uintptr_t>(function);  // r12
  *--top = reinterpret_cast<std::uintptr_t>(argument);  // r13
  *--top = 0;                                          // r14
  *--top = 0;                                          // r15
  stack_pointer_ = top;
}

#else

namespace {
void enter_by_halves(unsigned function_high, unsigned function_low, unsigned argument_high, unsigned argument_low) {
  const auto whole = [](unsigned high, unsigned low) { return (std::uintptr_t{high} << 32) | low; };
  start_fiber(reinterpret_cast<fiber::entry>(whole(function_high, function_low)),
              reinterpret_cast<void*>(whole(argument_high, argument_low)));
}
}  // namespace

void fiber::prepare(entry function, void* argument) {
#ifdef FILCH_CHECK_ASAN
  __asan_unpoison_memory_region(stack_, stack_bytes_);
#endif
  std::memset(exception_state_, 0, sizeof exception_state_);
  fake_stack_ = nullptr;
  if (context_ == nullptr) context_ = new ucontext_t;
  auto* context = static_cast<ucontext_t*>(context_);
  ::getcontext(context);
  context->uc_stack.ss_sp = stack_;
  context->uc_stack.ss_size = stack_bytes_;
  context->uc_link = nullptr;
  const auto f = reinterpret_cast<std::uintptr_t>(function);
  const auto a = reinterpret_cast<std::uintptr_t>(argument);
  ::makecontext(context, reinterpret_cast<void (*)()>(&enter_by_halves), 4, static_cast<unsigned>(f >> 32),
                static_cast<unsigned>(f), static_cast<unsigned>(a >> 32), static_cast<unsigned>(a));
}

#endif

void fiber::switch_to(fiber& from, fiber& to, bool last) {
  auto* state = reinterpret_cast<void**>(abi::__cxa_get_globals());
  std::memcpy(from.exception_state_, state, sizeof from.exception_state_);
  g_left = &from;
  g_entered = &to;
#ifdef FILCH_CHECK_ASAN
  __sanitizer_start_switch_fiber(last ? nullptr : &from.fake_stack_, to.stack_, to.stack_bytes_);
#else
  static_cast<void>(last);
#endif
#if defined(__x86_64__)
  filch_check_switch(&from.stack_pointer_, to.stack_pointer_);
#else
  if (from.context_ == nullptr) from.context_ = new ucontext_t;
  ::swapcontext(static_cast<ucontext_t*>(from.context_), static_cast<ucontext_t*>(to.context_));
#endif
  fiber_started(from);
}

}  // namespace filch::check
