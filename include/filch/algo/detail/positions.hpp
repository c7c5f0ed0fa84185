// Positions in what a loop goes over: indices and iterators.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace filch::inline v0::algo::detail {

template <std::integral I>
[[nodiscard]] constexpr I ahead(I at, std::size_t count) {
  return static_cast<I>(static_cast<std::make_unsigned_t<I>>(at) + static_cast<std::make_unsigned_t<I>>(count));
}
template <std::forward_iterator It>
[[nodiscard]] constexpr It ahead(It at, std::size_t count) {
  return std::ranges::next(at, static_cast<std::iter_difference_t<It>>(count));
}

// A place among elements that knows its index.
template <class It>
struct numbered {
  It at;
  std::size_t index;
};
template <class It>
[[nodiscard]] constexpr numbered<It> ahead(numbered<It> from, std::size_t count) {
  return {detail::ahead(from.at, count), from.index + count};
}

// How many elements two ranges have both.
template <class R, class S>
[[nodiscard]] constexpr std::size_t shorter(R& range, S& second) {
  return (std::min)(static_cast<std::size_t>(std::ranges::distance(range)),
                    static_cast<std::size_t>(std::ranges::distance(second)));
}

// Calls `function` with `count` positions from `at` on; returns the one behind.
template <class At, class F>
constexpr At walk(At at, std::size_t count, F&& function) {
  if constexpr (std::integral<At> || std::random_access_iterator<At>) {
    const At end = detail::ahead(at, count);
    for (; at != end; ++at) function(at);
  } else {
    for (; count != 0; --count, (void)++at) function(at);
  }
  return at;
}

// Can any position be reached from the first at once?
template <class At>
inline constexpr bool is_indexable = std::integral<At> || std::random_access_iterator<At>;
template <class It>
inline constexpr bool is_indexable<numbered<It>> = is_indexable<It>;

}  // namespace filch::inline v0::algo::detail
