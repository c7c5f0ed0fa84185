// A fiber: a stack of its own that is entered and left by an explicit switch on the one thread of the checker.
//
// A fiber may be abandoned in the middle of its function (a failed execution does so) and started again later with
// another function; whatever lay on its stack is then forgotten without running destructors.
#pragma once

#include <cstddef>

namespace filch::check {

class fiber {
 public:
  using entry = void (*)(void* argument);  // must not return: it ends with a switch away

  fiber() = default;  // the thread that is running now; becomes valid by being switched away from
  explicit fiber(std::size_t stack_bytes);
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber();

  // The next switch to this fiber calls `function(argument)` on an empty stack.
  void prepare(entry function, void* argument);

  // Leaves `from` (the fiber that runs now) and continues `to`. `last` says that `from` is never continued.
  static void switch_to(fiber& from, fiber& to, bool last = false);

 private:
  friend void fiber_started(fiber& self);

  void* stack_pointer_ = nullptr;
  std::byte* mapping_ = nullptr;  // guard page first, then the stack
  std::size_t mapping_bytes_ = 0;
  std::byte* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
  entry function_ = nullptr;
  void* argument_ = nullptr;
  void* fake_stack_ = nullptr;      // AddressSanitizer's, while this fiber is not running
  void* exception_state_[2] = {};   // the C++ runtime's per-thread record of exceptions being handled
#if !defined(__x86_64__)
  void* context_ = nullptr;  // ucontext_t
#endif
};

}  // namespace filch::check
