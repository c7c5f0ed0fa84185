// A fiber: a stack of its own that is entered and left by an explicit switch, on whichever thread comes along.
//
// Who may call what: a fiber is entered by one thread at a time; between two switches no other thread touches it.
// The sanitizers are told of every switch.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FILCH_ASAN 1
#elif __has_feature(thread_sanitizer)
#define FILCH_TSAN_FIBERS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define FILCH_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define FILCH_TSAN_FIBERS 1
#endif

namespace filch::inline v0 {

// How much of a stack of `stack_bytes` is kept for what a function does beside its joins, and for throwing.
[[nodiscard]] constexpr std::size_t stack_reserve_bytes(std::size_t stack_bytes) {
  constexpr std::size_t k_enough = std::size_t{64} << 10;  // guess
  return stack_bytes / 4 < k_enough ? stack_bytes / 4 : k_enough;
}

class fiber {
 public:
  // What a fiber runs; `left` is the fiber from which it was entered. It must not return: it ends by a switch away.
  using entry = void (*)(void* argument, fiber& left);

  // AddressSanitizer does not clean stacks of more than 64 MiB when an exception passes, and then reports false errors.
#ifdef FILCH_ASAN
  static constexpr std::size_t k_most_bytes = std::size_t{60} << 20;
#else
  static constexpr std::size_t k_most_bytes = SIZE_MAX;
#endif

  // The stack that the calling thread runs on now; becomes enterable by being left.
  fiber();
  // A stack of its own, committed as it is used, with a guard page below. Above it `top_bytes` are left to the caller,
  // which stay as they are. Throws std::bad_alloc.
  explicit fiber(std::size_t stack_bytes, std::size_t top_bytes = 0);
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber();

  // The next switch to this fiber calls `function(argument, left)` on an empty stack. Whatever lay there is forgotten.
  void prepare(entry function, void* argument);

  // Leaves `from`, which runs now, and continues `to`. Returns when a thread switches to `from` again: the fiber that
  // it was entered from, perhaps on another thread. `is_last`: `from` will be prepared anew or destroyed.
  static fiber& switch_to(fiber& from, fiber& to, bool is_last = false);

  // The caller's bytes.
  [[nodiscard]] std::byte* top() const { return stack_ + stack_bytes_; }

  // Own stacks only.
  [[nodiscard]] bool contains(std::uintptr_t address) const { return address - lowest() < stack_bytes_; }
  [[nodiscard]] std::uintptr_t lowest() const { return reinterpret_cast<std::uintptr_t>(stack_); }
  // A frame below this address has little stack left. Own stacks only.
  [[nodiscard]] std::uintptr_t low_mark() const;

  // Gives the pages back that lie deeper than a few.
  void discard();

 private:
  friend struct fiber_start;
  void arrive(fiber& left);
  static void exchange_exceptions(fiber& from, const fiber& to);
  void unpoison();

  void* position_ = nullptr;      // where it continues (switch_stack.hpp)
  std::byte* mapping_ = nullptr;  // guard page first, then the stack; null: a thread's own stack
  std::size_t mapping_bytes_ = 0;
  std::byte* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
  entry function_ = nullptr;
  void* argument_ = nullptr;
  void* exception_state_[2] = {};                // the C++ runtime's record of exceptions being handled
  [[maybe_unused]] void* fake_stack_ = nullptr;  // AddressSanitizer's
  [[maybe_unused]] void* tsan_fiber_ = nullptr;  // ThreadSanitizer's
};

}  // namespace filch::inline v0
