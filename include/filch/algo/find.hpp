// Searches that end as soon as the answer is known: find_if, find_if_not, find, any_of, all_of, none_of.
//
//   auto at = filch::find_if(xs, is_bad);          the first, as std::find_if
//
// Who may call what: any thread. The predicate is called for different elements at the same time, and perhaps for some
// behind the one that is found. If it throws, the exception is rethrown, even when an earlier element would have ended a
// serial search on the way: only elements before the found one are sure to be looked at.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/lazy_loop.hpp>
#include <filch/algo/hint.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace filch::inline v0 {

namespace algo::detail {

// The lowest index at which something was found so far. Others read it to leave out what lies behind.
class lowest_index {
 public:
  explicit lowest_index(std::size_t none) : value_{none} {}

  [[nodiscard]] std::size_t get() const { return value_.load(std::memory_order_relaxed); }  // ordered by [L3]
  void lower_to(std::size_t index) {
    std::size_t seen = get();
    // ordered by [L3]: the caller of the search reads it when all strands have ended
    while (index < seen && !value_.compare_exchange(seen, index, std::memory_order_relaxed, std::memory_order_relaxed)) {}
  }

 private:
  std_atomics::atomic<std::size_t> value_;
};

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

// The index of the first element that `predicate` accepts, or `count`.
template <class It, class P>
[[nodiscard]] std::size_t find_index(It first, std::size_t count, P& predicate, hint given) {
  lowest_index found{count};
  using place = numbered<It>;
  const auto search = [&](place from, std::size_t n) -> place {
    const std::size_t end = from.index + n;
    if (from.index >= found.get()) return {from.at, end};  // what lies behind needs no position any more
    for (; from.index != end; ++from.at, ++from.index) {
      if (!std::invoke(predicate, *from.at)) continue;
      found.lower_to(from.index);
      return {from.at, end};
    }
    return from;
  };
  run_lazily<P>(place{first, 0}, count, given, search, pace::trust::nothing);
  return found.get();
}

}  // namespace algo::detail

// The first element that `predicate` accepts, or the end.
template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] It find_if(It first, End last, P predicate, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  return algo::detail::ahead(first, algo::detail::find_index(first, count, predicate, given));
}
template <walkable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, P predicate, hint given = {}) {
  return filch::find_if(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}

// The first element that it does not accept.
template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] It find_if_not(It first, End last, P predicate, hint given = {}) {
  return filch::find_if(first, last, [&](auto&& element) { return !std::invoke(predicate, element); }, given);
}
template <walkable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if_not(R&& range, P predicate, hint given = {}) {
  return filch::find_if_not(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}

// The first element that equals `value`.
template <walkable_iterator It, std::sentinel_for<It> End, class T>
[[nodiscard]] It find(It first, End last, const T& value, hint given = {}) {
  return filch::find_if(first, last, [&](const auto& element) { return element == value; }, given);
}
template <walkable_range R, class T>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find(R&& range, const T& value, hint given = {}) {
  return filch::find(std::ranges::begin(range), std::ranges::end(range), value, given);
}

template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] bool any_of(It first, End last, P predicate, hint given = {}) {
  const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
  return algo::detail::find_index(first, count, predicate, given) != count;
}
template <walkable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] bool any_of(R&& range, P predicate, hint given = {}) {
  return filch::any_of(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}

template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] bool none_of(It first, End last, P predicate, hint given = {}) {
  return !filch::any_of(first, last, std::move(predicate), given);
}
template <walkable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] bool none_of(R&& range, P predicate, hint given = {}) {
  return !filch::any_of(range, std::move(predicate), given);
}

template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] bool all_of(It first, End last, P predicate, hint given = {}) {
  return filch::none_of(first, last, [&](auto&& element) { return !std::invoke(predicate, element); }, given);
}
template <walkable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] bool all_of(R&& range, P predicate, hint given = {}) {
  return filch::all_of(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}

}  // namespace filch::inline v0
