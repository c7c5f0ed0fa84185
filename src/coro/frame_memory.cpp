// A worker's free lists are two batches per size: the one that is taken from and put to, and a full one in reserve, so
// that a worker at the border of a batch does not go to the depot at every turn. Other threads have the same lists: who
// spawns from outside gets the memory of what has ended on the workers.
#include <filch/coro/detail/frame_memory.hpp>

#include "coro/depot.hpp"

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

constexpr std::size_t k_depot_batches = 64;  // guess

// Full batches, by size. Never destroyed: threads may end after the program's statics.
using depots = std::array<depot<free_block, k_depot_batches>, local_work::k_sizes>;
depots& all_depots() {
  alignas(depots) static std::byte memory[sizeof(depots)];  // the first frame may be asked for when the heap has none
  static depots* const the_ones = ::new (static_cast<void*>(memory)) depots;
  return *the_ones;
}

std::size_t bytes_of(std::size_t size) { return (size + 1) * local_work::k_granule_bytes; }

void free_all(free_block* first) noexcept {
  while (first != nullptr) ::operator delete(std::exchange(first, first->next));
}

// What a free block holds beyond its link is nobody's.
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

// The next block was perhaps used by another worker last: it comes nearer while the caller writes this one.
void prepare_next(const free_blocks& list, std::size_t size) noexcept {
  constexpr std::size_t k_most_bytes = 256;
  constexpr std::size_t k_line_bytes = 64;
  const auto* const next = reinterpret_cast<const std::byte*>(list.first);
  if (next == nullptr) return;
  for (std::size_t at = 0; at < std::min(bytes_of(size), k_most_bytes); at += k_line_bytes)
    __builtin_prefetch(next + at, 1);
}

// An empty list gets the reserve, or a batch from the depot. False: there is none.
bool refill(free_blocks& list, std::size_t size) noexcept {
  list.first = list.reserve != nullptr ? std::exchange(list.reserve, nullptr) : all_depots()[size].take();
  if (list.first == nullptr) return false;
  list.count = free_blocks::k_batch;
  return true;
}

// A full list becomes the reserve, and the reserve goes to the depot.
void make_room(free_blocks& list, std::size_t size) noexcept {
  if (list.reserve != nullptr && !all_depots()[size].put(list.reserve)) free_all(list.reserve);
  list.reserve = std::exchange(list.first, nullptr);
  list.count = 0;
}

// Of a thread that is no worker.
struct outside_lists {
  free_blocks of[local_work::k_sizes];

  outside_lists() = default;
  outside_lists(const outside_lists&) = delete;
  outside_lists& operator=(const outside_lists&) = delete;
  ~outside_lists() { are_gone = true; }

  static constinit thread_local bool are_gone;  // frames may be freed when the thread is nearly over
};
constinit thread_local bool outside_lists::are_gone = false;

// Of the calling thread; null: it has none.
free_blocks* lists_of_thread() noexcept {
  if (local_work* const mine = current_local_work()) return mine->blocks;
  if (outside_lists::are_gone) return nullptr;
  thread_local outside_lists mine;
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
