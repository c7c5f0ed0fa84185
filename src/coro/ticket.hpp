// A coroutine that are ready, as the queues of the runtime know it.
//
// It is a task of its own, which ends when the coroutine suspends or ends: by then the coroutine may be on another
// worker, or gone. So it does not lie in the frame.
#pragma once

#include <filch/coro/detail/frame_memory.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/runtime/task.hpp>

#include <coroutine>
#include <cstddef>
#include <new>

namespace filch::inline v0::coro {

class ticket final : public task_base {
 public:
  // `of_child`: the promise of `resumed`, where it is a child among several.
  explicit ticket(std::coroutine_handle<> resumed, promise_base* of_child = nullptr)
      : task_base{1}, child{of_child}, resumed_{resumed} {
    ignores_shutdown = true;  // somebody waits for it
  }

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate_frame_or_null(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { free_frame(memory, bytes); }

  promise_base* const child;

 private:
  void run() noexcept override { resume_here(resumed_); }
  void abandon() noexcept override {}

  const std::coroutine_handle<> resumed_;
};

}  // namespace filch::inline v0::coro
