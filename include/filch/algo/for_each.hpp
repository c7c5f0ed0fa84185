// Loops: for_each, for_each_n, for_index, transform, copy, fill, generate.
//
//   filch::for_each(xs, [](auto& x) { work(x); });
//   filch::for_index(n, [&](std::size_t i) { c[i] = a[i] + b[i]; });
//   filch::transform(xs, ys.begin(), f);
//
// Who may call what: any thread; threads that are no workers begin themselves and hand over to the default runtime when
// it is worth it. The function is called for different elements at the same time, in no order; on one worker in order.
// When it throws, elements that have not begun are left out; all that have begun end; then the exception is rethrown,
// the one of the lowest element if there are several. Nothing is split unless an idle worker asks: see
// detail/lazy_loop.hpp.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/lazy_loop.hpp>
#include <filch/algo/hint.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace filch::inline v0 {

namespace algo::detail {

template <class It, class F>
void each(It first, std::size_t count, F& function, hint given) {
  detail::run_lazily<F>(first, count, given, [&](It at, std::size_t n) {
    return detail::walk(at, n, [&](const It& place) { (void)std::invoke(function, *place); });
  });
}

// What can be read once is read by one at a time into one of two blocks, while the elements of the other are worked on.
template <class R, class F>
void each_read_once(R& range, F& function, hint given) {
  struct held {  // so that a bool is an object of its own
    std::ranges::range_value_t<R> value;
  };
  constexpr std::size_t k_most = 4096;
  auto next = std::ranges::begin(range);
  const auto end = std::ranges::end(range);
  std::size_t size = 1;
  std::vector<held> current;
  std::vector<held> coming;
  const auto function_of_held = [&](held& one) { (void)std::invoke(function, one.value); };
  const auto read = [&] {
    coming.clear();
    for (; coming.size() != size && next != end; ++next)
      coming.push_back({static_cast<std::ranges::range_value_t<R>>(*next)});
    size = (std::min)(size * 2, k_most);
  };
  read();
  while (!coming.empty()) {
    std::swap(current, coming);
    auto work = [&] { detail::each(current.begin(), current.size(), function_of_held, given); };
    auto reading = [&] { read(); };
    (void)v0::detail::join_two(v0::detail::latent_stack_here(), work, reading);
  }
}

// Positions in several sequences that go forward together.
template <class Body>
void over_indices(std::size_t count, hint given, Body&& body) {
  detail::run_lazily<std::remove_reference_t<Body>>(std::size_t{0}, count, given, [&](std::size_t at, std::size_t n) {
    body(at, n);
    return at + n;
  });
}

template <class It>
[[nodiscard]] It at(It first, std::size_t index) {
  return first + static_cast<std::iter_difference_t<It>>(index);
}

[[noreturn, gnu::cold]] inline void refuse_index(long long first) {
  throw std::invalid_argument("filch::for_index: first is " + std::to_string(first) +
                              "; before an unsigned last allowed are 0 and more");
}

}  // namespace algo::detail

// Calls `function` with every element. What it returns is dropped.
template <walkable_iterator It, reachable_end<It> End, callable_with_element<It> F>
void for_each(It first, End last, F function, hint given = {}) {
  algo::detail::each(first, static_cast<std::size_t>(std::ranges::distance(first, last)), function, given);
}
template <walkable_range R, callable_with_element<std::ranges::iterator_t<R>> F>
void for_each(R&& range, F function, hint given = {}) {
  algo::detail::each(std::ranges::begin(range), static_cast<std::size_t>(std::ranges::distance(range)), function,
                     given);
}
// A range that can be read only once: elements are moved or copied into blocks, and the function gets those.
template <readable_once_range R, std::invocable<std::ranges::range_value_t<R>&> F>
void for_each(R&& range, F function, hint given = {}) {
  algo::detail::enter([&] { algo::detail::each_read_once(range, function, given); },
                      algo::detail::outside_work::unknown);
}

// Calls `function` with the first `count` elements; returns the place behind them.
template <walkable_iterator It, callable_with_element<It> F>
It for_each_n(It first, std::size_t count, F function, hint given = {}) {
  algo::detail::each(first, count, function, given);
  return algo::detail::ahead(first, count);
}

// Calls `function` with every index from `first` to before `last`, or from 0 to before `count`. The index has the
// common type of both: with 0 and xs.size() it is std::size_t. Throws std::invalid_argument when that has no negative
// numbers and `first` is one.
template <index_number A, index_number B, std::invocable<std::common_type_t<A, B>> F>
void for_index(A first, B last, F function, hint given = {}) {
  using I = std::common_type_t<A, B>;
  using U = std::make_unsigned_t<I>;
  if (!std::cmp_less(+first, +last)) return;
  if constexpr (std::signed_integral<A> && std::unsigned_integral<I>) {
    if (first < 0) algo::detail::refuse_index(first);
  }
  const auto count = static_cast<std::size_t>(static_cast<U>(static_cast<U>(last) - static_cast<U>(first)));
  algo::detail::run_lazily<F>(static_cast<I>(first), count, given, [&](I at, std::size_t n) {
    return algo::detail::walk(at, n, [&](I index) { (void)std::invoke(function, index); });
  });
}
template <index_number I, std::invocable<I> F>
void for_index(I count, F function, hint given = {}) {
  filch::for_index(I{0}, count, std::move(function), given);
}

// out[i] = function(in[i]); returns the end of the output. Input and output may be the same.
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Out, callable_with_element<In> F>
  requires takes_results<Out, F, In>
Out transform(In first, End last, Out out, F function, hint given = {}) {
  const auto count = static_cast<std::size_t>(last - first);
  algo::detail::over_indices(count, given, [&](std::size_t index, std::size_t n) {
    In from = algo::detail::at(first, index);
    const In end = algo::detail::at(first, index + n);
    for (Out to = algo::detail::at(out, index); from != end; ++from, (void)++to) *to = std::invoke(function, *from);
  });
  return algo::detail::at(out, count);
}
template <indexable_range R, indexable_iterator Out, callable_with_element<std::ranges::iterator_t<R>> F>
  requires takes_results<Out, F, std::ranges::iterator_t<R>>
Out transform(R&& range, Out out, F function, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::transform(first, first + std::ranges::distance(range), std::move(out), std::move(function), given);
}

// out[i] = function(in[i], second[i]).
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Second, indexable_iterator Out,
          class F>
  requires takes_results<Out, F, In, Second>
Out transform(In first, End last, Second second, Out out, F function, hint given = {}) {
  const auto count = static_cast<std::size_t>(last - first);
  algo::detail::over_indices(count, given, [&](std::size_t index, std::size_t n) {
    In a = algo::detail::at(first, index);
    const In end = algo::detail::at(first, index + n);
    Second b = algo::detail::at(second, index);
    for (Out to = algo::detail::at(out, index); a != end; ++a, (void)++b, (void)++to)
      *to = std::invoke(function, *a, *b);
  });
  return algo::detail::at(out, count);
}
// As long as the shorter of the two.
template <indexable_range R, indexable_range S, indexable_iterator Out, class F>
  requires takes_results<Out, F, std::ranges::iterator_t<R>, std::ranges::iterator_t<S>>
Out transform(R&& range, S&& second, Out out, F function, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::transform(first, algo::detail::at(first, algo::detail::shorter(range, second)),
                          std::ranges::begin(second), std::move(out), std::move(function), given);
}

// out[i] = in[i]; returns the end of the output, which must not overlap the input.
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Out>
  requires std::indirectly_copyable<In, Out>
Out copy(In first, End last, Out out, hint given = {}) {
  const auto count = static_cast<std::size_t>(last - first);
  algo::detail::over_indices(count, given, [&](std::size_t index, std::size_t n) {
    (void)std::ranges::copy_n(algo::detail::at(first, index), static_cast<std::iter_difference_t<In>>(n),
                              algo::detail::at(out, index));
  });
  return algo::detail::at(out, count);
}
template <indexable_range R, indexable_iterator Out>
  requires std::indirectly_copyable<std::ranges::iterator_t<R>, Out>
Out copy(R&& range, Out out, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::copy(first, first + std::ranges::distance(range), std::move(out), given);
}

template <walkable_iterator It, reachable_end<It> End, class T>
  requires std::indirectly_writable<It, const T&>
void fill(It first, End last, const T& value, hint given = {}) {
  filch::for_each(first, last, [&](auto&& element) { element = value; }, given);
}
template <walkable_range R, class T>
  requires std::indirectly_writable<std::ranges::iterator_t<R>, const T&>
void fill(R&& range, const T& value, hint given = {}) {
  filch::for_each(range, [&](auto&& element) { element = value; }, given);
}
// `function` is called by several threads at the same time.
template <walkable_iterator It, reachable_end<It> End, std::invocable F>
  requires std::indirectly_writable<It, std::invoke_result_t<F&>>
void generate(It first, End last, F function, hint given = {}) {
  filch::for_each(first, last, [&](auto&& element) { element = std::invoke(function); }, given);
}
template <walkable_range R, std::invocable F>
  requires std::indirectly_writable<std::ranges::iterator_t<R>, std::invoke_result_t<F&>>
void generate(R&& range, F function, hint given = {}) {
  filch::for_each(range, [&](auto&& element) { element = std::invoke(function); }, given);
}

}  // namespace filch::inline v0
