// Partitioning in place: serial in blocks, divided at a request.
//
// A strand keeps [begin, small_end) accepted and [small_end, at) refused, and takes one element after the other from
// `at` on. At a request, the upper half of the rest is partitioned elsewhere; then the refused ones of the lower part
// and the accepted ones of the upper part that lie between them change places. Elements are only swapped, so none is
// lost when the predicate throws.
#pragma once

#include <filch/algo/detail/lazy_loop.hpp>
#include <filch/algo/detail/merging.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

namespace filch::inline v0::algo::detail {

// Goes on from `at` to `end`; returns the new end of the accepted ones.
template <class It, class P>
[[nodiscard]] It partition_block(It small_end, It at, It end, P& predicate) {
  for (; at != end; ++at) {
    if constexpr (has_small_values<It>) {
      // No jump depends on the predicate: the two elements change places in any case.
      const auto value = *at;
      const bool is_small = std::invoke(predicate, *at);
      *at = *small_end;
      *small_end = value;
      small_end += static_cast<std::iter_difference_t<It>>(is_small);
    } else if (std::invoke(predicate, *at)) {
      if (at != small_end) std::ranges::iter_swap(small_end, at);
      ++small_end;
    }
  }
  return small_end;
}

template <class It, class P>
class partitioner {
 public:
  partitioner(P& predicate, hint given) : predicate_{predicate}, fresh_{given, cost_at<P>} {}

  [[nodiscard]] It run(It first, It last) {
    (void)detail::stack_of_loop();
    return strand(first, first, last, fresh_);
  }

 private:
  [[nodiscard]] It strand(It small_end, It at, It last, pace mine) {
    latent_stack* const stack = current_latent_stack();
    mine.start(static_cast<std::size_t>(last - at));
    while (at != last) {
      const std::size_t now = mine.next(static_cast<std::size_t>(last - at));
      const It end = detail::ahead(at, now);
      small_end = detail::partition_block(small_end, at, end, predicate_);
      at = end;
      mine.note(now);
      const auto left = static_cast<std::size_t>(last - at);
      if (stack == nullptr) [[unlikely]] {
        if (mine.total_ticks() < k_worth_ticks || !mine.is_worth(left)) continue;
        return detail::enter([&] { return strand(small_end, at, last, mine); });
      }
      if (!is_share_requested(*stack)) [[likely]]
        continue;
      if (mine.is_worth(left) && is_requested(*stack)) return split(*stack, small_end, at, last, mine);
    }
    return small_end;
  }

  [[gnu::noinline]] It split(latent_stack& stack, It small_end, It at, It last, const pace& mine) {
    const It middle = detail::ahead(at, mine.lower_half(static_cast<std::size_t>(last - at)));
    auto lower = [&] { return strand(small_end, at, middle, mine); };
    auto upper = [&] { return strand(middle, middle, last, mine); };
    const auto [below, above] = v0::detail::join_two(stack, lower, upper);
    const auto accepted = above - middle;  // lie behind the refused ones of the lower part
    const auto swapped = static_cast<std::size_t>((std::min)(middle - below, accepted));
    const It from = below;
    const It to = above - static_cast<std::iter_difference_t<It>>(swapped);
    detail::run_lazily<partitioner>(std::size_t{0}, swapped, {}, [&](std::size_t i, std::size_t n) {
      std::ranges::swap_ranges(detail::ahead(from, i), detail::ahead(from, i + n), detail::ahead(to, i),
                               std::unreachable_sentinel);
      return i + n;
    });
    return below + accepted;
  }

  P& predicate_;
  const pace fresh_;
};

}  // namespace filch::inline v0::algo::detail
