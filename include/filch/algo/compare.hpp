// Comparisons that end as soon as the answer is known: mismatch, equal, adjacent_find, is_sorted.
//
//   auto [a, b] = filch::mismatch(xs, ys);             where they begin to differ
//   bool same   = filch::equal(xs, ys);
//   bool sorted = filch::is_sorted(xs);
//
// Who may call what: any thread. What is said of searches in find.hpp holds here, too.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/find.hpp>
#include <filch/algo/hint.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace filch::inline v0 {

// The first two elements at the same place that are not `same`, or the end of the shorter range and what stands there
// in the other.
template <indexable_iterator A, std::sized_sentinel_for<A> AEnd, indexable_iterator B, std::sized_sentinel_for<B> BEnd,
          relation_of_elements<A, B> Same = std::equal_to<>>
[[nodiscard]] std::pair<A, B> mismatch(A first, AEnd first_end, B second, BEnd second_end, Same same = {},
                                       hint given = {}) {
  const auto count =
      (std::min)(static_cast<std::size_t>(first_end - first), static_cast<std::size_t>(second_end - second));
  const auto differ = [&](std::size_t i) {
    return !std::invoke(same, *algo::detail::ahead(first, i), *algo::detail::ahead(second, i));
  };
  const std::size_t found = algo::detail::find_index<std::pair<Same, A>>(std::size_t{0}, count, given, differ);
  return {algo::detail::ahead(first, found), algo::detail::ahead(second, found)};
}
template <indexable_range A, indexable_range B,
          relation_of_elements<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>> Same = std::equal_to<>>
[[nodiscard]] std::pair<std::ranges::borrowed_iterator_t<A>, std::ranges::borrowed_iterator_t<B>> mismatch(
    A&& first, B&& second, Same same = {}, hint given = {}) {
  const auto a = std::ranges::begin(first);
  const auto b = std::ranges::begin(second);
  return filch::mismatch(a, a + std::ranges::distance(first), b, b + std::ranges::distance(second), std::move(same),
                         given);
}

// As many elements in both, and those at the same place are the `same`.
template <indexable_iterator A, std::sized_sentinel_for<A> AEnd, indexable_iterator B, std::sized_sentinel_for<B> BEnd,
          relation_of_elements<A, B> Same = std::equal_to<>>
[[nodiscard]] bool equal(A first, AEnd first_end, B second, BEnd second_end, Same same = {}, hint given = {}) {
  if (static_cast<std::size_t>(first_end - first) != static_cast<std::size_t>(second_end - second)) return false;
  return filch::mismatch(first, first_end, second, second_end, std::move(same), given).first == first_end;
}
template <indexable_range A, indexable_range B,
          relation_of_elements<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>> Same = std::equal_to<>>
[[nodiscard]] bool equal(A&& first, B&& second, Same same = {}, hint given = {}) {
  const auto a = std::ranges::begin(first);
  const auto b = std::ranges::begin(second);
  return filch::equal(a, a + std::ranges::distance(first), b, b + std::ranges::distance(second), std::move(same),
                      given);
}

// The first element that is the `same` as the next one, or the end.
template <indexable_iterator It, std::sized_sentinel_for<It> End, relation_of_elements<It, It> Same = std::equal_to<>>
[[nodiscard]] It adjacent_find(It first, End last, Same same = {}, hint given = {}) {
  const auto count = static_cast<std::size_t>(last - first);
  if (count == 0) return first;
  const auto accepts = [&](const It& at) -> bool { return std::invoke(same, *at, *(at + 1)); };
  const std::size_t found = algo::detail::find_index<Same>(first, count - 1, given, accepts);
  return algo::detail::ahead(first, found == count - 1 ? count : found);
}
template <indexable_range R,
          relation_of_elements<std::ranges::iterator_t<R>, std::ranges::iterator_t<R>> Same = std::equal_to<>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> adjacent_find(R&& range, Same same = {}, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::adjacent_find(first, first + std::ranges::distance(range), std::move(same), given);
}

// No element comes before the one to its left.
template <indexable_iterator It, std::sized_sentinel_for<It> End, order_of_elements<It> Compare = std::less<>>
[[nodiscard]] bool is_sorted(It first, End last, Compare compare = {}, hint given = {}) {
  const auto is_wrong = [&](auto&& left, auto&& right) -> bool {
    return std::invoke(compare, std::forward<decltype(right)>(right), std::forward<decltype(left)>(left));
  };
  return filch::adjacent_find(first, last, is_wrong, given) == last;
}
template <indexable_range R, order_of_elements<std::ranges::iterator_t<R>> Compare = std::less<>>
[[nodiscard]] bool is_sorted(R&& range, Compare compare = {}, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::is_sorted(first, first + std::ranges::distance(range), std::move(compare), given);
}

}  // namespace filch::inline v0
