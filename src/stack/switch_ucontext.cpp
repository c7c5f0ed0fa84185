// The switch on machines without a file of their own: by the system's contexts, each in memory of its own.
#include "switch_stack.hpp"

#if defined(FILCH_UCONTEXT_SWITCH)

#include <ucontext.h>

#include <cstdint>

namespace filch::inline v0 {
namespace {

// What a switch passes. The entered side reads it at once, in a function of its own, since it may have been on another
// thread before.
constinit thread_local void* under_way = nullptr;
[[gnu::noinline]] void* read_passed() { return under_way; }
[[gnu::noinline]] void write_passed(void* passed) { under_way = passed; }

// A context's function takes numbers of the size of int only.
struct halves {
  unsigned high;
  unsigned low;
};
halves divide(std::uintptr_t whole) {
  return {static_cast<unsigned>(std::uint64_t{whole} >> 32), static_cast<unsigned>(whole)};
}
template <class T>
T join_halves(unsigned high, unsigned low) {
  return reinterpret_cast<T>(static_cast<std::uintptr_t>((std::uint64_t{high} << 32) | low));
}
void enter(unsigned start_high, unsigned start_low, unsigned argument_high, unsigned argument_low) {
  join_halves<stack_start>(start_high, start_low)(join_halves<void*>(argument_high, argument_low), read_passed());
}

ucontext_t& context_of(stack_position& position) {
  if (position == nullptr) position = new ucontext_t;
  return *static_cast<ucontext_t*>(position);
}

}  // namespace

void prepare_stack(stack_position& position, std::byte* lowest, std::byte* top, stack_start start, void* argument) {
  ucontext_t& context = context_of(position);
  ::getcontext(&context);
  context.uc_stack.ss_sp = lowest;
  context.uc_stack.ss_size = static_cast<std::size_t>(top - lowest);
  context.uc_link = nullptr;
  const halves s = divide(reinterpret_cast<std::uintptr_t>(start));
  const halves a = divide(reinterpret_cast<std::uintptr_t>(argument));
  ::makecontext(&context, reinterpret_cast<void (*)()>(&enter), 4, s.high, s.low, a.high, a.low);
}

void* switch_stack(stack_position& left, stack_position entered, void* passed) {
  write_passed(passed);
  ::swapcontext(&context_of(left), static_cast<ucontext_t*>(entered));
  return read_passed();
}

void forget_stack(stack_position& position) noexcept {
  delete static_cast<ucontext_t*>(position);
  position = nullptr;
}

const std::byte* lowest_in_use(stack_position) noexcept { return nullptr; }

}  // namespace filch::inline v0

#endif
