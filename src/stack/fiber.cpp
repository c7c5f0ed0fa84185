// Stacks, and what the C++ runtime and the sanitizers must know of a switch between two.
#include "fiber.hpp"

#include "switch_stack.hpp"

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <cxxabi.h>
#include <new>

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

// What a stack is entered with the first time.
struct fiber_start {
  static void run(void* entered, void* left) {
    fiber& self = *static_cast<fiber*>(entered);
    fiber& from = *static_cast<fiber*>(left);
    self.arrive(from);
    self.function_(self.argument_, from);
    FILCH_ASSERT(false && "a fiber's function returned");
  }
};

fiber::fiber() {
#ifdef FILCH_TSAN_FIBERS
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

namespace {

// The number of pages at the end of a mapping that are left unused, another for each stack. The system places a stack
// right below an arena of malloc, which begins at a multiple of 64 MiB: the first lines of both are in the same sets of
// the first cache, and some processors (AMD's) tell them apart by a hash of the address that is the same for both in
// every second process. Then each access to the one throws the other out: a coroutine on such a stack took 80 ns
// instead of 48.
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
  if (mapping_ != nullptr) {
#ifdef FILCH_TSAN_FIBERS
    __tsan_destroy_fiber(tsan_fiber_);
#endif
    unpoison();
    ::munmap(mapping_, mapping_bytes_);
  }
  forget_stack(position_);
}

// What was left on the stack when it was left for good is no longer there.
void fiber::unpoison() {
#ifdef FILCH_ASAN
  if (position_ == nullptr) return;
  const std::byte* from = lowest_in_use(position_);
  if (from == nullptr) from = stack_;
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
  function_ = function;
  argument_ = argument;
  prepare_stack(position_, stack_, stack_ + stack_bytes_, &fiber_start::run, this);
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
  fiber& left = *static_cast<fiber*>(switch_stack(from.position_, to.position_, &from));
  from.arrive(left);
  return left;
}

}  // namespace filch::inline v0
