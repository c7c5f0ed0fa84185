// Prefix sums: inclusive_scan, exclusive_scan, transform_inclusive_scan, transform_exclusive_scan.
//
//   filch::inclusive_scan(xs, ys.begin());             ys[i] = xs[0] + … + xs[i]
//   filch::exclusive_scan(xs, ys.begin(), 0.0);        ys[i] = 0.0 + xs[0] + … + xs[i - 1]
//
// Who may call what: any thread. Input and output may be the same. The result is the same, bit for bit, on any number
// of workers and in every run. The shape, for blocks of 1024 elements or of hint::grain: let s(b) be the fold of block
// b from the left, and p(0) = init, p(b + 1) = op(p(b), s(b)). Inside block b values are folded from the left,
// beginning with p(b). `op` must be associative and need not be commutative. It is called up to twice for each element
// on one worker, thrice on several; the function of a transforming scan once or twice. Elements that an iterator gives
// as rvalue references, to be moved from, are read once, and by the caller alone.
#pragma once

#include <filch/algo/concepts.hpp>
#include <filch/algo/detail/one_copy.hpp>
#include <filch/algo/detail/windows.hpp>
#include <filch/algo/hint.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace filch::inline v0 {

namespace algo::detail {

template <bool Inclusive, class T, class In, class Out, class Op, class F>
class scan {
 public:
  scan(In in, std::size_t count, Out out, Op& op, F& function, hint given)
      : in_{in}, blocks_{count, given}, out_{out}, op_{op}, function_{function} {}

  // `before`: the value before the first element, which an exclusive scan must have.
  void run(std::optional<T> before) {
    const auto one = [&](std::size_t b) { before = write_and_sum(b, std::move(before)); };
    if constexpr (k_reads_once) {
      (void)detail::stack_of_loop();
      for (std::size_t b = 0; b != blocks_.number(); ++b) one(b);
    } else {
      detail::run_in_windows(blocks_, one, [&](std::size_t first, std::size_t now) {
        before = in_two_passes(first, now, std::move(before));
      });
    }
  }

 private:
  // What an rvalue refers to may be gone once it was read: such elements are read in one pass, on one thread.
  static constexpr bool k_reads_once = std::is_rvalue_reference_v<std::iter_reference_t<In>>;

  [[nodiscard]] In in(std::size_t block) const { return detail::ahead(in_, blocks_.begin_of(block)); }
  [[nodiscard]] Out out(std::size_t block) const { return detail::ahead(out_, blocks_.begin_of(block)); }

  // Always a T, and not contracted with what it is combined with, so that both ways combine the same, bit for bit.
  [[nodiscard]] T value_at(const In& at) const {
    if constexpr (std::floating_point<T>) return detail::kept_apart<T>(static_cast<T>(std::invoke(function_, *at)));
    else return static_cast<T>(std::invoke(function_, *at));
  }
  template <class Left, class Right>
  [[nodiscard]] T both(Left&& left, Right&& right) const {
    if constexpr (std::floating_point<T>)
      return detail::kept_apart<T>(op_(std::forward<Left>(left), std::forward<Right>(right)));
    else return op_(std::forward<Left>(left), std::forward<Right>(right));
  }

  [[nodiscard]] FILCH_ONE_COPY T sum_of(std::size_t block) const {
    In at = in(block);
    const In end = in(block + 1);
    T sum = value_at(at);
    while (++at != end) sum = both(std::move(sum), value_at(at));
    return sum;
  }

  // The block's values, and, if asked for, its own fold beside them, in one pass.
  template <bool WithSum>
  FILCH_ONE_COPY std::optional<T> write(std::size_t block, std::optional<T> before) const {
    In from = in(block);
    const In end = in(block + 1);
    Out to = out(block);
    T element = value_at(from);
    std::optional<T> sum;
    if constexpr (WithSum) sum.emplace(element);
    T value = step(to, before.has_value() ? both(*before, element) : element, before);
    for (++from, (void)++to; from != end; ++from, (void)++to) {
      element = value_at(from);
      if constexpr (WithSum) *sum = both(std::move(*sum), element);
      if constexpr (Inclusive) {
        value = both(std::move(value), std::move(element));
        *to = value;
      } else {
        T next = both(value, std::move(element));
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

  [[nodiscard]] FILCH_ONE_COPY std::optional<T> after(std::optional<T> before, T sum) const {
    return before.has_value() ? both(std::move(*before), std::move(sum)) : std::move(sum);
  }
  [[nodiscard]] std::optional<T> write_and_sum(std::size_t block, std::optional<T> before) const {
    if constexpr (k_has_parts) {
      T sum = sum_of(block);
      (void)write<false>(block, before);
      return after(std::move(before), std::move(sum));
    } else {
      std::optional<T> sum = write<true>(block, before);
      return after(std::move(before), std::move(*sum));
    }
  }

  [[nodiscard]] std::optional<T> in_two_passes(std::size_t first, std::size_t blocks, std::optional<T> before) const {
    std::vector<std::optional<T>> values(blocks);
    detail::run_lazily<const scan*>(std::size_t{0}, blocks, {}, [&](std::size_t i, std::size_t n) {
      for (const std::size_t end = i + n; i != end; ++i) values[i] = sum_of(first + i);
      return i;
    });
    for (std::optional<T>& value : values) {
      std::optional<T> next = after(before, std::move(*value));
      value = std::exchange(before, std::move(next));
    }
    detail::run_lazily<scan*>(std::size_t{0}, blocks, {}, [&](std::size_t i, std::size_t n) {
      for (const std::size_t end = i + n; i != end; ++i) (void)write<false>(first + i, std::move(values[i]));
      return i;
    });
    return before;
  }

  // Numbers of a class, of a complex one or a pair for example, could be contracted with each other, and keeping them
  // apart is slow. So they are folded and written by one compiled loop each, with and without requests.
  static constexpr bool k_has_parts = !std::is_scalar_v<T> && !k_reads_once;

  const In in_;
  const window_blocks blocks_;
  const Out out_;
  Op& op_;
  F& function_;
};

template <bool Inclusive, class T, class In, class End, class Out, class Op, class F>
Out scan_all(In first, End last, Out out, Op& op, F& function, std::optional<T> init, hint given) {
  const auto count = static_cast<std::size_t>(last - first);
  scan<Inclusive, T, In, Out, Op, F>{first, count, out, op, function, given}.run(std::move(init));
  return detail::ahead(out, count);
}

// What F makes of an element, as a value.
template <class F, class In>
using mapped = std::decay_t<std::invoke_result_t<F&, std::iter_reference_t<In>>>;

}  // namespace algo::detail

// out[i] = op(…op(f(in[0]), f(in[1]))…, f(in[i])), with `init` before all if it is given. Returns the end of the
// output.
template <indexable_iterator In, std::sized_sentinel_for<In> End, indexable_iterator Out, class Op,
          callable_with_element<In> F>
  requires combines_copies<Op, algo::detail::mapped<F, In>> && takes_values<Out, algo::detail::mapped<F, In>>
Out transform_inclusive_scan(In first, End last, Out out, Op op, F function, hint given = {}) {
  using T = algo::detail::mapped<F, In>;
  return algo::detail::scan_all<true, T>(first, last, out, op, function, std::nullopt, given);
}
template <indexable_iterator In, std::sized_sentinel_for<In> End, initial_value T, takes_values<T> Out,
          combines_copies<T> Op, gives_value<T, In> F>
Out transform_inclusive_scan(In first, End last, Out out, Op op, F function, T init, hint given = {}) {
  return algo::detail::scan_all<true, T>(first, last, out, op, function, std::move(init), given);
}
template <indexable_range R, indexable_iterator Out, class Op, callable_with_element<std::ranges::iterator_t<R>> F>
  requires combines_copies<Op, algo::detail::mapped<F, std::ranges::iterator_t<R>>> &&
           takes_values<Out, algo::detail::mapped<F, std::ranges::iterator_t<R>>>
Out transform_inclusive_scan(R&& range, Out out, Op op, F function, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::transform_inclusive_scan(first, first + std::ranges::distance(range), std::move(out), std::move(op),
                                         std::move(function), given);
}
template <indexable_range R, initial_value T, takes_values<T> Out, combines_copies<T> Op,
          gives_value<T, std::ranges::iterator_t<R>> F>
Out transform_inclusive_scan(R&& range, Out out, Op op, F function, T init, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::transform_inclusive_scan(first, first + std::ranges::distance(range), std::move(out), std::move(op),
                                         std::move(function), std::move(init), given);
}

// The same with the elements themselves.
template <indexable_iterator In, std::sized_sentinel_for<In> End, takes_values<std::iter_value_t<In>> Out,
          combines_copies<std::iter_value_t<In>> Op = std::plus<>>
Out inclusive_scan(In first, End last, Out out, Op op = {}, hint given = {}) {
  std::identity same;
  return algo::detail::scan_all<true, std::iter_value_t<In>>(first, last, out, op, same, std::nullopt, given);
}
template <indexable_iterator In, std::sized_sentinel_for<In> End, initial_value T, takes_values<T> Out,
          combines_copies<T> Op>
  requires gives_value<std::identity, T, In>
Out inclusive_scan(In first, End last, Out out, Op op, T init, hint given = {}) {
  return filch::transform_inclusive_scan(first, last, std::move(out), std::move(op), std::identity{}, std::move(init),
                                         given);
}
template <indexable_range R, takes_values<std::ranges::range_value_t<R>> Out,
          combines_copies<std::ranges::range_value_t<R>> Op = std::plus<>>
Out inclusive_scan(R&& range, Out out, Op op = {}, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::inclusive_scan(first, first + std::ranges::distance(range), std::move(out), std::move(op), given);
}
template <indexable_range R, initial_value T, takes_values<T> Out, combines_copies<T> Op>
  requires gives_value<std::identity, T, std::ranges::iterator_t<R>>
Out inclusive_scan(R&& range, Out out, Op op, T init, hint given = {}) {
  return filch::transform_inclusive_scan(range, std::move(out), std::move(op), std::identity{}, std::move(init), given);
}

// out[i] = op(…op(init, f(in[0]))…, f(in[i - 1])). Returns the end of the output.
template <indexable_iterator In, std::sized_sentinel_for<In> End, initial_value T, takes_values<T> Out,
          combines_copies<T> Op, gives_value<T, In> F>
Out transform_exclusive_scan(In first, End last, Out out, T init, Op op, F function, hint given = {}) {
  return algo::detail::scan_all<false, T>(first, last, out, op, function, std::move(init), given);
}
template <indexable_range R, initial_value T, takes_values<T> Out, combines_copies<T> Op,
          gives_value<T, std::ranges::iterator_t<R>> F>
Out transform_exclusive_scan(R&& range, Out out, T init, Op op, F function, hint given = {}) {
  const auto first = std::ranges::begin(range);
  return filch::transform_exclusive_scan(first, first + std::ranges::distance(range), std::move(out), std::move(init),
                                         std::move(op), std::move(function), given);
}

// The same with the elements themselves.
template <indexable_iterator In, std::sized_sentinel_for<In> End, initial_value T, takes_values<T> Out,
          combines_copies<T> Op = std::plus<>>
  requires gives_value<std::identity, T, In>
Out exclusive_scan(In first, End last, Out out, T init, Op op = {}, hint given = {}) {
  return filch::transform_exclusive_scan(first, last, std::move(out), std::move(init), std::move(op), std::identity{},
                                         given);
}
template <indexable_range R, initial_value T, takes_values<T> Out, combines_copies<T> Op = std::plus<>>
  requires gives_value<std::identity, T, std::ranges::iterator_t<R>>
Out exclusive_scan(R&& range, Out out, T init, Op op = {}, hint given = {}) {
  return filch::transform_exclusive_scan(range, std::move(out), std::move(init), std::move(op), std::identity{}, given);
}

}  // namespace filch::inline v0
