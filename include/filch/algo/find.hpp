// Searches that end as soon as the answer is known: find_if, find_if_not, find, any_of, all_of, none_of.
//
//   auto at = filch::find_if(xs, is_bad);          the first, as std::find_if
//
// Who may call what: any thread. The predicate is called for different elements at the same time, and perhaps for some
// behind the one that is found. If it throws, the exception is rethrown, even when an earlier element would have ended
// a serial search on the way: only elements before the found one are sure to be looked at. A range without an end is
// searched, too: then there must be something to find, and 65536 elements behind it must exist. More are not walked
// over behind the found one in any range that can not be counted at once.
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
    while (index < seen &&
           !value_.compare_exchange(seen, index, std::memory_order_relaxed, std::memory_order_relaxed)) {}
  }

 private:
  std_atomics::atomic<std::size_t> value_;
};

// The body of a search's loop.
template <class At, class Accepts>
class search {
 public:
  search(lowest_index& found, const Accepts& accepts) : found_{found}, accepts_{accepts} {}

  // Nothing from this index on is looked at: something was found before it.
  [[nodiscard]] bool is_over(std::size_t next) const { return next >= found_.get(); }
  numbered<At> operator()(numbered<At> from, std::size_t count) const {
    const std::size_t end = from.index + count;
    if (is_over(from.index)) return {from.at, end};  // what lies behind needs no position any more
    for (; from.index != end; ++from.at, (void)++from.index) {
      if (!accepts_(from.at)) continue;
      found_.lower_to(from.index);
      return {from.at, end};
    }
    return from;
  }

 private:
  lowest_index& found_;
  const Accepts& accepts_;
};

// The index of the first of `count` positions that `accepts`, or `count`. Site as in run_lazily().
template <class Site, class At, class Accepts>
[[nodiscard]] std::size_t find_index(At first, std::size_t count, hint given, const Accepts& accepts) {
  lowest_index found{count};
  const search<At, Accepts> body{found, accepts};
  detail::run_lazily<Site>(numbered<At>{first, 0}, count, given, body, pace::trust::nothing);
  return found.get();
}

// What cannot be counted at once is searched in windows, each twice as long as the one before, up to a bound: so a
// search ends in a range without an end, and of a list only what lies shortly behind the found element is walked over.
inline constexpr std::size_t k_first_window = 1024;                    // guess
inline constexpr std::size_t k_longest_window = std::size_t{1} << 16;  // guess

// The first element that `predicate` accepts, or the end.
template <class It, class End, class P>
[[nodiscard]] It find_place(It first, End last, P& predicate, hint given) {
  const auto accepts = [&](const It& at) -> bool { return std::invoke(predicate, *at); };
  if constexpr (std::sized_sentinel_for<End, It>) {
    return detail::ahead(first, detail::find_index<P>(first, static_cast<std::size_t>(last - first), given, accepts));
  } else {
    using difference = std::iter_difference_t<It>;
    for (std::size_t most = k_first_window;; most = (std::min)(2 * most, k_longest_window)) {
      It end = first;
      const difference missing = std::ranges::advance(end, static_cast<difference>(most), last);
      const std::size_t count = most - static_cast<std::size_t>(missing);
      const std::size_t found = detail::find_index<P>(first, count, given, accepts);
      if (found != count) return detail::ahead(first, found);
      if (missing != 0) return end;
      first = end;
    }
  }
}

}  // namespace algo::detail

// The first element that `predicate` accepts, or the end.
template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] It find_if(It first, End last, P predicate, hint given = {}) {
  return algo::detail::find_place(first, last, predicate, given);
}
template <searchable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, P predicate, hint given = {}) {
  return algo::detail::find_place(std::ranges::begin(range), std::ranges::end(range), predicate, given);
}

// The first element that it does not accept.
template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] It find_if_not(It first, End last, P predicate, hint given = {}) {
  return filch::find_if(first, last, std::not_fn(std::ref(predicate)), given);
}
template <searchable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if_not(R&& range, P predicate, hint given = {}) {
  return filch::find_if_not(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}

// The first element that equals `value`.
template <walkable_iterator It, std::sentinel_for<It> End, comparable_with_element<It> T>
[[nodiscard]] It find(It first, End last, const T& value, hint given = {}) {
  return filch::find_if(
      first, last, [&](auto&& element) -> bool { return std::forward<decltype(element)>(element) == value; }, given);
}
template <searchable_range R, comparable_with_element<std::ranges::iterator_t<R>> T>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find(R&& range, const T& value, hint given = {}) {
  return filch::find(std::ranges::begin(range), std::ranges::end(range), value, given);
}

template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] bool any_of(It first, End last, P predicate, hint given = {}) {
  return filch::find_if(first, last, std::move(predicate), given) != last;
}
template <searchable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] bool any_of(R&& range, P predicate, hint given = {}) {
  return filch::any_of(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}

template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] bool none_of(It first, End last, P predicate, hint given = {}) {
  return !filch::any_of(first, last, std::move(predicate), given);
}
template <searchable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] bool none_of(R&& range, P predicate, hint given = {}) {
  return !filch::any_of(range, std::move(predicate), given);
}

template <walkable_iterator It, std::sentinel_for<It> End, predicate_on_element<It> P>
[[nodiscard]] bool all_of(It first, End last, P predicate, hint given = {}) {
  return filch::find_if_not(first, last, std::move(predicate), given) == last;
}
template <searchable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
[[nodiscard]] bool all_of(R&& range, P predicate, hint given = {}) {
  return filch::all_of(std::ranges::begin(range), std::ranges::end(range), std::move(predicate), given);
}

}  // namespace filch::inline v0
