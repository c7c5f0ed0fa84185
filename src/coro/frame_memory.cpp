// A worker holds up to two batches per size: the current list, and a full batch in reserve, so that a worker that
// alternates at the border of a batch does not visit the global free list each time. External threads have such lists
// too: a thread that spawns from outside reuses the memory of tasks that ended on workers.
#include <filch/coro/detail/frame_memory.hpp>

#include "coro/global_free_list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <utility>

#ifdef FILCH_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace filch::inline v0::coro {
namespace {

constexpr std::size_t k_global_batches = 64;  // guess

// Full batches, by size. Never destroyed: threads may outlive the program's static objects.
using global_lists = std::array<global_free_list<free_block, k_global_batches>, local_work::k_sizes>;
global_lists& all_global_lists() {
  alignas(global_lists) static std::byte memory[sizeof(global_lists)];  // not on the heap, which may be exhausted
  static global_lists* const the_ones = ::new (static_cast<void*>(memory)) global_lists;
  return *the_ones;
}

std::size_t bytes_of(std::size_t size) { return (size + 1) * local_work::k_granule_bytes; }

void free_all(free_block* first) noexcept {
  while (first != nullptr) ::operator delete(std::exchange(first, first->next));
}

// With AddressSanitizer: all of a free block but its link is poisoned.
void forbid([[maybe_unused]] free_block* block, [[maybe_unused]] std::size_t size) {
#ifdef FILCH_ASAN
  __asan_poison_memory_region(block + 1, bytes_of(size) - sizeof(free_block));
#endif
}
void permit([[maybe_unused]] free_block* block, [[maybe_unused]] std::size_t size) {
#ifdef FILCH_ASAN
  __asan_unpoison_memory_region(block + 1, bytes_of(size) - sizeof(free_block));
#endif
}

// The next block may have been used last by another worker: prefetches it while the caller writes the current one.
void prepare_next(const free_blocks& list, std::size_t size) noexcept {
  constexpr std::size_t k_most_bytes = 256;
  constexpr std::size_t k_line_bytes = 64;
  const auto* const next = reinterpret_cast<const std::byte*>(list.first);
  if (next == nullptr) return;
  for (std::size_t at = 0; at < std::min(bytes_of(size), k_most_bytes); at += k_line_bytes)
    __builtin_prefetch(next + at, 1);
}

// Refills an empty list with the reserve, or with a batch of the global list. False: there is none.
bool refill(free_blocks& list, std::size_t size) noexcept {
  list.first = list.reserve != nullptr ? std::exchange(list.reserve, nullptr) : all_global_lists()[size].take();
  if (list.first == nullptr) return false;
  list.count = free_blocks::k_batch;
  return true;
}

// Makes the full list the reserve; the old reserve goes to the global list.
void make_room(free_blocks& list, std::size_t size) noexcept {
  if (list.reserve != nullptr && !all_global_lists()[size].put(list.reserve)) free_all(list.reserve);
  list.reserve = std::exchange(list.first, nullptr);
  list.count = 0;
}

// The lists of an external thread.
struct external_thread_lists {
  free_blocks of[local_work::k_sizes];

  external_thread_lists() = default;
  external_thread_lists(const external_thread_lists&) = delete;
  external_thread_lists& operator=(const external_thread_lists&) = delete;
  ~external_thread_lists() { are_gone = true; }

  static constinit thread_local bool are_gone;  // frames may be freed after the thread's lists were destroyed
};
constinit thread_local bool external_thread_lists::are_gone = false;

// The lists of the calling thread; null: they were destroyed.
free_blocks* lists_of_thread() noexcept {
  if (local_work* const mine = current_local_work()) return mine->blocks;
  if (external_thread_lists::are_gone) return nullptr;
  thread_local external_thread_lists mine;
  return mine.of;
}

}  // namespace

void* find_block(std::size_t bytes) noexcept {
  const std::size_t size = block_size(bytes);
  if (size >= local_work::k_sizes) return ::operator new(bytes, std::nothrow);
  if (free_blocks* const lists = lists_of_thread()) {
    free_blocks& list = lists[size];
    if (list.first != nullptr || refill(list, size)) {
      free_block* const block = std::exchange(list.first, list.first->next);
      --list.count;
      prepare_next(list, size);
      permit(block, size);
      return block;
    }
  }
  return ::operator new(bytes_of(size), std::nothrow);
}

void put_block(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = block_size(bytes);
  free_blocks* const lists = size < local_work::k_sizes ? lists_of_thread() : nullptr;
  if (lists == nullptr) return ::operator delete(memory);
  free_blocks& list = lists[size];
  if (list.count == free_blocks::k_batch) make_room(list, size);
  list.first = ::new (memory) free_block{list.first};
  ++list.count;
  forbid(list.first, size);
}

void throw_bad_alloc() { throw std::bad_alloc(); }

}  // namespace filch::inline v0::coro
