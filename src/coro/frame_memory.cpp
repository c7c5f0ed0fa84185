// A thread's free lists are two batches per size: the one that is taken from and put to, and a full one in reserve, so that
// a thread at the border of a batch does not go to the depot at every turn.
#include <filch/coro/detail/frame_memory.hpp>

#include "coro/depot.hpp"
#include "runtime/worker.hpp"

#include <array>
#include <cstdint>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define FILCH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FILCH_ASAN 1
#endif
#endif
#ifdef FILCH_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace filch::inline v0::coro {
namespace {

constexpr std::size_t k_granule_bytes = 64;
constexpr std::size_t k_sizes = 16;          // larger frames come from the heap; guess
constexpr std::uint32_t k_batch_blocks = 32;  // guess
constexpr std::size_t k_depot_batches = 16;   // guess

struct free_block {
  free_block* next;
};

struct batch {
  free_block* first = nullptr;
  std::uint32_t count = 0;
};

// Full batches, by size. Never destroyed: threads may end after the program's statics.
using depots = std::array<depot<free_block, k_depot_batches>, k_sizes>;
depots& all_depots() {
  static depots* const the_ones = new depots;
  return *the_ones;
}

std::size_t size_of(std::size_t bytes) { return (bytes - 1) / k_granule_bytes; }
std::size_t bytes_of(std::size_t size) { return (size + 1) * k_granule_bytes; }

void free_all(batch& some) noexcept {
  while (some.first != nullptr) ::operator delete(std::exchange(some.first, some.first->next));
  some.count = 0;
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

class frame_cache {
 public:
  frame_cache() = default;
  frame_cache(const frame_cache&) = delete;
  frame_cache& operator=(const frame_cache&) = delete;
  ~frame_cache() {
    for (free_lists& of_size : lists_) {
      free_all(of_size.open);
      free_all(of_size.full);
    }
  }

  // Null: there is none.
  [[nodiscard]] free_block* get(std::size_t size) noexcept {
    batch& open = lists_[size].open;
    if (open.count == 0 && !refill(size)) return nullptr;
    --open.count;
    free_block* const block = std::exchange(open.first, open.first->next);
    permit(block, size);
    return block;
  }
  void put(free_block* block, std::size_t size) noexcept {
    batch& open = lists_[size].open;
    if (open.count == k_batch_blocks) make_room(size);
    forbid(block, size);
    block->next = open.first;
    open.first = block;
    ++open.count;
  }

 private:
  struct free_lists {
    batch open;
    batch full;  // full or empty
  };

  [[gnu::noinline]] bool refill(std::size_t size) noexcept {
    free_lists& mine = lists_[size];
    if (mine.full.count == 0) mine.full.first = all_depots()[size].take();
    mine.open = std::exchange(mine.full, batch{});
    if (mine.open.first == nullptr) return false;
    mine.open.count = k_batch_blocks;
    return true;
  }
  [[gnu::noinline]] void make_room(std::size_t size) noexcept {
    free_lists& mine = lists_[size];
    if (mine.full.count != 0 && !all_depots()[size].put(mine.full.first)) free_all(mine.full);
    mine.full = std::exchange(mine.open, batch{});
  }

  free_lists lists_[k_sizes];
};

// Null on threads that have none: those that are no workers, and those that end.
constinit thread_local frame_cache* cache_of_thread = nullptr;

struct cache_owner {
  cache_owner() { cache_of_thread = &cache; }
  cache_owner(const cache_owner&) = delete;
  cache_owner& operator=(const cache_owner&) = delete;
  ~cache_owner() { cache_of_thread = nullptr; }

  frame_cache cache;
};

// A worker's thread gets its lists when it first frees a frame.
[[gnu::noinline]] frame_cache* open_cache() noexcept {
  if (worker::current() == nullptr) return nullptr;
  static thread_local cache_owner owner;
  return cache_of_thread;  // null again when the thread ends
}

}  // namespace

void* allocate_frame_or_null(std::size_t bytes) noexcept {
  const std::size_t size = size_of(bytes);
  if (size >= k_sizes) return ::operator new(bytes, std::nothrow);
  if (frame_cache* const cache = cache_of_thread) {
    if (free_block* const block = cache->get(size)) return block;
  }
  return ::operator new(bytes_of(size), std::nothrow);
}

void* allocate_frame(std::size_t bytes) {
  if (void* const memory = allocate_frame_or_null(bytes)) return memory;
  throw std::bad_alloc();
}

void free_frame(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = size_of(bytes);
  if (size < k_sizes) {
    frame_cache* cache = cache_of_thread;
    if (cache == nullptr) cache = open_cache();
    if (cache != nullptr) return cache->put(::new (memory) free_block, size);
  }
  ::operator delete(memory);
}

}  // namespace filch::inline v0::coro
