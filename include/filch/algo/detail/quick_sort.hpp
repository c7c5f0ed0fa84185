// Quicksort with forks. A part is partitioned by a pivot, in parallel if a thief requests work meanwhile; then its
// right side is forked and its left side resumes. Parts below k_fork are done without forks, parts below k_leaf by
// std::sort. A selection resumes with the side that holds the place it is asked for, and ends with std::nth_element.
#pragma once

#include <filch/algo/detail/partitioning.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>

namespace filch::inline v0::algo::detail {

template <class It, class Compare>
class quick_sorter {
 public:
  explicit quick_sorter(Compare& compare) : compare_{compare} {}

  void run(It first, It last) {
    const auto count = static_cast<std::size_t>(last - first);
    (void)detail::stack_of_loop();
    if (count < 2 || is_in_order(first, last)) return;
    const int depth = 2 * static_cast<int>(std::bit_width(count));
    if (count < k_enter) sort(first, last, depth);
    else detail::enter([&] { sort(first, last, depth); });
  }
  // Puts at `nth` what belongs there.
  void select(It first, It nth, It last) {
    (void)detail::stack_of_loop();
    int depth = 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(last - first)));
    while (last - first > k_leaf && depth-- > 0) {
      const divided at = divide(first, last);
      if (nth < at.middle) last = at.middle;
      else if (nth < at.right) return;
      else first = at.right;
    }
    std::nth_element(first, nth, last, by());
  }

 private:
  // bench/algo: with cheap values the own partition is quicker than std::sort down to small parts.
  static constexpr std::ptrdiff_t k_leaf = has_small_values<It> ? 128 : 512;
  static constexpr std::ptrdiff_t k_fork = 2048;
  static constexpr std::ptrdiff_t k_lazy_partition = 1 << 15;
  static constexpr std::size_t k_enter = 1 << 13;

  [[nodiscard]] bool before(It a, It b) { return std::invoke(compare_, *a, *b); }
  [[nodiscard]] auto by() {
    return [this](auto&& a, auto&& b) { return static_cast<bool>(std::invoke(compare_, a, b)); };
  }

  // Sorted already, or strictly descending: then it is turned round. Random input is left after a few steps.
  [[nodiscard]] bool is_in_order(It first, It last) {
    It at = first;
    while (at + 1 != last && !before(at + 1, at)) ++at;
    if (at + 1 == last) return true;
    if (at != first) return false;
    while (at + 1 != last && before(at + 1, at)) ++at;
    if (at + 1 != last) return false;
    std::reverse(first, last);
    return true;
  }

  void sort(It first, It last, int depth) {
    while (last - first > k_leaf && depth-- > 0) {
      const divided at = divide(first, last);
      if (last - at.right > k_fork && at.middle - first > k_fork) {
        if (latent_stack* const stack = current_latent_stack()) {
          auto lower = [&] { sort(first, at.middle, depth); };
          auto upper = [&] { sort(at.right, last, depth); };
          (void)v0::detail::join_two(*stack, lower, upper);
          return;
        }
      }
      sort(first, at.middle, depth);
      first = at.right;
    }
    std::sort(first, last, by());
  }

  // A pivot at its place, with what is less before it and the rest behind.
  struct divided {
    It middle;
    It right;  // what lies between equals the pivot
  };
  [[nodiscard]] divided divide(It first, It last) {
    put_pivot_first(first, last);
    It middle = split_off(first + 1, last,
                          [this, first](auto&& x) { return static_cast<bool>(std::invoke(compare_, x, *first)); });
    --middle;
    std::ranges::iter_swap(first, middle);  // [first, middle) < *middle, the rest is not
    It right = middle + 1;
    // Few were smaller: perhaps many are equal, and those are at their place.
    if (middle - first < (last - first) / 8) {
      right = split_off(right, last, [this, middle](auto&& x) { return !std::invoke(compare_, *middle, x); });
    }
    return {middle, right};
  }

  // A median of 3, or of 9 in large parts.
  void put_pivot_first(It first, It last) {
    const auto count = last - first;
    It pivot = first + count / 2;
    if (count > 512) {
      const auto step = count / 9;
      pivot = median(median(first, first + step, first + 2 * step), median(first + 3 * step, pivot, first + 5 * step),
                     median(first + 6 * step, first + 7 * step, last - 1));
    } else {
      pivot = median(first, pivot, last - 1);
    }
    std::ranges::iter_swap(first, pivot);
  }
  [[nodiscard]] It median(It a, It b, It c) {
    if (before(b, a)) std::swap(a, b);
    if (!before(c, b)) return b;
    return before(c, a) ? a : c;
  }

  template <class P>
  [[nodiscard]] It split_off(It first, It last, P predicate) {
    if (last - first >= k_lazy_partition) return partitioner<It, P>{predicate, {}}.run(first, last);
    if constexpr (has_small_values<It>) return detail::partition_block(first, first, last, predicate);
    else return std::partition(first, last, predicate);
  }

  Compare& compare_;
};

}  // namespace filch::inline v0::algo::detail
