// Reductions: reduce, transform_reduce, count_if, count, min_element, max_element, minmax_element.
//
//   double sum  = filch::reduce(xs, 0.0);
//   double norm = filch::transform_reduce(xs, 0.0, std::plus<>{}, [](double x) { return x * x; });
//
// Who may call what: any thread. The result is the same, bit for bit, on any number of workers and in every run: the order
// in which values are combined depends on the number of elements (and on hint::grain) only. That order is a tree, see
// detail/tree.hpp, not that of std::accumulate; so `op` must be associative for all meant by it, but need not be
// commutative. Inside a leaf elements are combined from left to right; sums and products of floating point numbers with
// std::plus and std::multiplies go in 8 lanes, element i to lane i mod 8, which lets the compiler use vectors.
// The initial value comes first: op(init, tree).
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/tree.hpp>
#include <filch/algo/hint.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

namespace algo::detail {

// Sums and products may be taken in any order that depends on nothing but the number of elements.
template <class Op, class T>
inline constexpr bool goes_in_lanes =
    std::floating_point<T> && (std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<T>> ||
                               std::same_as<Op, std::multiplies<>> || std::same_as<Op, std::multiplies<T>>);

template <class T, class It, class Op, class F>
[[nodiscard]] T fold(It at, std::size_t count, Op& op, F& function) {
  constexpr std::size_t k_lanes = 8;
  if constexpr (goes_in_lanes<Op, T>) {
    const auto next = [&]() -> T {
      const T value = std::invoke(function, *at);
      ++at;
      return value;
    };
    if (count >= k_lanes) {
      std::array<T, k_lanes> lanes;
      for (T& lane : lanes) lane = next();
      for (count -= k_lanes; count >= k_lanes; count -= k_lanes) {
        std::array<T, k_lanes> now;
        for (std::size_t i = 0; i != k_lanes; ++i) now[i] = next();
        for (std::size_t i = 0; i != k_lanes; ++i) lanes[i] = op(lanes[i], now[i]);
      }
      for (std::size_t i = 0; i != count; ++i) lanes[i] = op(lanes[i], next());
      for (std::size_t width = k_lanes / 2; width != 0; width /= 2) {
        for (std::size_t i = 0; i != width; ++i) lanes[i] = op(lanes[i], lanes[i + width]);
      }
      return lanes[0];
    }
  }
  T sum = std::invoke(function, *at);
  (void)walk(std::next(at), count - 1, [&](const It& place) { sum = op(std::move(sum), std::invoke(function, *place)); });
  return sum;
}

template <class It, class T, class Op, class F>
[[nodiscard]] T reduce(It first, std::size_t count, T init, Op& op, F& function, hint given) {
  if (count == 0) return init;
  using site = std::pair<Op, F>*;
  auto leaf = [&](It at, std::size_t n) { return fold<T>(at, n, op, function); };
  return op(std::move(init), reduce_tree<T, std::pair<site, It>>(first, count, given, leaf, op));
}

template <class Range>
[[nodiscard]] std::size_t length(Range&& range) {
  return static_cast<std::size_t>(std::ranges::distance(range));
}

// One element out of all: `takes_right(left, right)` says whether the right one replaces the left.
template <class It, class Takes>
[[nodiscard]] It extreme(It first, std::size_t count, Takes takes_right, hint given) {
  auto better = [&](It left, It right) { return takes_right(*left, *right) ? right : left; };
  auto leaf = [&](It at, std::size_t n) {
    It best = at;
    (void)walk(std::next(at), n - 1, [&](const It& place) {
      if (takes_right(*best, *place)) [[unlikely]] best = place;  // a jump: a conditional move would make each step wait
    });
    return best;
  };
  return reduce_tree<It, Takes>(first, count, given, leaf, better);
}

}  // namespace algo::detail

// op(init, …) over function(element) of all elements.
template <walkable_iterator It, std::sentinel_for<It> End, std::movable T, combines_values<T> Op, callable_with_element<It> F>
[[nodiscard]] T transform_reduce(It first, End last, T init, Op op, F function, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  return algo::detail::reduce(first, count, std::move(init), op, function, given);
}
template <walkable_range R, std::movable T, combines_values<T> Op, callable_with_element<std::ranges::iterator_t<R>> F>
[[nodiscard]] T transform_reduce(R&& range, T init, Op op, F function, hint given = {}) {
  return algo::detail::reduce(std::ranges::begin(range), algo::detail::length(range), std::move(init), op, function, given);
}

// op(init, …) over all elements; without `op` their sum, without `init` from a value-initialised one.
template <walkable_iterator It, std::sentinel_for<It> End, std::movable T, combines_values<T> Op = std::plus<>>
[[nodiscard]] T reduce(It first, End last, T init, Op op = {}, hint given = {}) {
  return filch::transform_reduce(first, last, std::move(init), std::move(op), std::identity{}, given);
}
template <walkable_range R, std::movable T, combines_values<T> Op = std::plus<>>
[[nodiscard]] T reduce(R&& range, T init, Op op = {}, hint given = {}) {
  return filch::transform_reduce(range, std::move(init), std::move(op), std::identity{}, given);
}
template <walkable_iterator It, std::sentinel_for<It> End>
[[nodiscard]] std::iter_value_t<It> reduce(It first, End last) {
  return filch::reduce(first, last, std::iter_value_t<It>{});
}
template <walkable_range R>
[[nodiscard]] std::ranges::range_value_t<R> reduce(R&& range) {
  return filch::reduce(range, std::ranges::range_value_t<R>{});
}

// How many elements satisfy `predicate`, or equal `value`.
template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] std::iter_difference_t<It> count_if(It first, End last, P predicate, hint given = {}) {
  using number = std::iter_difference_t<It>;
  const auto one = [&](auto&& element) -> number { return std::invoke(predicate, element) ? 1 : 0; };
  return filch::transform_reduce(first, last, number{0}, std::plus<>{}, one, given);
}
template <walkable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] std::ranges::range_difference_t<R> count_if(R&& range, P predicate, hint given = {}) {
  return filch::count_if(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}
template <walkable_range R, class T>
[[nodiscard]] std::ranges::range_difference_t<R> count(R&& range, const T& value, hint given = {}) {
  return filch::count_if(range, [&](const auto& element) { return element == value; }, given);
}

// The first of the smallest elements, or the end of an empty range.
template <walkable_iterator It, std::sentinel_for<It> End, order_of_elements<It> Compare = std::less<>>
[[nodiscard]] It min_element(It first, End last, Compare compare = {}, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  if (count == 0) return first;
  return algo::detail::extreme(
      first, count, [&](auto&& l, auto&& r) { return static_cast<bool>(std::invoke(compare, r, l)); }, given);
}
template <walkable_range R, order_of_elements<std::ranges::iterator_t<R>> Compare = std::less<>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(R&& range, Compare compare = {}, hint given = {}) {
  return filch::min_element(std::ranges::begin(range), std::ranges::end(range), std::move(compare), given);
}

// The first of the largest elements, or the end of an empty range.
template <walkable_iterator It, std::sentinel_for<It> End, order_of_elements<It> Compare = std::less<>>
[[nodiscard]] It max_element(It first, End last, Compare compare = {}, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  if (count == 0) return first;
  return algo::detail::extreme(
      first, count, [&](auto&& l, auto&& r) { return static_cast<bool>(std::invoke(compare, l, r)); }, given);
}
template <walkable_range R, order_of_elements<std::ranges::iterator_t<R>> Compare = std::less<>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(R&& range, Compare compare = {}, hint given = {}) {
  return filch::max_element(std::ranges::begin(range), std::ranges::end(range), std::move(compare), given);
}

// The first of the smallest and the last of the largest elements, as std::minmax_element.
template <walkable_iterator It, std::sentinel_for<It> End, order_of_elements<It> Compare = std::less<>>
[[nodiscard]] std::pair<It, It> minmax_element(It first, End last, Compare compare = {}, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  if (count == 0) return {first, first};
  using two = std::pair<It, It>;
  auto better = [&](two left, two right) {
    return two{std::invoke(compare, *right.first, *left.first) ? right.first : left.first,
               std::invoke(compare, *right.second, *left.second) ? left.second : right.second};
  };
  const auto before = [&](auto&& l, auto&& r) { return static_cast<bool>(std::invoke(compare, l, r)); };
  auto leaf = [&](It at, std::size_t n) { return std::minmax_element(at, algo::detail::ahead(at, n), before); };
  return algo::detail::reduce_tree<two, std::pair<It, decltype(better)>>(first, count, given, leaf, better);
}
template <walkable_range R, order_of_elements<std::ranges::iterator_t<R>> Compare = std::less<>>
[[nodiscard]] auto minmax_element(R&& range, Compare compare = {}, hint given = {}) {
  return filch::minmax_element(std::ranges::begin(range), std::ranges::end(range), std::move(compare), given);
}

}  // namespace filch::inline v0
