#include <filch/coro/detail/destroy_frame.hpp>

#include "runtime/suspension.hpp"
#include "stack/fiber.hpp"

#include <pthread.h>

#include <cstddef>
#include <new>
#include <optional>

namespace filch::inline v0::coro {
namespace {

// guess: some thousand levels. ThreadSanitizer's record of the calls on one stack ends at 64 Ki, some for each level.
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

// Of the thread itself. Empty: the system does not say.
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

// The fiber of the pool on which the caller runs. Null: it runs on another stack, which the program may have made.
fiber* pool_fiber_at(std::uintptr_t at) {
  fiber* const running = running_fiber();
  return running != nullptr && running->contains(at) ? running : nullptr;
}

// The further stack that a caller on no fiber of the pool has entered last and not left. If the program moves such a
// stack to another thread while a destructor waits, this is wrong afterwards: that costs one further stack, or the
// knowledge where this one ends.
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

// Without memory for a further stack it resumes on this one: a destructor cannot fail.
void destroy_frame_with_care(std::coroutine_handle<> frame) noexcept {
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
