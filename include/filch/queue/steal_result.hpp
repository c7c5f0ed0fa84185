// The results of an attempt to take an item from a shared queue. "Empty" and "lost the race" are different results:
// after the first the thief looks elsewhere; the second tells it that there was work.
// kernel: light headers only
#pragma once

#include <cstdint>

namespace filch::inline v0::queue {

enum class steal_status : std::uint8_t {
  taken,  // the caller owns the item
  empty,  // there was no item
  lost,   // there was an item, but another thread took it first, or its push is not complete
};

template <class T>
struct steal_result {
  steal_status status = steal_status::empty;
  T item{};  // meaningful only when taken

  [[nodiscard]] constexpr bool is_taken() const { return status == steal_status::taken; }
};

// The result of stealing a batch: the thief runs `item` now; `moved` further items lie in its own deque.
template <class T>
struct steal_batch_result {
  steal_status status = steal_status::empty;
  T item{};
  std::uint32_t moved = 0;

  [[nodiscard]] constexpr bool is_taken() const { return status == steal_status::taken; }
};

// The result of a push to a bounded queue.
enum class push_status : std::uint8_t { pushed, full };

}  // namespace filch::inline v0::queue
