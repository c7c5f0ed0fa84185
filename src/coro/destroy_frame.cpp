#include <filch/coro/detail/destroy_frame.hpp>

#include "runtime/suspension.hpp"
#include "stack/fiber.hpp"

#include <pthread.h>

#include <cstddef>
#include <new>
#include <optional>

namespace filch::inline v0::coro {
namespace {

// guess: some thousand levels. ThreadSanitizer's shadow stack holds 64 Ki calls, and each level makes several.
constexpr std::size_t k_further_bytes = std::size_t{1} << 20;

struct stack_range {
  std::uintptr_t lowest = 0;
  std::uintptr_t low_mark = 0;
  std::uintptr_t highest = 0;

  [[nodiscard]] bool contains(std::uintptr_t at) const { return at >= lowest && at < highest; }
  [[nodiscard]] bool is_used_up(std::uintptr_t at) const { return at >= lowest && at < low_mark; }
};

stack_range range_of(std::uintptr_t lowest, std::size_t bytes) {
  return {lowest, lowest + stack_reserve_bytes(bytes), lowest + bytes};
}

// The stack that the system gave the calling thread. Empty: the system does not report it.
stack_range find_own_stack() {
  stack_range found;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return found;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (::pthread_attr_getstack(&attributes, &lowest, &bytes) == 0) {
    found = range_of(reinterpret_cast<std::uintptr_t>(lowest), bytes);
  }
  ::pthread_attr_destroy(&attributes);
  return found;
}
bool is_own_stack_used_up(std::uintptr_t at) {
  thread_local const stack_range own = find_own_stack();
  return own.is_used_up(at);
}

// The pool's fiber on which the caller runs. Null: the caller runs on another stack, perhaps one of the program's own.
fiber* pool_fiber_at(std::uintptr_t at) {
  fiber* const running = running_fiber();
  return running != nullptr && running->contains(at) ? running : nullptr;
}

// The additional stack that this thread entered last and has not left, for callers that are not on a fiber of the pool.
// If the program moves such a stack to another thread while a destructor waits, the value is wrong afterwards: the
// destruction then takes one more additional stack than needed, or does not notice the end of its current one.
constinit thread_local stack_range further_stack{};
[[gnu::noinline]] stack_range entered_last() {
  asm volatile("");
  return further_stack;
}
[[gnu::noinline]] void enter(const stack_range& one) {
  asm volatile("");
  further_stack = one;
}

bool is_stack_used_up() {
  const std::uintptr_t at = filch::detail::stack_pointer();
  if (const fiber* const pool = pool_fiber_at(at)) return at < pool->low_mark();
  if (const stack_range further = entered_last(); further.contains(at)) return further.is_used_up(at);
  const latent_stack& stack = filch::detail::latent_stack_here();
  return is_none(stack) ? is_own_stack_used_up(at) : filch::is_used_up(stack, at);
}

struct destruction {
  std::coroutine_handle<> frame;
  fiber further{k_further_bytes};  // throws std::bad_alloc
  fiber* left = nullptr;

  void run() {
    further.prepare(&begin, this);
    if (fiber* const pool = pool_fiber_at(filch::detail::stack_pointer())) {
      left = pool;
      set_running_fiber(further);
      (void)fiber::switch_to(*pool, further);
      set_running_fiber(*pool);
    } else {
      fiber own;
      left = &own;
      const stack_range outer = entered_last();
      enter(range_of(further.lowest(), k_further_bytes));
      (void)fiber::switch_to(own, further);
      enter(outer);
    }
  }

 private:
  static void begin(void* with, fiber&) {
    auto& self = *static_cast<destruction*>(with);
    self.frame.destroy();
    (void)fiber::switch_to(self.further, *self.left, true);
  }
};

}  // namespace

// Without memory for an additional stack it continues on this one: a destructor cannot fail.
void destroy_frame_slow_path(std::coroutine_handle<> frame) noexcept {
  if (!is_stack_used_up()) return frame.destroy();
  std::optional<destruction> elsewhere;
  try {
    elsewhere.emplace(frame);
  } catch (const std::bad_alloc&) {
    return frame.destroy();
  }
  elsewhere->run();
}

}  // namespace filch::inline v0::coro
