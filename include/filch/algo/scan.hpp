// Prefix sums: inclusive_scan, exclusive_scan.
//
//   filch::inclusive_scan(xs, ys.begin());             ys[i] = xs[0] + … + xs[i]
//   filch::exclusive_scan(xs, ys.begin(), 0.0);        ys[i] = 0.0 + xs[0] + … + xs[i - 1]
//
// Who may call what: any thread. Input and output may be the same. The result is the same, bit for bit, on any number of
// workers and in every run. The shape, for blocks of 1024 elements: let s(b) be the fold of block b from the left, and
// p(0) = init, p(b + 1) = op(p(b), s(b)). Inside block b values are folded from the left, beginning with p(b). `op` must be
// associative and need not be commutative. It is called up to twice for each element on one worker, thrice on several.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/windows.hpp>
#include <filch/algo/hint.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

namespace filch::inline v0 {

namespace algo::detail {

template <bool Inclusive, class T, class In, class Out, class Op>
class scan {
 public:
  scan(In in, std::size_t count, Out out, Op& op) : in_{in}, count_{count}, out_{out}, op_{op} {}

  // `before`: the value before the first element, which an exclusive scan must have.
  void run(std::optional<T> before) {
    const std::size_t blocks = (count_ + k_window_block - 1) / k_window_block;
    run_in_windows(
        blocks, [&](std::size_t b) { before = write_and_sum(b, std::move(before)); },
        [&](std::size_t first, std::size_t now) { before = in_two_passes(first, now, std::move(before)); });
  }

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t block) const { return block * k_window_block; }
  [[nodiscard]] std::size_t end_of(std::size_t block) const { return std::min(count_, (block + 1) * k_window_block); }
  [[nodiscard]] In in(std::size_t i) const { return in_ + static_cast<std::iter_difference_t<In>>(i); }
  [[nodiscard]] Out out(std::size_t i) const { return out_ + static_cast<std::iter_difference_t<Out>>(i); }

  [[nodiscard]] T sum_of(std::size_t block) const {
    In at = in(begin_of(block));
    const In end = in(end_of(block));
    T sum = *at;
    while (++at != end) sum = op_(std::move(sum), *at);
    return sum;
  }

  // The block's values, and, if asked for, its own fold beside them, in one pass.
  template <bool WithSum>
  std::optional<T> write(std::size_t block, std::optional<T> before) const {
    In from = in(begin_of(block));
    const In end = in(end_of(block));
    Out to = out(begin_of(block));
    T element = *from;
    std::optional<T> sum;
    if constexpr (WithSum) sum.emplace(element);
    T value = step(to, before.has_value() ? op_(*before, element) : element, before);
    for (++from, ++to; from != end; ++from, ++to) {
      element = *from;
      if constexpr (WithSum) *sum = op_(std::move(*sum), element);
      if constexpr (Inclusive) {
        value = op_(std::move(value), std::move(element));
        *to = value;
      } else {
        T next = op_(value, std::move(element));
        *to = std::exchange(value, std::move(next));
      }
    }
    return sum;
  }
  // Writes the block's first value; returns what includes the first element.
  [[nodiscard]] static T step(Out to, T with_first, const std::optional<T>& before) {
    if constexpr (Inclusive) *to = with_first;
    else *to = *before;
    return with_first;
  }

  [[nodiscard]] std::optional<T> after(std::optional<T> before, T sum) const {
    return before.has_value() ? op_(std::move(*before), std::move(sum)) : std::move(sum);
  }
  [[nodiscard]] std::optional<T> write_and_sum(std::size_t block, std::optional<T> before) const {
    std::optional<T> sum = write<true>(block, before);
    return after(std::move(before), std::move(*sum));
  }

  [[nodiscard]] std::optional<T> in_two_passes(std::size_t first, std::size_t blocks, std::optional<T> before) const {
    std::vector<std::optional<T>> values(blocks);
    run_lazily<const scan*>(std::size_t{0}, blocks, {}, [&](std::size_t i, std::size_t n) {
      for (const std::size_t end = i + n; i != end; ++i) values[i] = sum_of(first + i);
      return i;
    });
    for (std::optional<T>& value : values) {
      std::optional<T> next = after(before, std::move(*value));
      value = std::exchange(before, std::move(next));
    }
    run_lazily<scan*>(std::size_t{0}, blocks, {}, [&](std::size_t i, std::size_t n) {
      for (const std::size_t end = i + n; i != end; ++i) (void)write<false>(first + i, std::move(values[i]));
      return i;
    });
    return before;
  }

  const In in_;
  const std::size_t count_;
  const Out out_;
  Op& op_;
};

template <bool Inclusive, class T, class In, class Out, class Op>
Out scan_all(In first, std::size_t count, Out out, Op& op, std::optional<T> init) {
  scan<Inclusive, T, In, Out, Op>{first, count, out, op}.run(std::move(init));
  return out + static_cast<std::iter_difference_t<Out>>(count);
}

}  // namespace algo::detail

// out[i] = op(…op(in[0], in[1])…, in[i]), with `init` before all if it is given. Returns the end of the output.
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Out,
          combines_values<std::iter_value_t<In>> Op = std::plus<>>
Out inclusive_scan(In first, End last, Out out, Op op = {}) {
  using T = std::iter_value_t<In>;
  return algo::detail::scan_all<true, T>(first, static_cast<std::size_t>(last - first), out, op, std::optional<T>{});
}
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Out, std::copyable T,
          combines_values<T> Op>
Out inclusive_scan(In first, End last, Out out, Op op, T init) {
  return algo::detail::scan_all<true, T>(first, static_cast<std::size_t>(last - first), out, op,
                                         std::optional<T>{std::move(init)});
}
template <indexable_range R, indexable_iterator Out, combines_values<std::ranges::range_value_t<R>> Op = std::plus<>>
Out inclusive_scan(R&& range, Out out, Op op = {}) {
  const auto first = std::ranges::begin(range);
  return filch::inclusive_scan(first, first + std::ranges::distance(range), std::move(out), std::move(op));
}
template <indexable_range R, indexable_iterator Out, std::copyable T, combines_values<T> Op>
Out inclusive_scan(R&& range, Out out, Op op, T init) {
  const auto first = std::ranges::begin(range);
  return filch::inclusive_scan(first, first + std::ranges::distance(range), std::move(out), std::move(op), std::move(init));
}

// out[i] = op(…op(init, in[0])…, in[i - 1]). Returns the end of the output.
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Out, std::copyable T,
          combines_values<T> Op = std::plus<>>
Out exclusive_scan(In first, End last, Out out, T init, Op op = {}) {
  return algo::detail::scan_all<false, T>(first, static_cast<std::size_t>(last - first), out, op,
                                          std::optional<T>{std::move(init)});
}
template <indexable_range R, indexable_iterator Out, std::copyable T, combines_values<T> Op = std::plus<>>
Out exclusive_scan(R&& range, Out out, T init, Op op = {}) {
  const auto first = std::ranges::begin(range);
  return filch::exclusive_scan(first, first + std::ranges::distance(range), std::move(out), std::move(init), std::move(op));
}

}  // namespace filch::inline v0
