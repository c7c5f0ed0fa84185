// Instructions that compilers do not choose by themselves: each function says why it is there, and has its plain form
// beside it. The plain forms are what other machines than x86-64 have; with FILCH_PLAIN_CODE they are taken there, too,
// which tests do. Thread-local words have a header of their own: thread_local_word.hpp.
//
// Who may call what: any thread.
#pragma once

#include <filch/base/atomics.hpp>

#include <atomic>
#include <cstdint>

#if defined(__x86_64__) && !defined(FILCH_PLAIN_CODE)
#define FILCH_X86_64_CODE 1
#endif

namespace filch::inline v0::detail {

// ---- an address and a word that other threads write -----------------------------------------------------------------
// One instruction, where compilers make a load and a comparison of it: they combine no access that is atomic. A fork
// and a join have one each. Relaxed: what they find is a hint, and seen late it is obeyed late.

// Is the address lower than the bound?
[[nodiscard]] inline bool is_address_below(const void* address, const std_atomics::atomic<std::uintptr_t>& bound) {
#if defined(FILCH_X86_64_CODE)
  bool is;
  asm volatile("cmpq %2, %1" : "=@ccb"(is) : "r"(address), "m"(bound));
  return is;
#else
  return reinterpret_cast<std::uintptr_t>(address) < bound.load(std::memory_order_relaxed);  // hint
#endif
}
[[nodiscard]] inline bool is_address_not_below(const void* address, const std_atomics::atomic<std::uintptr_t>& bound) {
#if defined(FILCH_X86_64_CODE)
  bool is;
  asm volatile("cmpq %2, %1" : "=@ccae"(is) : "r"(address), "m"(bound));
  return is;
#else
  return reinterpret_cast<std::uintptr_t>(address) >= bound.load(std::memory_order_relaxed);  // hint
#endif
}

// ---- where the caller's frame lies ----------------------------------------------------------------------------------

// The object's address, of which the compiler does not know that it had it before. It would keep that in a register
// across a call, and the function would have to save that register first.
template <class T>
[[nodiscard]] inline T* address_again(T& object) {
#if defined(FILCH_X86_64_CODE)
  T* found;
  asm("leaq %1, %0" : "=r"(found) : "m"(object));
  return found;
#else
  return &object;
#endif
}

// Where the stack of the calling function ends, more or less. The plain form makes the function set a frame pointer up.
[[nodiscard, gnu::always_inline]] inline std::uintptr_t stack_pointer() noexcept {
#if defined(FILCH_X86_64_CODE)
  std::uintptr_t found;
  asm("movq %%rsp, %0" : "=r"(found));
  return found;
#else
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
#endif
}

}  // namespace filch::inline v0::detail
