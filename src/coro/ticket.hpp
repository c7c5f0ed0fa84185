// A ticket: a task that resumes a ready coroutine, for the queues of the runtime.
//
// The task ends when the coroutine suspends or ends. By then the coroutine may run on another worker, or its frame may
// be destroyed; so the ticket does not lie in the frame.
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
  explicit ticket(std::coroutine_handle<> resumed) : task_base{1}, resumed_{resumed} {
    ignores_shutdown = true;  // another party waits for the coroutine
  }

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate_frame_or_null(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { free_frame(memory, bytes); }

 private:
  void run() noexcept override { resume_here(resumed_); }
  void abandon() noexcept override {}

  const std::coroutine_handle<> resumed_;
};

}  // namespace filch::inline v0::coro
