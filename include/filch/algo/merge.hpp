// merge: two sorted sequences become one, stably.
//
//   filch::merge(a, b, out.begin());
//
// Who may call what: any thread. Elements of the first sequence come before equal ones of the second. The output must
// not overlap the inputs. At a request the rest is divided by a binary search.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/merging.hpp>
#include <filch/algo/hint.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace filch::inline v0 {

// Returns the end of the output.
template <indexable_iterator A, std::sized_sentinel_for<A> AEnd, indexable_iterator B, std::sized_sentinel_for<B> BEnd,
          indexable_iterator Out, class Compare = std::less<>>
  requires std::mergeable<A, B, Out, Compare>
Out merge(A first, AEnd first_end, B second, BEnd second_end, Out out, Compare compare = {}, hint given = {}) {
  const auto m = static_cast<std::size_t>(first_end - first);
  const auto n = static_cast<std::size_t>(second_end - second);
  algo::detail::merger<false, Compare>{compare, given}.run(first, m, second, n, out);
  return algo::detail::ahead(out, m + n);
}
template <indexable_range A, indexable_range B, indexable_iterator Out, class Compare = std::less<>>
  requires std::mergeable<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>, Out, Compare>
Out merge(A&& first, B&& second, Out out, Compare compare = {}, hint given = {}) {
  const auto a = std::ranges::begin(first);
  const auto b = std::ranges::begin(second);
  return filch::merge(a, a + std::ranges::distance(first), b, b + std::ranges::distance(second), std::move(out),
                      std::move(compare), given);
}

}  // namespace filch::inline v0
