// sort, stable_sort and nth_element.
//
//   filch::sort(xs);        filch::stable_sort(people, by_age);        filch::nth_element(xs, xs.begin() + 10);
//
// Who may call what: any thread. The comparison is called by several threads at the same time. sort is a quicksort in
// place; small parts and parts whose pivots were bad go to std::sort. When the comparison throws, the elements are
// valid and otherwise unspecified, as with std::sort. nth_element partitions the same way, and resumes with one side
// only. stable_sort is a merge sort with a buffer as long as the range. When the comparison throws, all elements are
// still in the range, in some order. Of elements whose move may throw the positions are sorted, and then each is moved
// once; when a comparison throws nothing has changed.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/merge_sort.hpp>
#include <filch/algo/detail/quick_sort.hpp>

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace filch::inline v0 {

template <indexable_iterator It, std::sized_sentinel_for<It> End, class Compare = std::less<>>
  requires sortable_iterator<It, Compare>
void sort(It first, End last, Compare compare = {}) {
  algo::detail::quick_sorter<It, Compare>{compare}.run(first, first + (last - first));
}
template <class R, class Compare = std::less<>>
  requires sortable_range<R, Compare>
void sort(R&& range, Compare compare = {}) {
  const auto first = std::ranges::begin(range);
  filch::sort(first, first + std::ranges::distance(range), std::move(compare));
}

template <indexable_iterator It, std::sized_sentinel_for<It> End, class Compare = std::less<>>
  requires sortable_iterator<It, Compare>
void stable_sort(It first, End last, Compare compare = {}) {
  algo::detail::merge_sort(first, static_cast<std::size_t>(last - first), compare);
}
template <class R, class Compare = std::less<>>
  requires sortable_range<R, Compare>
void stable_sort(R&& range, Compare compare = {}) {
  const auto first = std::ranges::begin(range);
  filch::stable_sort(first, first + std::ranges::distance(range), std::move(compare));
}

// Puts at `nth` what belongs there in the sorted range, nothing greater before it and nothing less behind it.
template <indexable_iterator It, std::sized_sentinel_for<It> End, class Compare = std::less<>>
  requires sortable_iterator<It, Compare>
void nth_element(It first, It nth, End last, Compare compare = {}) {
  const It end = first + (last - first);
  if (nth != end) algo::detail::quick_sorter<It, Compare>{compare}.select(first, nth, end);
}
template <class R, class Compare = std::less<>>
  requires sortable_range<R, Compare>
void nth_element(R&& range, std::ranges::iterator_t<R> nth, Compare compare = {}) {
  const auto first = std::ranges::begin(range);
  filch::nth_element(first, nth, first + std::ranges::distance(range), std::move(compare));
}

}  // namespace filch::inline v0
