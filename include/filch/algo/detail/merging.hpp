// Merging two sorted runs: serial in blocks, divided by binary search at a request.
//
// With `Moves` elements are moved, and however the merge ends, by an exception of the comparison or of a fork, too, all
// elements are in the output: moving must not throw then. Without it elements are copied.
#pragma once

#include <filch/algo/detail/lazy_loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace filch::inline v0::algo::detail {

// Values that are cheaper to move for nothing than to decide by a jump whether to move them.
template <class It>
inline constexpr bool has_small_values =
    std::is_trivially_copyable_v<std::iter_value_t<It>> && std::copyable<std::iter_value_t<It>> &&
    sizeof(std::iter_value_t<It>) <= 2 * sizeof(void*) && std::is_lvalue_reference_v<std::iter_reference_t<It>>;

// Values of two types are not chosen from without a jump: the choice would have their common type, which may not hold
// both.
template <class A, class B>
inline constexpr bool is_chosen_without_jump =
    has_small_values<A> && has_small_values<B> && std::same_as<std::iter_value_t<A>, std::iter_value_t<B>>;

// What is still to be merged, and where to.
template <class A, class B, class Out>
struct two_runs {
  A a;
  A a_end;
  B b;
  B b_end;
  Out out;

  [[nodiscard]] std::size_t size_a() const { return static_cast<std::size_t>(a_end - a); }
  [[nodiscard]] std::size_t size_b() const { return static_cast<std::size_t>(b_end - b); }
  [[nodiscard]] std::size_t size() const { return size_a() + size_b(); }
  [[nodiscard]] bool is_one() const { return a == a_end || b == b_end; }
};

template <bool Moves, class Compare>
class merger {
 public:
  merger(Compare& compare, hint given) : compare_{compare}, fresh_{given, cost_at<merger>} {}

  template <class A, class B, class Out>
  void run(A a, std::size_t m, B b, std::size_t n, Out out) {
    if constexpr (!Moves)
      (void)detail::stack_of_loop();  // a merge that moves is a part of a sort, and must not fail here
    strand(two_runs<A, B, Out>{a, detail::ahead(a, m), b, detail::ahead(b, n), out}, fresh_);
  }
  // Without looking for requests.
  template <class A, class B, class Out>
  void run_serially(A a, std::size_t m, B b, std::size_t n, Out out) {
    two_runs<A, B, Out> runs{a, detail::ahead(a, m), b, detail::ahead(b, n), out};
    try {
      while (!runs.is_one()) step(runs, steps_for(runs));
    } catch (...) {
      if constexpr (Moves) pass_rest(runs);
      throw;
    }
    pass_rest(runs);
  }

 private:
  template <class It>
  static decltype(auto) pass(It at) {
    if constexpr (Moves) return std::ranges::iter_move(at);
    else return *at;
  }
  template <class Runs>
  static void pass_rest(Runs& runs) {
    for (; runs.a != runs.a_end; ++runs.a, (void)++runs.out) *runs.out = pass(runs.a);
    for (; runs.b != runs.b_end; ++runs.b, (void)++runs.out) *runs.out = pass(runs.b);
  }

  // Does `count` steps, which must not exhaust either run: at most steps_for() of them. At an exception `runs` says
  // what is left.
  template <class A, class B, class Out>
  void step(two_runs<A, B, Out>& runs, std::size_t count) {
    if constexpr (is_chosen_without_jump<A, B>) {
      step_from_both_ends(runs, count);
    } else {
      for (; count != 0; --count, (void)++runs.out) {
        if (std::invoke(compare_, *runs.b, *runs.a)) {
          *runs.out = pass(runs.b);
          ++runs.b;
        } else {
          *runs.out = pass(runs.a);
          ++runs.a;
        }
      }
    }
  }
  template <class A, class B, class Out>
  [[nodiscard]] static std::size_t steps_for(const two_runs<A, B, Out>& runs) {
    const std::size_t shorter = (std::min)(runs.size_a(), runs.size_b());
    if constexpr (is_chosen_without_jump<A, B>) return shorter / 2 + shorter % 2;
    else return shorter;
  }

  // Each step puts the least element out and, if there is room, the greatest: two chains of comparisons that do not
  // wait for each other, and without a jump that depends on them.
  template <class A, class B, class Out>
  void step_from_both_ends(two_runs<A, B, Out>& runs, std::size_t count) {
    two_runs<A, B, Out> left = runs;  // a copy, which needs no memory
    Out back = detail::ahead(left.out, left.size());
    try {
      for (; count != 0 && left.size_a() != 1 && left.size_b() != 1; --count) {
        const bool least_is_b = std::invoke(compare_, *left.b, *left.a);
        const bool greatest_is_a = std::invoke(compare_, *(left.b_end - 1), *(left.a_end - 1));
        *left.out = least_is_b ? *left.b : *left.a;
        *--back = greatest_is_a ? *(left.a_end - 1) : *(left.b_end - 1);
        ++left.out;
        left.b += static_cast<std::iter_difference_t<B>>(least_is_b);
        left.a += static_cast<std::iter_difference_t<A>>(!least_is_b);
        left.a_end -= static_cast<std::iter_difference_t<A>>(greatest_is_a);
        left.b_end -= static_cast<std::iter_difference_t<B>>(!greatest_is_a);
      }
      if (count != 0) {
        const bool least_is_b = std::invoke(compare_, *left.b, *left.a);
        *left.out = least_is_b ? *left.b : *left.a;
        ++left.out;
        if (least_is_b) ++left.b;
        else ++left.a;
      }
    } catch (...) {
      runs = left;
      throw;
    }
    runs = left;
  }

  // Merges until one run is empty, or until a request; true: then `upper` is cut off, for another thread.
  template <class Runs>
  [[nodiscard]] bool merge_until_asked(Runs& runs, Runs& upper, latent_stack* stack, pace& mine) {
    while (!runs.is_one()) {
      const std::size_t now = mine.next(steps_for(runs));
      step(runs, now);
      mine.note(now);
      if (runs.is_one()) return false;
      if (stack == nullptr) [[unlikely]] {
        if (mine.total_ticks() >= k_worth_ticks && mine.is_worth(runs.size())) return true;
      } else if (is_share_requested(*stack)) [[unlikely]] {
        if (!mine.is_worth(runs.size()) || !is_requested(*stack)) continue;
        upper = cut(runs);
        return true;
      }
    }
    return false;
  }

  // The first of `count` positions that `is_behind`, as all after it are; or the end. std::lower_bound refuses
  // iterators whose difference is an __int128, as those of std::views::iota(0ULL, n).
  template <class It, class Is>
  [[nodiscard]] static It first_where(It first, std::size_t count, const Is& is_behind) {
    while (count != 0) {
      const std::size_t half = count / 2;
      const It middle = detail::ahead(first, half);
      if (is_behind(middle)) {
        count = half;
      } else {
        first = detail::ahead(middle, 1);
        count -= half + 1;
      }
    }
    return first;
  }

  // The upper half leaves `runs`: half of the longer run, and of the other what belongs beside it.
  template <class Runs>
  [[nodiscard]] Runs cut(Runs& runs) {
    Runs upper = runs;
    if (runs.size_a() >= runs.size_b()) {
      upper.a = detail::ahead(runs.a, runs.size_a() / 2);
      upper.b = first_where(runs.b, runs.size_b(), [&](auto at) { return !std::invoke(compare_, *at, *upper.a); });
    } else {
      upper.b = detail::ahead(runs.b, runs.size_b() / 2);
      upper.a = first_where(runs.a, runs.size_a(), [&](auto at) { return std::invoke(compare_, *upper.b, *at); });
    }
    runs.a_end = upper.a;
    runs.b_end = upper.b;
    upper.out = detail::ahead(runs.out, runs.size());
    return upper;
  }

  template <class Runs>
  void strand(Runs runs, pace mine) {
    latent_stack* const stack = current_latent_stack();
    mine.start(runs.size());
    Runs above = runs;
    bool is_shared = false;
    try {
      is_shared = merge_until_asked(runs, above, stack, mine);
    } catch (...) {
      if constexpr (Moves) pass_rest(runs);
      throw;
    }
    if (!is_shared) return pass_rest(runs);
    bool lower_began = false;
    bool upper_began = stack == nullptr;
    auto lower = [&] {
      lower_began = true;
      strand(runs, mine);
    };
    auto upper = [&] {
      upper_began = true;
      strand(above, mine);
    };
    try {
      if (stack == nullptr) detail::enter(lower);
      else (void)v0::detail::join_two(*stack, lower, upper);
    } catch (...) {  // of a strand, or of the fork itself: then none has begun
      if constexpr (Moves) {
        if (!lower_began) pass_rest(runs);
        if (!upper_began) pass_rest(above);
      }
      throw;
    }
  }

  Compare& compare_;
  const pace fresh_;
};

}  // namespace filch::inline v0::algo::detail
