// The loop below most algorithms: serial until somebody asks for work.
//
// It runs in blocks. Between two blocks it looks at the flag that thieves raise. Only when it is raised, and when what
// is left is worth it, does the loop fork one half; the fork offers it to the thief at once, and the other half goes on
// the same way. Which half a worker keeps follows from its number (home_part): so loops that follow each other over the
// same elements find them in the same worker's cache. Nobody asks on one thread, so nothing is forked there, and all is
// one block.
//
// Invariants
//   I1  Every element belongs to exactly one strand; a split gives one half away and keeps the other.
//   I2  When a strand's function throws, `stopped_` is set before the exception leaves it: what has not begun is left
//       out, what runs ends with its block. The exception of the lowest strand that failed is rethrown.
//   I3  Splits halve, so strands are nested at most log2(n) deep on a stack.
#pragma once

#include <filch/algo/detail/demand.hpp>
#include <filch/algo/detail/pace.hpp>
#include <filch/fork/join.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <exception>
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
  return std::min(static_cast<std::size_t>(std::ranges::distance(range)),
                  static_cast<std::size_t>(std::ranges::distance(second)));
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
  lazy_loop(Body& body, std::size_t count, pace fresh) : body_{body}, count_{count}, fresh_{fresh} {}

  void run(At first) {
    const std::size_t count = count_;
    if (count == 0) return;
    const latent_stack* const stack = current_latent_stack();
    // Few are forked all the same: they may wait for something.
    if (stack != nullptr && stack->is_private && !fresh_.is_few(count)) return (void)block(body_, first, count);
    strand(first, count, count, fresh_);
  }

 private:
  // Ends before the element with the number `end`.
  void strand(At at, std::size_t left, const std::size_t end, pace mine) {
    latent_stack* const stack = current_latent_stack();
    if (mine.is_fresh() && shares_before_it_starts(stack, at, left, end, mine)) return;
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
          if (mine.total_ticks() >= k_worth_ticks && mine.is_worth(left)) return hand_over(at, left, end, mine);
        } else if (is_wanted(*stack)) [[unlikely]] {
          if (mine.is_worth(left, k_worth_awake_ticks) && is_asked(*stack, mine.is_worth(left))) {
            return split_for_others(*stack, at, left, end, mine);
          }
        }
      }
    } catch (...) {
      stopped_.store(true, std::memory_order_relaxed);  // statistic
      throw;
    }
  }

  // A function of its own, so that the inner loop has all registers and becomes what the serial loop is.
  [[gnu::noinline]] static At block(Body& body, At at, std::size_t count) { return body(at, count); }

  [[nodiscard]] bool shares_before_it_starts(latent_stack* stack, At at, std::size_t left, std::size_t end,
                                             const pace& mine) {
    if (mine.is_few(left)) {
      stack != nullptr ? split(*stack, at, left, end, mine) : hand_over(at, left, end, mine);
      return true;
    }
    if (stack == nullptr || !is_wanted(*stack) || !mine.expects(left, k_worth_awake_ticks)) [[likely]]
      return false;
    if (!is_asked(*stack, mine.expects(left, k_worth_ticks))) return false;
    split_for_others(*stack, at, left, end, mine);
    return true;
  }

  // Forks the upper half, which is offered if somebody asks.
  [[gnu::noinline]] void split(latent_stack& stack, At at, std::size_t left, std::size_t end, const pace& mine) {
    const std::size_t count = mine.lower_half(left);
    auto lower = [&] { strand(at, count, end - left + count, mine); };
    const At middle = ahead(at, count);  // before anything runs: an iterator may look at what it goes over
    auto upper = [&] { strand_unless_stopped(middle, left - count, end, mine); };
    (void)v0::detail::join_two(stack, lower, upper);
  }

  // Somebody asks: it gets the half that is further away from this worker's part.
  [[gnu::noinline]] void split_for_others(latent_stack& stack, At at, std::size_t left, std::size_t end,
                                          const pace& mine) {
    const std::size_t count = mine.lower_half(left);
    const std::size_t upper_begin = end - left + count;
    if (!mine.may_begin_behind() ||
        v0::detail::home_part() * static_cast<double>(count_) <= static_cast<double>(upper_begin)) {
      return split(stack, at, left, end, mine);
    }
    const At middle = ahead(at, count);  // as in split()
    std::exception_ptr of_upper;         // if the lower half fails, too, its exception counts
    auto upper = [&] {
      try {
        strand(middle, left - count, end, mine);
      } catch (...) {
        stopped_.store(true, std::memory_order_relaxed);  // statistic
        of_upper = std::current_exception();
        if (of_upper == nullptr) throw;          // what ends a thread must go on
        (void)v0::detail::is_stack_exhausted();  // then nothing is offered for a while
      }
    };
    auto lower = [&] { strand_unless_stopped(at, count, upper_begin, mine); };
    (void)v0::detail::join_two(stack, upper, lower);
    if (of_upper != nullptr) std::rethrow_exception(of_upper);
  }

  void strand_unless_stopped(At at, std::size_t left, std::size_t end, const pace& mine) {
    if (!stopped_.load(std::memory_order_relaxed)) strand(at, left, end, mine);  // statistic
  }

  // The calling thread can not fork, and there is too much for it alone.
  [[gnu::cold, gnu::noinline]] void hand_over(At at, std::size_t left, std::size_t end, const pace& mine) {
    enter([&] { strand(at, left, end, mine); });
  }

  Body& body_;
  const std::size_t count_;
  const pace fresh_;
  std_atomics::atomic<bool> stopped_{false};
};

// Site is a type that stands for the call site: usually that of the user's function.
template <class Site, class At, class Body>
void run_lazily(At first, std::size_t count, hint given, Body&& body, pace::trust how = pace::trust::site) {
  lazy_loop<At, std::remove_reference_t<Body>>{body, count, pace{given, cost_at<Site>, how}}.run(first);
}

}  // namespace filch::inline v0::algo::detail
