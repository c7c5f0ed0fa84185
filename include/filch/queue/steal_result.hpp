// What an attempt to take an item from a shared queue can come to. "Empty" and "lost the race" are different facts: the
// first says look elsewhere, the second says there was work.
// kernel: light headers only
#pragma once

#include <cstdint>

namespace filch::inline v0::queue {

enum class steal_status : std::uint8_t {
  taken,  // the item is the caller's alone
  empty,  // there was nothing to take
  lost,   // there was something, and somebody else was quicker or is still putting it there
};

template <class T>
struct steal_result {
  steal_status status = steal_status::empty;
  T item{};  // meaningful only when taken

  [[nodiscard]] constexpr bool is_taken() const { return status == steal_status::taken; }
};

// What a batch came to: `item` is for the thief to run now, `moved` further items lie in its own deque.
template <class T>
struct steal_batch_result {
  steal_status status = steal_status::empty;
  T item{};
  std::uint32_t moved = 0;

  [[nodiscard]] constexpr bool is_taken() const { return status == steal_status::taken; }
};

// What a push to a bounded queue came to.
enum class push_status : std::uint8_t { pushed, full };

}  // namespace filch::inline v0::queue
