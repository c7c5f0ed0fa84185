// Merge sort with a buffer, and with forks. Runs are sorted by insertion; then they are merged to and fro between the
// range and the buffer. Invariant: however a part ends, by an exception of the comparison or of a fork, too, all its
// elements are where its result belongs.
#pragma once

#include <filch/algo/detail/merging.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace filch::inline v0::algo::detail {

template <class Compare>
class merge_sorter {
 public:
  explicit merge_sorter(Compare& compare) : compare_{compare}, merger_{compare, {}} {}

  // Sorts what lies at `from`; the result is at `to` if `moves`, else at `from`. The other place is overwritten.
  template <class From, class To>
  void sort(From from, To to, std::size_t count, bool moves) {
    if (count <= (has_small_values<From> ? k_small_run : k_run)) {
      try {
        insertion_sort(from, count);
      } catch (...) {
        if (moves) move_all(from, to, count);
        throw;
      }
      if (moves) move_all(from, to, count);
      return;
    }
    const std::size_t half = count / 2;
    bool lower_began = false;
    bool upper_began = false;
    try {
      auto lower = [&] {
        lower_began = true;
        sort(from, to, half, !moves);
      };
      auto upper = [&] {
        upper_began = true;
        sort(detail::ahead(from, half), detail::ahead(to, half), count - half, !moves);
      };
      both(lower, upper, count);
    } catch (...) {  // of a half, or of the fork itself: what has not begun is where it was
      if (!lower_began && !moves) move_all(from, to, half);
      if (!upper_began && !moves) move_all(detail::ahead(from, half), detail::ahead(to, half), count - half);
      if (moves) move_all(from, to, count);
      else move_all(to, from, count);
      throw;
    }
    if (moves) merge(from, to, half, count);
    else merge(to, from, half, count);
  }

 private:
  // bench/algo: what is cheap to move is quicker to insert than to merge.
  static constexpr std::size_t k_small_run = 16;
  static constexpr std::size_t k_run = 8;
  static constexpr std::size_t k_fork = 2048;

  template <class F, class G>
  void both(F& lower, G& upper, std::size_t count) {
    if (count > k_fork) {
      if (latent_stack* const stack = current_latent_stack()) {
        (void)v0::detail::join_two(*stack, lower, upper);
        return;
      }
    }
    lower();
    upper();
  }

  template <class From, class To>
  void merge(From from, To to, std::size_t half, std::size_t count) {
    const From middle = detail::ahead(from, half);
    if (are_in_order(from, middle, to, count)) return;
    if (count <= k_fork) merger_.run_serially(from, half, middle, count - half, to);
    else merger_.run(from, half, middle, count - half, to);
  }

  // Two runs that follow each other need no merge.
  template <class From, class To>
  [[nodiscard]] bool are_in_order(From from, From middle, To to, std::size_t count) {
    bool result = false;
    try {
      result = !std::invoke(compare_, *middle, *(middle - 1));
    } catch (...) {
      move_all(from, to, count);
      throw;
    }
    if (result) move_all(from, to, count);
    return result;
  }

  template <class From, class To>
  static void move_all(From from, To to, std::size_t count) {
    for (; count != 0; --count, (void)++from, (void)++to) *to = std::ranges::iter_move(from);
  }

  template <class It>
  void insertion_sort(It first, std::size_t count) {
    using value = std::iter_value_t<It>;
    const It last = detail::ahead(first, count);
    for (It next = first; next != last; ++next) {
      if (next == first || !std::invoke(compare_, *next, *(next - 1))) continue;
      value held = std::ranges::iter_move(next);
      It hole = next;
      try {
        do {
          *hole = std::ranges::iter_move(hole - 1);
          --hole;
        } while (hole != first && std::invoke(compare_, held, *(hole - 1)));
      } catch (...) {
        *hole = std::move(held);
        throw;
      }
      *hole = std::move(held);
    }
  }

  Compare& compare_;
  merger<true, Compare> merger_;
};

// Memory for `count` objects that are there only if they have been constructed.
template <class T>
class raw_buffer {
 public:
  explicit raw_buffer(std::size_t count) : count_{count}, first_{std::allocator<T>{}.allocate(count)} {}
  raw_buffer(const raw_buffer&) = delete;
  raw_buffer& operator=(const raw_buffer&) = delete;
  ~raw_buffer() { std::allocator<T>{}.deallocate(first_, count_); }

  [[nodiscard]] T* first() const { return first_; }

 private:
  const std::size_t count_;
  T* const first_;
};

template <class It, class Compare>
void merge_sort_with_buffer(It first, std::size_t count, Compare& compare) {
  using value = std::iter_value_t<It>;
  constexpr std::size_t k_enter = 1 << 12;
  const raw_buffer<value> buffer{count};
  merge_sorter<Compare> sorter{compare};
  const auto work = [&] {
    if constexpr (std::is_trivially_copyable_v<value>) {
      sorter.sort(first, buffer.first(), count, false);
    } else {
      value* const end = std::uninitialized_move_n(first, count, buffer.first()).second;
      struct destroyed_at_end {
        value* from;
        value* to;
        ~destroyed_at_end() { std::destroy(from, to); }
      } const constructed{buffer.first(), end};
      sorter.sort(buffer.first(), first, count, true);
    }
  };
  if (count < k_enter) work();
  else detail::enter(work);
}

// Moves first[order[i]] to first[i] for all i, one cycle of the permutation after the other.
template <class It>
void put_in_order(It first, std::vector<std::size_t>& order) {
  for (std::size_t i = 0; i != order.size(); ++i) {
    if (order[i] == i) continue;
    std::iter_value_t<It> held = std::ranges::iter_move(detail::ahead(first, i));
    std::size_t hole = i;
    while (order[hole] != i) {
      const std::size_t next = std::exchange(order[hole], hole);
      *detail::ahead(first, hole) = std::ranges::iter_move(detail::ahead(first, next));
      hole = next;
    }
    *detail::ahead(first, hole) = std::move(held);
    order[hole] = hole;
  }
}

template <class It, class Compare>
void merge_sort(It first, std::size_t count, Compare& compare) {
  using value = std::iter_value_t<It>;
  (void)detail::stack_of_loop();
  if (count < 2) return;
  if constexpr (std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>) {
    detail::merge_sort_with_buffer(first, count, compare);
  } else {
    // Their positions are sorted, and then each is moved once.
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto by_element = [&](std::size_t a, std::size_t b) -> bool {
      return std::invoke(compare, *detail::ahead(first, a), *detail::ahead(first, b));
    };
    detail::merge_sort_with_buffer(order.begin(), count, by_element);
    detail::put_in_order(first, order);
  }
}

}  // namespace filch::inline v0::algo::detail
