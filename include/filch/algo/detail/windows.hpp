// Algorithms in which every block needs something from all blocks before it: scans, copy_if.
//
// Blocks are done one after the other in one pass, until somebody asks for work. Then the next k_window blocks are done in
// two passes with a short serial step between: the first finds what each block adds, the second uses what was before it.
// One thread alone does everything once.
#pragma once

#include <filch/algo/detail/lazy_loop.hpp>

#include <algorithm>
#include <cstddef>

namespace filch::inline v0::algo::detail {

inline constexpr std::size_t k_window_block = 1024;
// 256 blocks of 1024 doubles are 2 MiB: the second pass finds them in a cache (guess).
inline constexpr std::size_t k_window = 256;
// Less than this is not begun on another thread than the caller's.
inline constexpr std::size_t k_windows_worth = 16 * k_window_block;

// Steps: one(block), the serial step over it; many(first, blocks), both passes.
template <class One, class Many>
void run_in_windows(std::size_t blocks, One&& one, Many&& many) {
  std::size_t next = 0;
  const auto go_on = [&] {
    latent_stack* const stack = current_latent_stack();
    while (next != blocks) {
      const std::size_t now = std::min(blocks - next, k_window);
      if (stack != nullptr && now > 1 && is_asked(*stack)) {
        many(next, now);
        next += now;
      } else {
        one(next++);
      }
    }
  };
  if (blocks * k_window_block < k_windows_worth) go_on();
  else enter(go_on);
}

}  // namespace filch::inline v0::algo::detail
