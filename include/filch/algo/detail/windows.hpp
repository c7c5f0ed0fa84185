// Algorithms in which every block needs something from all blocks before it: scans, copy_if.
//
// Blocks are done one after the other in one pass, until a request comes. Then the next k_window blocks are done in two
// passes with a short serial step between: the first finds what each block adds, the second uses what was before it.
// One thread alone does everything once.
#pragma once

#include <filch/algo/detail/lazy_loop.hpp>
#include <filch/algo/hint.hpp>

#include <algorithm>
#include <cstddef>

namespace filch::inline v0::algo::detail {

inline constexpr std::size_t k_window_block = 1024;
// 256 blocks of 1024 doubles are 2 MiB: the second pass finds them in a cache (guess).
inline constexpr std::size_t k_window = 256;
// Less than this is not begun on another thread than the caller's.
inline constexpr std::size_t k_windows_worth = 16 * k_window_block;

// `count` elements in blocks of k_window_block, or of the caller's grain.
class window_blocks {
 public:
  window_blocks(std::size_t count, hint given)
      : count_{count},
        size_{given.grain == 0 ? k_window_block : (std::min)(given.grain, (std::max)(count, std::size_t{1}))},
        is_worth_{given.grain != 0 ? count > size_ : count >= k_windows_worth} {}

  [[nodiscard]] std::size_t number() const { return count_ / size_ + (count_ % size_ != 0 ? 1 : 0); }
  // The end of a block is the begin of the next.
  [[nodiscard]] std::size_t begin_of(std::size_t block) const { return (std::min)(count_, block * size_); }
  // Enough for other threads.
  [[nodiscard]] bool is_worth() const { return is_worth_; }

 private:
  std::size_t count_;
  std::size_t size_;
  bool is_worth_;
};

// Steps: one(block), the serial step over it; many(first, blocks), both passes.
template <class One, class Many>
void run_in_windows(const window_blocks& all, One&& one, Many&& many) {
  const std::size_t blocks = all.number();
  std::size_t next = 0;
  const auto go_on = [&] {
    latent_stack* const stack = detail::stack_of_loop();
    while (next != blocks) {
      const std::size_t now = (std::min)(blocks - next, k_window);
      if (stack != nullptr && now > 1 && is_requested(*stack)) {
        many(next, now);
        next += now;
      } else {
        one(next++);
      }
    }
  };
  if (all.is_worth()) detail::enter(go_on);
  else go_on();
}

}  // namespace filch::inline v0::algo::detail
