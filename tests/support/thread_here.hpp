// The thread that runs the caller now.
#pragma once

#include <thread>

namespace filch_test {

// For code that may change its thread: compilers take std::this_thread::get_id() for a constant of the function it
// stands in.
[[gnu::noinline]] inline std::thread::id thread_here() {
  asm volatile("" ::: "memory");
  return std::this_thread::get_id();
}

}  // namespace filch_test
