// Memory for coroutine frames: free lists of each worker's thread, by size, and a depot that all threads share.
//
// Who may call what: any thread. On threads that are no workers this is the heap. Memory may be freed on any thread.
#pragma once

#include <cstddef>

namespace filch::inline v0::coro {

// Throws std::bad_alloc.
[[nodiscard, gnu::noinline]] void* allocate_frame(std::size_t bytes);
// The same, null instead.
[[nodiscard, gnu::noinline]] void* allocate_frame_or_null(std::size_t bytes) noexcept;
[[gnu::noinline]] void free_frame(void* memory, std::size_t bytes) noexcept;

}  // namespace filch::inline v0::coro
