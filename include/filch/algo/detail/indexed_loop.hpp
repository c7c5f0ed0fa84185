// A loop over indices, or over what can be indexed.
//
// Cheap elements run in blocks, whose length follows from the clock. As soon as what is left is worth a theft, one
// frame stands for it (share/range_frame.hpp): when a thief requests work, the frame is divided, and the owner
// continues with one half behind a new frame. Few elements are behind a frame from the beginning, whatever they cost,
// without a clock: a frame costs about as much as two cheap elements, and they may be loops themselves. So in a nest of
// loops every level can be divided at any time, the outermost first.
//
// Which half a worker keeps at a request that it answers between two blocks follows from its number (home_part): so
// loops that follow each other over the same elements find them in the same worker's cache. With one worker no request
// comes, and all is one block.
//
// In a nest of loops all levels may have the same call site. So the cost of a call site is that of its innermost loops:
// whether an element runs loops of its own is seen by the stack's count of loops.
//
// Invariants
//   I1  Every element belongs to exactly one strand; a division gives one half away and keeps the other.
//   I2  When a strand's function throws, `stopped_` is set before the exception leaves it: what has not begun is left
//       out, what runs ends with its block. The exception of the lowest strand that failed is rethrown.
//   I3  Divisions halve, so strands are nested at most log2(n) deep on a stack.
#pragma once

#include <filch/algo/detail/demand.hpp>
#include <filch/algo/detail/pace.hpp>
#include <filch/algo/detail/positions.hpp>
#include <filch/base/atomics.hpp>
#include <filch/share/range_frame.hpp>
#include <filch/runtime/label.hpp>
#include <filch/share/latent.hpp>

#include <cstddef>
#include <exception>
#include <utility>

namespace filch::inline v0::algo::detail {

// `At` is a position: an index or an iterator. `Body` does `count` elements from a position on; one that has
// is_over(index) says that nothing is to be done from there on.
template <class At, class Body>
class indexed_loop {
 public:
  indexed_loop(Body& body, At first, std::size_t count, pace fresh)
      : body_{body}, first_{first}, count_{count}, fresh_{fresh} {}

  void run() {
    if (count_ == 0) return;
    latent_stack* const stack = detail::stack_of_loop();
    if (stack == nullptr) return run_outside();
    ++stack->loops;
    if (fresh_.is_few(count_)) return behind_frame<false>({0, count_}, fresh_);
    if (stack->is_private || count_ == 1) return block({0, count_});
    strand({0, count_}, fresh_);
  }

 private:
  static constexpr bool k_may_end_early = requires(const Body& body) { body.is_over(std::size_t{}); };

  struct part final : v0::detail::range_frame {
    part(indexed_loop& of, index_range all, std::size_t least)
        : range_frame{all, of.fresh_.least_block(), least}, loop{of} {}

    indexed_loop& loop;
  };

  // On a thread that takes no part: few elements of unknown or high cost begin as on an external thread; others
  // serially, until they turn out to be worth it.
  [[gnu::cold, gnu::noinline]] void run_outside() {
    const bool is_worth = fresh_.expects(count_, k_worth_ticks);
    if (!fresh_.is_few_and_costly(count_) && !is_worth) return strand({0, count_}, fresh_);
    const auto inside = [&] {
      if (!fresh_.is_few(count_)) return strand({0, count_}, fresh_);
      const latent_stack& stack = v0::detail::latent_stack_here();  // the same afterwards
      const std::uint32_t loops_before = stack.loops;
      const std::uint64_t began = ticks();
      behind_frame<false>({0, count_}, fresh_);
      if (stack.loops == loops_before) fresh_.site().note((ticks() - began) | 1, count_);
    };
    detail::enter(inside, is_worth ? outside_work::worth_it : outside_work::unknown);
  }

  // Is what begins at `next` left out? A strand has thrown, or a search has found something before.
  [[nodiscard]] bool is_over(std::size_t next) const {
    if (stopped_.load(std::memory_order_relaxed)) return true;  // statistic
    if constexpr (k_may_end_early) return body_.is_over(next);
    else return false;
  }
  [[nodiscard]] bool is_over(const part& mine) const { return is_over(k_may_end_early ? mine.unclaimed().begin : 0); }

  // Serially, in blocks, until it is known that what is left is worth a frame.
  void strand(index_range all, pace mine) {
    latent_stack* const stack = current_latent_stack();
    if (stack != nullptr && mine.expects(all.size(), k_worth_awake_ticks)) return behind_frame<true>(all, mine);
    mine.start(all.size());
    try {
      while (!is_over(all.begin)) {
        const std::size_t now = mine.next(all.size());
        const std::uint32_t loops_before = stack != nullptr ? stack->loops : 0;
        block({all.begin, all.begin + now});
        all.begin += now;
        const bool is_nested = stack != nullptr && stack->loops != loops_before;
        if (all.size() == 0) {
          if (mine.is_fresh() && !is_nested) mine.note(now);
          return;
        }
        mine.note(now, is_nested);
        if (stack == nullptr) [[unlikely]] {
          if (mine.total_ticks() >= k_worth_ticks && mine.is_worth(all.size()))
            return detail::enter([&] { behind_frame<true>(all, mine); });
        } else if (is_nested || mine.is_worth(all.size(), k_worth_awake_ticks)) [[unlikely]] {
          return behind_frame<true>(all, mine);
        }
      }
    } catch (...) {
      stopped_.store(true, std::memory_order_relaxed);  // statistic
      throw;
    }
  }

  // A function of its own, so that the inner loop has all registers and becomes what the serial loop is.
  [[gnu::noinline]] void block(index_range what) { (void)body_(detail::ahead(first_, what.begin), what.size()); }

  // What became of the strands of one frame: the exception of the lowest that failed.
  struct failure {
    std::exception_ptr error;
    std::size_t at = 0;

    void note(std::exception_ptr found, std::size_t place) {
      if (found == nullptr || (error != nullptr && at < place)) return;
      error = std::move(found);
      at = place;
    }
  };

  // On a thread that takes part. By the clock, or one element after the other.
  template <bool is_timed>
  void behind_frame(index_range all, const pace& now) {
    static constexpr latent_kind k_kind{nullptr, &label, &run_part<is_timed>};
    latent_stack& stack = v0::detail::latent_stack_here();  // the same after every block
    const bool is_worth_waking = !is_timed || !is_share_requested(stack) ||
                                 now.expects_or_shows(all.size(), k_worth_ticks) || v0::detail::is_thief_awake();
    part mine{*this, all, !is_timed ? fresh_.least_block() : is_worth_waking ? now.least_shared() : all.size() + 1};
    if (is_timed && is_share_requested(stack)) [[unlikely]]
      mine.give_lower(keeps_upper(all));
    mine.fork(stack, k_kind);
    mine.give_lower(false);
    try {
      is_timed ? timed_blocks(stack, mine, now) : elements(stack, mine);
    } catch (...) {
      stopped_.store(true, std::memory_order_relaxed);  // statistic
      leave(mine);
      throw;
    }
    if (mine.unlink(leaving::normally)) [[unlikely]]
      settle<is_timed>(mine);
  }

  void elements(latent_stack& stack, part& mine) {
    if (stack.shows_loops) [[unlikely]]
      return shown_elements(stack, mine);
    const std::size_t unit = fresh_.least_block();
    while (!is_over(mine)) {
      const index_range now = mine.claim(stack, unit);
      if (now.begin == now.end) return;
      (void)body_(detail::ahead(first_, now.begin), now.size());
      if (is_share_requested(stack)) [[unlikely]] {
        mine.drop_ended_parts();
        (void)v0::detail::loop_slow_path(stack, true);
        if (mine.is_passed()) return go_on<false>(mine, fresh_);
      }
    }
  }

  // The same for a recording of one worker, which gets no requests: the frame is divided at the beginning where
  // elements may be costly, later once they turn out to be, and at a heartbeat. Their cost is recorded, so that loops
  // of a few cheap elements are not divided each time.
  [[gnu::cold, gnu::noinline]] void shown_elements(latent_stack& stack, part& mine) {
    const std::size_t unit = fresh_.least_block();
    const std::uint32_t loops_before = stack.loops;
    const auto is_divided = [&] {
      (void)v0::detail::loop_slow_path(stack, true);
      return mine.is_passed();
    };
    if (fresh_.is_few_and_costly(mine.unclaimed().size()) && is_divided()) return go_on<false>(mine, fresh_);
    std::size_t done = 0;
    const std::uint64_t began = ticks();
    while (!is_over(mine)) {
      const index_range now = mine.claim(stack, unit);
      if (now.begin == now.end) break;
      (void)body_(algo::detail::ahead(first_, now.begin), now.size());
      done += now.size();
      const bool is_costly = mine.unclaimed().size() > unit && ticks() - began >= k_worth_awake_ticks;
      if ((is_costly || v0::detail::is_limit_raised(stack)) && is_divided()) return go_on<false>(mine, fresh_);
    }
    if (done != 0 && stack.loops == loops_before) fresh_.site().note((ticks() - began) | 1, done);
  }

  void timed_blocks(latent_stack& stack, part& mine, pace by) {
    by.start(mine.unclaimed().size());
    while (!is_over(mine)) {
      const std::uint32_t loops_before = stack.loops;
      const index_range now = mine.claim(stack, by.next(mine.unclaimed().size()));
      if (now.begin == now.end) return;
      block(now);
      const bool is_nested = stack.loops != loops_before;
      by.note(now.size(), is_nested);
      const std::size_t left = mine.unclaimed().size();
      const std::size_t least = is_nested ? fresh_.least_block() : by.least_shared();
      mine.set_least(least);
      if (left != 0 && mine.is_passed() && left >= least) [[unlikely]]
        return go_on<true>(mine, by);
      if (is_share_requested(stack)) [[unlikely]] {
        if (by.is_worth(left) || (by.is_worth(left, k_worth_awake_ticks) && v0::detail::is_thief_awake()))
          answer(stack, mine);
      }
    }
  }

  // A thief asks between two blocks: it gets the half that is further away from this worker's part.
  [[gnu::cold, gnu::noinline]] void answer(latent_stack& stack, part& mine) {
    mine.drop_ended_parts();
    mine.give_lower(keeps_upper(mine.unclaimed()));
    (void)v0::detail::loop_slow_path(stack, true);
    mine.give_lower(false);
  }
  [[nodiscard]] bool keeps_upper(index_range of) const {
    const double middle = static_cast<double>(of.begin + of.size() / 2);
    return fresh_.trusts() && v0::detail::home_part() * static_cast<double>(count_) > middle;
  }

  // Thieves pass the frame by: what is left goes behind a new one.
  template <bool is_timed>
  [[gnu::cold]] void go_on(part& mine, const pace& by) {
    const index_range rest = mine.take_unclaimed();
    if (rest.size() != 0) behind_frame<is_timed>(rest, by);
  }

  // All of the owner's own is done: waits for the parts that thieves have taken, and does the others.
  template <bool is_timed>
  [[gnu::cold, gnu::noinline]] void settle(part& mine) {
    failure found;
    while (mine.has_parts()) {
      const auto one = mine.settle();
      found.note(one.error, one.what.begin);
      if (!one.is_left || is_over(one.what.begin)) continue;
      const v0::detail::recorded_child here{one.number};
      found.note(run_part<is_timed>(mine, one.what), one.what.begin);
    }
    if (found.error != nullptr) std::rethrow_exception(found.error);
  }
  // An exception is on its way: what has not begun is left out. The exception of lower elements counts.
  [[gnu::cold, gnu::noinline]] static void leave(part& mine) {
    (void)v0::detail::is_stack_exhausted();  // then nothing is offered for a while
    if (!mine.unlink(leaving::by_exception)) return;
    failure found;
    while (mine.has_parts()) {
      const auto one = mine.settle();
      found.note(one.error, one.what.begin);
    }
    const bool is_lower = found.error != nullptr && found.at < mine.unclaimed().begin;
    if (is_lower && std::current_exception() != nullptr) std::rethrow_exception(found.error);
  }

  template <bool is_timed>
  [[gnu::cold]] static std::exception_ptr run_part(latent_frame& base, index_range what) noexcept {
    indexed_loop& self = static_cast<part&>(base).loop;
    try {
      if (!self.is_over(what.begin)) self.behind_frame<is_timed>(what, self.fresh_);
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }
  [[gnu::cold]] static const char* label(const latent_frame& base) noexcept {
    return v0::detail::label_of(static_cast<const part&>(base).loop.body_);
  }

  Body& body_;
  const At first_;
  const std::size_t count_;
  const pace fresh_;
  std_atomics::atomic<bool> stopped_{false};
};

}  // namespace filch::inline v0::algo::detail
