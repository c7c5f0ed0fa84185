// A worker's free lists are two batches per size: the one that is taken from and put to, and a full one in reserve, so that
// a worker at the border of a batch does not go to the depot at every turn.
#include <filch/coro/detail/frame_memory.hpp>

#include "coro/depot.hpp"

#include <array>
#include <cstddef>
#include <new>
#include <utility>

#ifdef FILCH_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace filch::inline v0::coro {
namespace {

constexpr std::size_t k_depot_batches = 16;  // guess

// Full batches, by size. Never destroyed: threads may end after the program's statics.
using depots = std::array<depot<free_block, k_depot_batches>, lane::k_sizes>;
depots& all_depots() {
  alignas(depots) static std::byte memory[sizeof(depots)];  // the first frame may be asked for when the heap has none
  static depots* const the_ones = ::new (static_cast<void*>(memory)) depots;
  return *the_ones;
}

std::size_t bytes_of(std::size_t size) { return (size + 1) * lane::k_granule_bytes; }

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

}  // namespace

void* find_block(std::size_t bytes) noexcept {
  const std::size_t size = block_size(bytes);
  if (size >= lane::k_sizes) return ::operator new(bytes, std::nothrow);
  if (lane* const mine = current_lane()) {
    free_blocks& list = mine->blocks[size];
    if (list.first != nullptr || refill(list, size)) {
      free_block* const block = std::exchange(list.first, list.first->next);
      --list.count;
      permit(block, size);
      return block;
    }
  }
  return ::operator new(bytes_of(size), std::nothrow);
}

void put_block(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = block_size(bytes);
  lane* const mine = size < lane::k_sizes ? current_lane() : nullptr;
  if (mine == nullptr) return ::operator delete(memory);
  free_blocks& list = mine->blocks[size];
  if (list.count == free_blocks::k_batch) make_room(list, size);
  list.first = ::new (memory) free_block{list.first};
  ++list.count;
  forbid(list.first, size);
}

void throw_bad_alloc() { throw std::bad_alloc(); }

}  // namespace filch::inline v0::coro
