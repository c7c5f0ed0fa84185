// What the algorithms ask of their arguments. A call that asks for more than it brings names one of these.
#pragma once

#include <filch/algo/hint.hpp>

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

// There is an end. Only searches take a range that resumes for ever, such as std::views::iota(0).
template <class End, class It>
concept reachable_end = std::sentinel_for<End, It> && !std::same_as<End, std::unreachable_sentinel_t>;

// Elements stay where they are and can be reached by walking: what can be cut by walking to the middle.
template <class It>
concept walkable_iterator = std::forward_iterator<It>;
template <class R>
concept searchable_range = std::ranges::forward_range<R>;
template <class R>
concept walkable_range = searchable_range<R> && reachable_end<std::ranges::sentinel_t<R>, std::ranges::iterator_t<R>>;

// Elements come once, one after the other.
template <class R>
concept readable_once_range = std::ranges::input_range<R> && !std::ranges::forward_range<R>;

// A number that counts places.
template <class I>
concept index_number = std::integral<I> && !std::same_as<I, bool>;

// May be called with an element, by several threads at the same time.
template <class F, class It>
concept callable_with_element = std::invocable<F&, std::iter_reference_t<It>>;
template <class F, class It>
concept predicate_on_element = std::predicate<F&, std::iter_reference_t<It>>;
template <class F, class It>
concept order_of_elements = std::indirect_strict_weak_order<F, It>;
template <class F, class It, class Second>
concept relation_of_elements = std::predicate<F&, std::iter_reference_t<It>, std::iter_reference_t<Second>>;
// element == value says whether they are equal.
template <class T, class It>
concept comparable_with_element = requires(std::iter_reference_t<It> (&element)(), const T& value) {
  { element() == value } -> std::convertible_to<bool>;
};

// Elements can be moved and compared in place.
template <class It, class Compare>
concept sortable_iterator = indexable_iterator<It> && std::sortable<It, Compare>;
template <class R, class Compare>
concept sortable_range = indexable_range<R> && std::sortable<std::ranges::iterator_t<R>, Compare>;

// Two values of T make one: op(op(a, b), c) means op(a, op(b, c)). That it does, the caller promises.
template <class Op, class T>
concept combines_values = std::invocable<Op&, T, T> && std::convertible_to<std::invoke_result_t<Op&, T, T>, T>;

// The same with values that are needed again afterwards.
template <class Op, class T>
concept combines_copies =
    combines_values<Op, T> && std::invocable<Op&, T&, T&> && std::convertible_to<std::invoke_result_t<Op&, T&, T&>, T>;
// What stands before the first element.
template <class T>
concept initial_value = std::copyable<T> && !std::same_as<T, hint>;

// Makes a T of an element, or of several at the same place of several sequences.
template <class F, class T, class... It>
concept gives_value = std::invocable<F&, std::iter_reference_t<It>...> &&
                      std::convertible_to<std::invoke_result_t<F&, std::iter_reference_t<It>...>, T>;

// The output: values, or what a function makes of the elements of one or several sequences, can be assigned to its
// elements.
template <class Out, class T>
concept takes_values = indexable_iterator<Out> && std::indirectly_writable<Out, T>;
template <class Out, class F, class... It>
concept takes_results = indexable_iterator<Out> && std::invocable<F&, std::iter_reference_t<It>...> &&
                        std::indirectly_writable<Out, std::invoke_result_t<F&, std::iter_reference_t<It>...>>;

}  // namespace filch::inline v0
