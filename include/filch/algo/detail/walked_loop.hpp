// A loop over what can only be walked through, as a list.
//
// It runs in blocks. Between two blocks it looks at the flag that thieves raise. Only when it is raised, and when what
// is left is worth it, does the loop fork one half. Costly elements, and elements that run loops of their own, are
// forks from the beginning. An iterator may look at what it goes over: so a middle is found before anything runs, and
// never in a signal handler.
//
// Invariants
//   I1  Every element belongs to exactly one strand; a split gives one half away and keeps the other.
//   I2  When a strand's function throws, `stopped_` is set before the exception leaves it: what has not begun is left
//       out, what runs ends with its block. The exception of the lowest strand that failed is rethrown.
//   I3  Splits halve, so strands are nested at most log2(n) deep on a stack.
#pragma once

#include <filch/algo/detail/demand.hpp>
#include <filch/algo/detail/pace.hpp>
#include <filch/algo/detail/positions.hpp>
#include <filch/fork/join.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

namespace filch::inline v0::algo::detail {

// `At` is an iterator. `Body` does `count` elements from a position and returns the one behind.
template <class At, class Body>
class walked_loop {
 public:
  walked_loop(Body& body, std::size_t count, pace fresh) : body_{body}, count_{count}, fresh_{fresh} {}

  void run(At first) {
    const std::size_t count = count_;
    if (count == 0) return;
    latent_stack* const stack = detail::stack_of_loop();
    if (stack == nullptr) return run_outside(first, count);
    ++stack->loops;
    // Few are forked all the same: they may wait for something, or be loops themselves.
    if (stack->is_private && !fresh_.is_few(count)) return (void)block(body_, first, count);
    begin(first, count);
  }

 private:
  [[gnu::cold, gnu::noinline]] void run_outside(At first, std::size_t count) {
    const bool is_worth = fresh_.expects(count, k_worth_ticks);
    if (!fresh_.is_few_and_costly(count) && !is_worth) return strand(first, count, count, fresh_);
    detail::enter([&] { begin(first, count); }, is_worth ? outside_work::worth_it : outside_work::unknown);
  }
  // On a thread that takes part.
  void begin(At first, std::size_t count) {
    if (!fresh_.is_few(count)) return strand(first, count, count, fresh_);
    const bool is_measured = fresh_.is_few_and_costly(count);
    forked(first, count,
           {.elements = bounded(fresh_.least_block()), .is_measured = is_measured, .is_costly = is_measured});
  }

  // Ends before the element with the number `end`.
  void strand(At at, std::size_t left, const std::size_t end, pace mine) {
    latent_stack* const stack = current_latent_stack();
    if (mine.is_fresh() && stack != nullptr && shares_before_it_starts(*stack, at, left, end, mine)) return;
    mine.start(left);
    try {
      while (!stopped_.load(std::memory_order_relaxed)) {  // statistic
        const std::size_t now = mine.next(left);
        const std::uint32_t loops_before = stack != nullptr ? stack->loops : 0;
        at = block(body_, at, now);
        left -= now;
        const bool is_nested = stack != nullptr && stack->loops != loops_before;
        if (left == 0) {
          if (mine.is_fresh() && !is_nested) mine.note(now);
          return;
        }
        mine.note(now, is_nested);
        if (stack == nullptr) [[unlikely]] {
          if (mine.total_ticks() >= k_worth_ticks && mine.is_worth(left)) return hand_over(at, left, end, mine);
        } else if (is_nested || mine.is_costly()) [[unlikely]] {
          return forked(at, left, {.elements = bounded(mine.forked_block()), .is_measured = false, .is_costly = true});
        } else if (is_share_requested(*stack)) [[unlikely]] {
          if (mine.is_worth(left, k_worth_awake_ticks) && is_requested(*stack, mine.is_worth(left))) {
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

  // Every block is a fork: the elements are costly, or loops of their own run in them. So what has not begun can be
  // taken while one of them runs, and the largest part of it first.
  struct block_plan {
    std::uint32_t elements;  // a block of more is not worth dividing
    bool is_measured;
    bool is_costly;  // or may be
  };
  [[nodiscard]] static std::uint32_t bounded(std::size_t elements) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(elements, UINT32_MAX));
  }
  void forked(At at, std::size_t count, block_plan plan) {
    latent_stack& stack = v0::detail::latent_stack_here();
    // A recording of one worker, which gets no requests: the fork around this one becomes a task at once.
    if (plan.is_costly && stack.shows_loops) [[unlikely]]
      (void)v0::detail::loop_slow_path(stack, true);
    if (count <= plan.elements) return forked_block(at, count, plan);
    const std::size_t lower_count = std::max<std::size_t>(count / 2 / plan.elements, 1) * plan.elements;
    const At middle = detail::ahead(at, lower_count);  // as in split()
    auto lower = [this, at, lower_count, plan] { forked(at, lower_count, plan); };
    auto upper = [this, middle, upper_count = count - lower_count, plan] { forked(middle, upper_count, plan); };
    (void)v0::detail::join_two(stack, std::move(lower), std::move(upper));
  }
  void forked_block(At at, std::size_t count, block_plan plan) {
    if (stopped_.load(std::memory_order_relaxed)) return;  // statistic
    try {
      if (!plan.is_measured) return (void)body_(at, count);
      latent_stack& stack = v0::detail::latent_stack_here();  // the same after the block
      const std::uint32_t loops_before = stack.loops;
      const std::uint64_t began = ticks();
      (void)body_(at, count);
      if (stack.loops == loops_before) fresh_.site().note((ticks() - began) | 1, count);
    } catch (...) {
      stopped_.store(true, std::memory_order_relaxed);  // statistic
      throw;
    }
  }

  [[nodiscard]] bool shares_before_it_starts(latent_stack& stack, At at, std::size_t left, std::size_t end,
                                             const pace& mine) {
    if (!is_share_requested(stack) || !mine.expects(left, k_worth_awake_ticks)) [[likely]]
      return false;
    if (!is_requested(stack, mine.expects(left, k_worth_ticks))) return false;
    split_for_others(stack, at, left, end, mine);
    return true;
  }

  // Forks the upper half, which is promoted at a request.
  [[gnu::noinline]] void split(latent_stack& stack, At at, std::size_t left, std::size_t end, const pace& mine) {
    const std::size_t count = mine.lower_half(left);
    auto lower = [&] { strand(at, count, end - left + count, mine); };
    const At middle = detail::ahead(at, count);  // before anything runs: an iterator may look at what it goes over
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
    const At middle = detail::ahead(at, count);  // as in split()
    std::exception_ptr of_upper;                 // if the lower half fails, too, its exception counts
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
    detail::enter([&] { strand(at, left, end, mine); });
  }

  Body& body_;
  const std::size_t count_;
  const pace fresh_;
  std_atomics::atomic<bool> stopped_{false};
};

}  // namespace filch::inline v0::algo::detail
