// partition and copy_if.
//
//   auto middle = filch::partition(xs, is_small);       the accepted first; not stable
//   auto end    = filch::copy_if(xs, ys.begin(), is_small);     in order
//
// Who may call what: any thread. The predicate is called once for each element, for several at the same time. When it
// throws, `partition` leaves all elements in the range, in some order.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/partitioning.hpp>
#include <filch/algo/detail/windows.hpp>
#include <filch/algo/hint.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

namespace filch::inline v0 {

namespace algo::detail {

template <class In, class Out, class P>
class copy_if {
 public:
  copy_if(In in, std::size_t count, Out out, P& predicate, hint given)
      : in_{in}, blocks_{count, given}, out_{out}, predicate_{predicate} {}

  Out run() {
    detail::run_in_windows(
        blocks_, [this](std::size_t b) { one(b); }, [this](std::size_t first, std::size_t now) { many(first, now); });
    return out_;
  }

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t block) const { return blocks_.begin_of(block); }

  void one(std::size_t block) {
    const In end = detail::ahead(in_, begin_of(block + 1));
    for (In at = detail::ahead(in_, begin_of(block)); at != end; ++at) {
      if (!std::invoke(predicate_, *at)) continue;
      *out_ = *at;
      ++out_;
    }
  }

  // First all answers, then the copies, each block at its place.
  void many(std::size_t first, std::size_t blocks) {
    const std::size_t offset = begin_of(first);
    std::vector<unsigned char> answers(begin_of(first + blocks) - offset);
    std::vector<std::size_t> places(blocks);
    detail::run_lazily<P>(std::size_t{0}, blocks, {}, [&](std::size_t b, std::size_t n) {
      for (const std::size_t end = b + n; b != end; ++b) {
        std::size_t accepted = 0;
        for (std::size_t i = begin_of(first + b); i != begin_of(first + b + 1); ++i) {
          const bool answer = std::invoke(predicate_, *detail::ahead(in_, i));
          answers[i - offset] = answer;
          accepted += answer;
        }
        places[b] = accepted;
      }
      return b;
    });
    std::size_t accepted = 0;
    for (std::size_t& place : places) accepted += std::exchange(place, accepted);
    detail::run_lazily<copy_if>(std::size_t{0}, blocks, {}, [&](std::size_t b, std::size_t n) {
      for (const std::size_t end = b + n; b != end; ++b) {
        Out to = detail::ahead(out_, places[b]);
        for (std::size_t i = begin_of(first + b); i != begin_of(first + b + 1); ++i) {
          if (answers[i - offset] == 0) continue;
          *to = *detail::ahead(in_, i);
          ++to;
        }
      }
      return b;
    });
    out_ = detail::ahead(out_, accepted);
  }

  const In in_;
  const window_blocks blocks_;
  Out out_;
  P& predicate_;
};

}  // namespace algo::detail

// Returns the first of the refused elements.
template <indexable_iterator It, std::sized_sentinel_for<It> End, predicate_on_element<It> P>
  requires std::permutable<It>
It partition(It first, End last, P predicate, hint given = {}) {
  const It end = first + (last - first);
  return algo::detail::partitioner<It, P>{predicate, given}.run(first, end);
}
template <indexable_range R, predicate_on_element<std::ranges::iterator_t<R>> P>
  requires std::permutable<std::ranges::iterator_t<R>>
std::ranges::borrowed_iterator_t<R> partition(R&& range, P predicate, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::partition(first, first + std::ranges::distance(range), std::move(predicate), given);
}

// Copies the accepted elements in their order; returns the end of the output, which must not overlap the input.
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Out, predicate_on_element<In> P>
  requires std::indirectly_copyable<In, Out>
Out copy_if(In first, End last, Out out, P predicate, hint given = {}) {
  return algo::detail::copy_if<In, Out, P>{first, static_cast<std::size_t>(last - first), out, predicate, given}.run();
}
template <indexable_range R, indexable_iterator Out, predicate_on_element<std::ranges::iterator_t<R>> P>
  requires std::indirectly_copyable<std::ranges::iterator_t<R>, Out>
Out copy_if(R&& range, Out out, P predicate, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::copy_if(first, first + std::ranges::distance(range), std::move(out), std::move(predicate), given);
}

}  // namespace filch::inline v0
