// What the algorithms ask of their arguments. A call that asks for more than it brings names one of these.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <ranges>

namespace filch::inline v0 {

// Any element can be reached at once: what can be cut anywhere.
template <class It>
concept indexable_iterator = std::random_access_iterator<It>;
template <class R>
concept indexable_range = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

// Elements stay where they are and can be reached by walking: what can be cut by walking to the middle.
template <class It>
concept walkable_iterator = std::forward_iterator<It>;
template <class R>
concept walkable_range = std::ranges::forward_range<R>;

// Elements come once, one after the other.
template <class R>
concept readable_once_range = std::ranges::input_range<R> && !std::ranges::forward_range<R>;

// May be called with an element, by several threads at the same time.
template <class F, class It>
concept callable_with_element = std::invocable<F&, std::iter_reference_t<It>>;
template <class F, class It>
concept predicate_on_element = std::predicate<F&, std::iter_reference_t<It>>;
template <class F, class It>
concept order_of_elements = std::indirect_strict_weak_order<F, It>;

// Elements can be moved and compared in place.
template <class It, class Compare>
concept sortable_iterator = indexable_iterator<It> && std::sortable<It, Compare>;
template <class R, class Compare>
concept sortable_range = indexable_range<R> && std::sortable<std::ranges::iterator_t<R>, Compare>;

// Two values of T make one: op(op(a, b), c) means op(a, op(b, c)). That it does, the caller promises.
template <class Op, class T>
concept combines_values = std::invocable<Op&, T, T> && std::convertible_to<std::invoke_result_t<Op&, T, T>, T>;

}  // namespace filch::inline v0
