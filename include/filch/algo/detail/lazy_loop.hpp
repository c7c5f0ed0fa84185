// The loop below most algorithms: serial until somebody asks for work.
//
// It runs in blocks. Between two blocks it looks at the flag that thieves raise. Only when it is raised, and when what is
// left is worth it, does the loop fork its upper half; the fork offers it to the thief at once, and the lower half goes on
// the same way. Nobody asks on one thread, so nothing is forked there, and all is one block.
//
// Invariants
//   I1  Every element belongs to exactly one strand; a split gives the upper half away and keeps the lower.
//   I2  When a strand's function throws, `stopped_` is set before the exception leaves it: what has not begun is left out,
//       what runs ends with its block. The exception of the lowest strand that failed is rethrown.
//   I3  Splits halve, so strands are nested at most log2(n) deep on a stack.
#pragma once

#include <filch/algo/detail/demand.hpp>
#include <filch/algo/detail/pace.hpp>
#include <filch/fork/join.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace filch::inline v0::algo::detail {

template <std::integral I>
[[nodiscard]] constexpr I ahead(I at, std::size_t count) {
  return static_cast<I>(static_cast<std::make_unsigned_t<I>>(at) + static_cast<std::make_unsigned_t<I>>(count));
}
template <std::forward_iterator It>
[[nodiscard]] constexpr It ahead(It at, std::size_t count) {
  return std::ranges::next(at, static_cast<std::iter_difference_t<It>>(count));
}

// How many elements two ranges have both.
template <class R, class S>
[[nodiscard]] constexpr std::size_t shorter(R& range, S& second) {
  return std::min(static_cast<std::size_t>(std::ranges::distance(range)), static_cast<std::size_t>(std::ranges::distance(second)));
}

// Calls `function` with `count` positions from `at` on; returns the one behind.
template <class At, class F>
constexpr At walk(At at, std::size_t count, F&& function) {
  if constexpr (std::integral<At> || std::random_access_iterator<At>) {
    const At end = ahead(at, count);
    for (; at != end; ++at) function(at);
  } else {
    for (; count != 0; --count, ++at) function(at);
  }
  return at;
}

// `At` is a position: an index or an iterator. `Body` does `count` elements from a position and returns the one behind.
template <class At, class Body>
class lazy_loop {
 public:
  lazy_loop(Body& body, pace fresh) : body_{body}, fresh_{fresh} {}

  void run(At first, std::size_t count) {
    if (count == 0) return;
    const latent_stack* const stack = current_latent_stack();
    // Few are forked all the same: they may wait for something.
    if (stack != nullptr && stack->is_private && !fresh_.is_few(count)) return (void)block(body_, first, count);
    strand(first, count, fresh_);
  }

 private:
  void strand(At at, std::size_t left, pace mine) {
    latent_stack* const stack = current_latent_stack();
    if (mine.is_fresh() && shares_before_it_starts(stack, at, left, mine)) return;
    mine.start(left);
    try {
      while (!stopped_.load(std::memory_order_relaxed)) {  // statistic
        const std::size_t now = mine.next(left);
        at = block(body_, at, now);
        left -= now;
        if (left == 0) {
          if (mine.is_fresh()) mine.note(now);
          return;
        }
        mine.note(now);
        if (stack == nullptr) [[unlikely]] {
          if (mine.total_ticks() >= k_worth_ticks && mine.is_worth(left)) return hand_over(at, left, mine);
        } else if (is_wanted(*stack)) [[unlikely]] {
          if (mine.is_worth(left, k_worth_awake_ticks) && is_asked(*stack, mine.is_worth(left))) return split(*stack, at, left, mine);
        }
      }
    } catch (...) {
      stopped_.store(true, std::memory_order_relaxed);  // statistic
      throw;
    }
  }

  // A function of its own, so that the inner loop has all registers and becomes what the serial loop is.
  [[gnu::noinline]] static At block(Body& body, At at, std::size_t count) { return body(at, count); }

  [[nodiscard]] bool shares_before_it_starts(latent_stack* stack, At at, std::size_t left, const pace& mine) {
    if (mine.is_few(left)) {
      stack != nullptr ? split(*stack, at, left, mine) : hand_over(at, left, mine);
      return true;
    }
    if (stack == nullptr || !is_wanted(*stack) || !mine.expects(left, k_worth_awake_ticks)) [[likely]] return false;
    if (!is_asked(*stack, mine.expects(left, k_worth_ticks))) return false;
    split(*stack, at, left, mine);
    return true;
  }

  // Forks the upper half, which is offered if somebody asks.
  [[gnu::noinline]] void split(latent_stack& stack, At at, std::size_t left, const pace& mine) {
    const std::size_t count = mine.lower_half(left);
    const At middle = ahead(at, count);
    auto lower = [&] { strand(at, count, mine); };
    auto upper = [&] {
      if (!stopped_.load(std::memory_order_relaxed)) strand(middle, left - count, mine);  // statistic
    };
    (void)v0::detail::join_two(stack, lower, upper);
  }

  // The calling thread can not fork, and there is too much for it alone.
  [[gnu::cold, gnu::noinline]] void hand_over(At at, std::size_t left, const pace& mine) {
    enter([&] { strand(at, left, mine); });
  }

  Body& body_;
  const pace fresh_;
  std_atomics::atomic<bool> stopped_{false};
};

// Site is a type that stands for the call site: usually that of the user's function.
template <class Site, class At, class Body>
void run_lazily(At first, std::size_t count, hint given, Body&& body, pace::trust how = pace::trust::site) {
  lazy_loop<At, std::remove_reference_t<Body>>{body, pace{given, cost_at<Site>, how}}.run(first, count);
}

}  // namespace filch::inline v0::algo::detail
