// Reductions: reduce, transform_reduce, count_if, count, min_element, max_element, minmax_element.
//
//   double sum  = filch::reduce(xs, 0.0);
//   double norm = filch::transform_reduce(xs, 0.0, std::plus<>{}, [](double x) { return x * x; });
//   double dot  = filch::transform_reduce(xs, ys, 0.0);
//
// Who may call what: any thread. The result is the same, bit for bit, on any number of workers and in every run: the
// order in which values are combined depends on the number of elements (and on hint::grain) only. That order is a tree,
// see detail/tree.hpp, not that of std::accumulate; so `op` must be associative for all meant by it, but need not be
// commutative. Inside a leaf elements are combined from left to right; sums and products of floating point numbers with
// std::plus and std::multiplies go in 8 lanes, element i to lane i mod 8, which lets the compiler use vectors. The
// initial value comes first: op(init, tree).
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/one_copy.hpp>
#include <filch/algo/detail/tree.hpp>
#include <filch/algo/hint.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

namespace algo::detail {

// Sums and products may be taken in any order that depends on nothing but the number of elements.
template <class Op, class T>
inline constexpr bool goes_in_lanes =
    std::floating_point<T> && (std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<T>> ||
                               std::same_as<Op, std::multiplies<>> || std::same_as<Op, std::multiplies<T>>);

// What F makes of elements, when they are gone again: of those that are temporaries it must not keep a reference.
template <class F, class... It>
using result_of_elements =
    std::conditional_t<(std::is_lvalue_reference_v<std::iter_reference_t<It>> && ...),
                       std::invoke_result_t<F&, std::iter_reference_t<It>...>,
                       std::remove_cvref_t<std::invoke_result_t<F&, std::iter_reference_t<It>...>>>;

// `value(at)` is what stands at a position: an iterator or an index.
template <class T, class At, class Op, class Value>
[[nodiscard]] T fold(At at, std::size_t count, Op& op, const Value& value) {
  constexpr std::size_t k_lanes = 8;
  if constexpr (goes_in_lanes<Op, T>) {
    const auto next = [&]() -> T {
      const T now = value(at);
      ++at;
      return now;
    };
    if (count >= k_lanes) {
      std::array<T, k_lanes> lanes;
      for (T& local_work : lanes) local_work = next();
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
  T sum = value(at);
  (void)detail::walk(++at, count - 1, [&](const At& place) { sum = op(std::move(sum), value(place)); });
  return sum;
}

template <class Site, class At, class T, class Op, class Value>
[[nodiscard]] T reduce(At first, std::size_t count, T init, Op& op, hint given, const Value& value) {
  if (count == 0) return init;
  auto leaf = [&](At at, std::size_t n) { return detail::fold<T>(at, n, op, value); };
  return detail::combined<T>(op, std::move(init), detail::reduce_tree<T, Site>(first, count, given, leaf, op));
}

template <class It, class T, class Op, class F>
[[nodiscard]] T reduce_elements(It first, std::size_t count, T init, Op& op, F& function, hint given) {
  const auto value = [&](const It& at) -> result_of_elements<F, It> { return std::invoke(function, *at); };
  return detail::reduce<std::tuple<Op, F, It>>(first, count, std::move(init), op, given, value);
}

// One element out of all: `takes_right(left, right)` says whether the right one replaces the left.
template <class It, class Takes>
[[nodiscard]] It extreme(It first, std::size_t count, Takes takes_right, hint given) {
  auto better = [&](It left, It right) { return takes_right(left, right) ? right : left; };
  auto leaf = [&](It at, std::size_t n) {
    It best = at;
    (void)detail::walk(detail::ahead(at, 1), n - 1, [&](const It& place) {
      if (takes_right(best, place)) [[unlikely]]
        best = place;  // a jump: a conditional move would make each step wait
    });
    return best;
  };
  return detail::reduce_tree<It, Takes>(first, count, given, leaf, better);
}

}  // namespace algo::detail

// op(init, …) over function(element) of all elements.
template <walkable_iterator It, reachable_end<It> End, std::movable T, combines_values<T> Op, gives_value<T, It> F>
[[nodiscard]] T transform_reduce(It first, End last, T init, Op op, F function, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  return algo::detail::reduce_elements(first, count, std::move(init), op, function, given);
}
template <walkable_range R, std::movable T, combines_values<T> Op, gives_value<T, std::ranges::iterator_t<R>> F>
[[nodiscard]] T transform_reduce(R&& range, T init, Op op, F function, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(range));
  return algo::detail::reduce_elements(std::ranges::begin(range), count, std::move(init), op, function, given);
}

// op(init, …) over function(in[i], second[i]); without `op` and `function` the inner product.
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Second, std::movable T,
          combines_values<T> Op = std::plus<>, gives_value<T, In, Second> F = std::multiplies<>>
[[nodiscard]] T transform_reduce(In first, End last, Second second, T init, Op op = {}, F function = {},
                                 hint given = {}) {
  const auto value = [&](std::size_t i) -> algo::detail::result_of_elements<F, In, Second> {
    return std::invoke(function, *algo::detail::ahead(first, i), *algo::detail::ahead(second, i));
  };
  return algo::detail::reduce<std::tuple<Op, F, In, Second>>(std::size_t{0}, static_cast<std::size_t>(last - first),
                                                             std::move(init), op, given, value);
}
// As long as the shorter of the two.
template <indexable_range R, indexable_range S, std::movable T, combines_values<T> Op = std::plus<>,
          gives_value<T, std::ranges::iterator_t<R>, std::ranges::iterator_t<S>> F = std::multiplies<>>
[[nodiscard]] T transform_reduce(R&& range, S&& second, T init, Op op = {}, F function = {}, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::transform_reduce(first, algo::detail::ahead(first, algo::detail::shorter(range, second)),
                                 std::ranges::begin(second), std::move(init), std::move(op), std::move(function),
                                 given);
}

// op(init, …) over all elements; without `op` their sum, without `init` from a value-initialised one.
template <walkable_iterator It, reachable_end<It> End, std::movable T, combines_values<T> Op = std::plus<>>
  requires gives_value<std::identity, T, It>
[[nodiscard]] T reduce(It first, End last, T init, Op op = {}, hint given = {}) {
  return filch::transform_reduce(first, last, std::move(init), std::move(op), std::identity{}, given);
}
template <walkable_range R, std::movable T, combines_values<T> Op = std::plus<>>
  requires gives_value<std::identity, T, std::ranges::iterator_t<R>>
[[nodiscard]] T reduce(R&& range, T init, Op op = {}, hint given = {}) {
  return filch::transform_reduce(range, std::move(init), std::move(op), std::identity{}, given);
}
template <walkable_iterator It, reachable_end<It> End>
[[nodiscard]] std::iter_value_t<It> reduce(It first, End last) {
  return filch::reduce(first, last, std::iter_value_t<It>{});
}
template <walkable_range R>
[[nodiscard]] std::ranges::range_value_t<R> reduce(R&& range) {
  return filch::reduce(range, std::ranges::range_value_t<R>{});
}

// How many elements satisfy `predicate`, or equal `value`.
template <walkable_iterator It, reachable_end<It> End, predicate_on_element<It> P>
[[nodiscard]] std::iter_difference_t<It> count_if(It first, End last, P predicate, hint given = {}) {
  using number = std::iter_difference_t<It>;
  const auto one = [&](auto&& element) -> number {
    return std::invoke(predicate, std::forward<decltype(element)>(element)) ? 1 : 0;
  };
  return filch::transform_reduce(first, last, number{0}, std::plus<>{}, one, given);
}
template <walkable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] std::ranges::range_difference_t<R> count_if(R&& range, P predicate, hint given = {}) {
  return filch::count_if(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}
template <walkable_iterator It, reachable_end<It> End, comparable_with_element<It> T>
[[nodiscard]] std::iter_difference_t<It> count(It first, End last, const T& value, hint given = {}) {
  const auto is_equal = [&](auto&& element) -> bool { return std::forward<decltype(element)>(element) == value; };
  return filch::count_if(first, last, is_equal, given);
}
template <walkable_range R, comparable_with_element<std::ranges::iterator_t<R>> T>
[[nodiscard]] std::ranges::range_difference_t<R> count(R&& range, const T& value, hint given = {}) {
  return filch::count(std::ranges::begin(range), std::ranges::end(range), value, given);
}

// The first of the smallest elements, or the end of an empty range.
template <walkable_iterator It, reachable_end<It> End, order_of_elements<It> Compare = std::less<>>
[[nodiscard]] It min_element(It first, End last, Compare compare = {}, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  if (count == 0) return first;
  return algo::detail::extreme(
      first, count, [&](const It& l, const It& r) -> bool { return std::invoke(compare, *r, *l); }, given);
}
template <walkable_range R, order_of_elements<std::ranges::iterator_t<R>> Compare = std::less<>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(R&& range, Compare compare = {}, hint given = {}) {
  return filch::min_element(std::ranges::begin(range), std::ranges::end(range), std::move(compare), given);
}

// The first of the largest elements, or the end of an empty range.
template <walkable_iterator It, reachable_end<It> End, order_of_elements<It> Compare = std::less<>>
[[nodiscard]] It max_element(It first, End last, Compare compare = {}, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  if (count == 0) return first;
  return algo::detail::extreme(
      first, count, [&](const It& l, const It& r) -> bool { return std::invoke(compare, *l, *r); }, given);
}
template <walkable_range R, order_of_elements<std::ranges::iterator_t<R>> Compare = std::less<>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(R&& range, Compare compare = {}, hint given = {}) {
  return filch::max_element(std::ranges::begin(range), std::ranges::end(range), std::move(compare), given);
}

// The first of the smallest and the last of the largest elements, as std::minmax_element.
template <walkable_iterator It, reachable_end<It> End, order_of_elements<It> Compare = std::less<>>
[[nodiscard]] std::pair<It, It> minmax_element(It first, End last, Compare compare = {}, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  if (count == 0) return {first, first};
  using two = std::pair<It, It>;
  auto better = [&](two left, two right) {
    return two{std::invoke(compare, *right.first, *left.first) ? right.first : left.first,
               std::invoke(compare, *right.second, *left.second) ? left.second : right.second};
  };
  const auto before = [&](auto&& l, auto&& r) -> bool {
    return std::invoke(compare, std::forward<decltype(l)>(l), std::forward<decltype(r)>(r));
  };
  auto leaf = [&](It at, std::size_t n) { return std::minmax_element(at, algo::detail::ahead(at, n), before); };
  return algo::detail::reduce_tree<two, std::pair<It, decltype(better)>>(first, count, given, leaf, better);
}
template <walkable_range R, order_of_elements<std::ranges::iterator_t<R>> Compare = std::less<>>
[[nodiscard]] std::pair<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<R>> minmax_element(
    R&& range, Compare compare = {}, hint given = {}) {
  return filch::minmax_element(std::ranges::begin(range), std::ranges::end(range), std::move(compare), given);
}

}  // namespace filch::inline v0
