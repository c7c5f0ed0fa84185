// Memory for coroutine frames: free lists per worker and size, and a global free list that all threads share.
//
// Each frame is preceded by room for the record of a spawned task, so that a spawned task is one allocation:
//
//   record, used if the task is spawned | frame
//
// Who may call what: any thread. Memory may be freed on any thread.
#pragma once

#include <filch/share/local_work.hpp>

#include <cstddef>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define FILCH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FILCH_ASAN 1
#endif
#endif

namespace filch::inline v0::coro {

// The slow paths, for when the worker's own list is empty or full. Null: there is no memory.
[[nodiscard, gnu::cold, gnu::noinline]] void* find_block(std::size_t bytes) noexcept;
[[gnu::cold, gnu::noinline]] void put_block(void* memory, std::size_t bytes) noexcept;
[[noreturn, gnu::cold, gnu::noinline]] void throw_bad_alloc();

constexpr std::size_t block_size(std::size_t bytes) { return (bytes - 1) / local_work::k_granule_bytes; }

// Null: there is no memory.
[[nodiscard]] inline void* allocate_frame_or_null(std::size_t bytes) noexcept {
#ifndef FILCH_ASAN  // with AddressSanitizer free blocks are poisoned: the slow path unpoisons them
  if (const std::size_t size = block_size(bytes); size < local_work::k_sizes) {
    if (local_work* const mine = current_local_work()) [[likely]] {
      free_blocks& list = mine->blocks[size];
      if (free_block* const block = list.first) [[likely]] {
        list.first = block->next;
        --list.count;
        return block;
      }
    }
  }
#endif
  return find_block(bytes);
}
// Throws std::bad_alloc.
[[nodiscard]] inline void* allocate_frame(std::size_t bytes) {
  void* const memory = allocate_frame_or_null(bytes);
  if (memory == nullptr) [[unlikely]]
    throw_bad_alloc();
  return memory;
}
inline void free_frame(void* memory, std::size_t bytes) noexcept {
#ifndef FILCH_ASAN
  if (const std::size_t size = block_size(bytes); size < local_work::k_sizes) {
    if (local_work* const mine = current_local_work()) [[likely]] {
      free_blocks& list = mine->blocks[size];
      if (list.count != free_blocks::k_batch) [[likely]] {
        list.first = ::new (memory) free_block{list.first};
        ++list.count;
        return;
      }
    }
  }
#endif
  put_block(memory, bytes);
}

inline constexpr std::size_t k_record_bytes = 48;

inline void* record_place(void* frame) noexcept { return static_cast<std::byte*>(frame) - k_record_bytes; }

[[nodiscard]] inline void* allocate_coroutine(std::size_t bytes) {
  return static_cast<std::byte*>(allocate_frame(bytes + k_record_bytes)) + k_record_bytes;
}
inline void free_coroutine(void* frame, std::size_t bytes) noexcept {
  free_frame(record_place(frame), bytes + k_record_bytes);
}

}  // namespace filch::inline v0::coro
