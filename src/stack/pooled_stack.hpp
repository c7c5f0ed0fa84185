// A stack of a pool: a fiber, and above its stack some bytes of the pool's user.
//
// Who may call what: the thread that has it from the pool.
#pragma once

#include "fiber.hpp"

#include <cstddef>

namespace filch::inline v0 {

// What a pool's user has above each of its stacks: a number of bytes, and what is put there when the stack is made.
// They live as long as the stack, and nothing is destroyed there.
struct stack_header {
  static constexpr std::size_t k_alignment = 64;

  std::size_t bytes = 0;
  void (*construct)(void* memory) noexcept = nullptr;
};

struct pooled_stack {
  // Throws std::bad_alloc.
  pooled_stack(std::size_t stack_bytes, const stack_header& above)
      : body{stack_bytes, k_distance + above.bytes}, header{body.top() + k_distance} {
    if (above.construct != nullptr) above.construct(header);
  }

  fiber body;
  void* const header;
  fiber* entered = &body;  // what runs, or is continued: it, or a further one on which it continues

 private:
  // The header lies above the frames, at a fixed distance: then no frame of the first levels has the same place in a
  // page as the header, which a processor would take for the same address at first.
  static constexpr std::size_t k_distance = 512;  // guess
};

}  // namespace filch::inline v0
