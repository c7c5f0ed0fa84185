// Elements of a loop that its owner claims from the lower end, and others divide from the upper.
// kernel: light headers only
//
// Who may call what: `claim`, `unclaimed` and `take_unclaimed` the owner; `claim_again` and `take_lower` the owner,
// with the share point locked; `left` and `take_upper` the owner or a visitor, with the share point locked, the visitor
// after newest_for_visitor() (visit.hpp).
//
// Invariants
//   I1  next ≤ limit, but for a claim under way; every element is claimed by the owner or in one part, never both.
//   I2  A claim writes `next` before it looks for a request and whether `limit` was lowered meanwhile. If so, it is not
//       sure, and is made again with the share point locked: no claim reaches beyond a limit that a visitor has set.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <cstdint>

namespace filch::inline v0 {

// Elements of a loop.
struct index_range {
  std::size_t begin;
  std::size_t end;

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

namespace detail {

template <class A = std_atomics>
class claimed_range {
 public:
  struct claimed {
    index_range what;
    bool is_sure;  // false: it is to be made again
  };

  explicit claimed_range(index_range all) : next_{all.begin}, limit_{all.end} {}

  // The next elements, at most `most` of them.
  template <class Word>
  [[nodiscard]] claimed claim(std::size_t most, const Word& word, std::uintptr_t asked) {
    const std::size_t at = next_.load(std::memory_order_relaxed);      // owner-only
    const std::size_t limit = limit_.load(std::memory_order_relaxed);  // revalidated by [V15]
    const std::size_t until = most < limit - at ? at + most : limit;   // the sum may be beyond all numbers
    next_.store(until, std::memory_order_relaxed);                     // ordered by [V14]
    // [V14] light fence: "claim, then look for a request" against "request, then look what is claimed" ↔ [V12].
    // unobservable: it holds the compiler, and the checker runs in the order of the program.
    A::light_fence(std::memory_order_seq_cst);
    // [V15] acquire load: where no request stands any more, the limit is what the last visitor left ← [V16].
    const bool is_asked = word.load(std::memory_order_acquire) == asked;
    return {{at, until}, !is_asked && until <= limit_.load(std::memory_order_relaxed)};  // ordered by [V15]
  }
  [[nodiscard]] index_range claim_again(index_range what) {
    const std::size_t end = lesser(what.end, limit_.load(std::memory_order_relaxed));  // ordered by [V1]
    next_.store(end, std::memory_order_relaxed);                                       // ordered by [V2]
    return {what.begin, end};
  }
  [[nodiscard]] index_range unclaimed() const {
    // hint: a visitor may lower the limit
    return {next_.load(std::memory_order_relaxed), limit_.load(std::memory_order_relaxed)};
  }
  // The owner resumes elsewhere with what is left. Only where no thief takes any more.
  [[nodiscard]] index_range take_unclaimed() {
    const index_range rest = unclaimed();
    next_.store(rest.end, std::memory_order_relaxed);  // owner-only
    return rest;
  }

  // What can be divided: elements that the owner does not claim without looking for a request.
  [[nodiscard]] index_range left() const {
    const std::size_t at = next_.load(std::memory_order_relaxed);    // ordered by [V12]
    const std::size_t end = limit_.load(std::memory_order_relaxed);  // ordered by [V1]
    return {lesser(at, end), end};
  }
  // From `middle` on, which lies in left().
  index_range take_upper(std::size_t middle) {
    const std::size_t end = limit_.load(std::memory_order_relaxed);  // ordered by [V1]
    limit_.store(middle, std::memory_order_relaxed);                 // ordered by [V16]
    return {middle, end};
  }
  index_range take_lower(std::size_t middle) {
    const std::size_t at = next_.load(std::memory_order_relaxed);  // owner-only
    next_.store(middle, std::memory_order_relaxed);                // owner-only
    return {at, middle};
  }

 private:
  static constexpr std::size_t lesser(std::size_t a, std::size_t b) { return a < b ? a : b; }

  typename A::template atomic<std::size_t> next_;
  typename A::template atomic<std::size_t> limit_;
};

}  // namespace detail
}  // namespace filch::inline v0
