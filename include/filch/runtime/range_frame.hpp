// A fork of all that is left of a loop: one latent frame, however many elements there are.
//
// The owner claims elements from the lower end, a few at a time. When a thief asks for work, the frame is divided: one
// half of what has not been claimed becomes a part, which the thief takes, and the owner goes on with the other half.
// The frame stays where it is, and is divided again at the next request, until nothing is left. So a loop inside a loop
// can be divided while an element of the outer one runs, and costs one fork, not one for each element.
//
//   begin          next              end        divided:   [ claimed | unclaimed | part ]
//   [ claimed ....  | unclaimed .... ]          again:     [ claimed | uncl | part | part ]
//
// Who may call what: the owner, on the stack where the frame is linked; `can_divide`, `divide` and `add_part` also its
// signal handler, while interrupts are not deferred; the owner calls these three with interrupts deferred.
//
// Invariants
//   I1  next ≤ end, but for a claim under way; every element was claimed by the owner or is in one part, never both.
//   I2  A claim writes `next` before it looks whether a thief asks and whether `end` was lowered meanwhile. If so, the
//       claim is made again with interrupts deferred: no claim reaches beyond an `end` that divide() has lowered.
//   I3  The parts are offers of their own. The frame is unlinked before the owner settles them, the newest first.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/ids.hpp>
#include <filch/runtime/latent.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace filch::inline v0::detail {

class range_frame : public latent_frame {
 public:
  // Less than `least` elements are not worth a thief's trouble. It is divided at multiples of `unit`, counted from the
  // beginning; the owner claims such multiples, too.
  range_frame(index_range all, std::size_t unit, std::size_t least)
      : unit_{unit}, next_{all.begin}, limit_{all.end}, least_{least} {}
  range_frame(const range_frame&) = delete;
  range_frame& operator=(const range_frame&) = delete;
  ~range_frame() = default;

  // Throws stack_exhausted.
  void fork(latent_stack& stack, const latent_kind& its_kind) {
    if (!fork_latent(stack, *this, its_kind) && !answer_alarm(stack, *this)) __builtin_unreachable();
  }

  // The next elements, at most `most` of them; none: nothing is left for the owner.
  [[nodiscard]] index_range claim(const latent_stack& stack, std::size_t most) {
    const std::size_t at = next_.load(std::memory_order_relaxed);                           // owner-only
    const std::size_t until = std::min(at + most, limit_.load(std::memory_order_relaxed));  // revalidated by [L28]
    next_.store(until, std::memory_order_relaxed);                                          // ordered by [L28]
    // [L28] signal fence: "claim, then look what was divided" against "divide, then look what is claimed" ↔ [L10].
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (is_wanted(stack) || limit_.load(std::memory_order_relaxed) < until) [[unlikely]]  // ordered by [L28]
      return claim_again(at, until);
    return {at, until};
  }
  [[nodiscard]] index_range unclaimed() const {
    return {next_.load(std::memory_order_relaxed), limit_.load(std::memory_order_relaxed)};  // owner-only
  }
  // The owner goes on elsewhere with what is left. Only of a frame that is passed by.
  [[nodiscard]] index_range take_unclaimed() {
    const index_range rest = unclaimed();
    next_.store(rest.end, std::memory_order_relaxed);  // owner-only
    return rest;
  }
  // From now on so many elements are worth a thief's trouble.
  void set_least(std::size_t least) { least_.store(least, std::memory_order_relaxed); }  // owner-only
  // While it is true, a thief gets the lower half; only where the owner makes no claim.
  void give_lower(bool does) { gives_lower_.store(does, std::memory_order_relaxed); }  // owner-only
  // Thieves pass it by: it was too short, or a recording has noted a part. What is left needs a frame of its own.
  [[nodiscard]] bool is_passed() const { return is_passed_.load(std::memory_order_relaxed); }  // owner-only

  // Unlinks it. True: it has parts, which are to be settled.
  [[nodiscard]] bool unlink(leaving how) {
    const joined_frame found = join_latent(*this);
    if (found.is_watched) (void)join_watched(*found.stack, *this, how);
    return parts_.load(std::memory_order_relaxed) != nullptr;  // owner-only
  }

  // What became of a part.
  struct settled_part {
    index_range what;
    bool is_left;    // no thief has taken it, or will: the caller runs it
    task_id number;  // if it is in a recording
    std::exception_ptr error;
  };
  // Settles the newest part, after unlink(); there is one. Waits if a thief runs it.
  [[nodiscard]] settled_part settle() noexcept;
  [[nodiscard]] bool has_parts() const { return parts_.load(std::memory_order_relaxed) != nullptr; }  // owner-only
  // Forgets parts that have ended, if there are many.
  void drop_ended_parts() noexcept;

  // ---- by the thief's request ----
  [[nodiscard]] bool can_divide() const {
    const std::size_t at = next_.load(std::memory_order_relaxed);           // ordered by [L10]
    const std::size_t end = limit_.load(std::memory_order_relaxed);         // owner-only
    return at < end && end - at >= least_.load(std::memory_order_relaxed);  // owner-only
  }
  enum class share : bool { half, all };
  // If it can.
  [[nodiscard]] index_range divide(share how) {
    const std::size_t at = next_.load(std::memory_order_relaxed);    // ordered by [L10]
    const std::size_t end = limit_.load(std::memory_order_relaxed);  // owner-only
    const std::size_t middle = how == share::all ? at : at + lower_half(end - at);
    if (gives_lower_.load(std::memory_order_relaxed) && middle != at) {  // owner-only
      next_.store(middle, std::memory_order_relaxed);                    // owner-only
      return {at, middle};
    }
    limit_.store(middle, std::memory_order_relaxed);  // revalidated by [L28]
    return {middle, end};
  }
  void add_part(offered_task& made) noexcept;
  void pass() { is_passed_.store(true, std::memory_order_relaxed); }  // owner-only

 private:
  // Long ones are multiples of a cache line's elements, so that vectors stay aligned.
  [[nodiscard]] std::size_t lower_half(std::size_t count) const {
    constexpr std::size_t k_aligned = 64;
    if (unit_ != 1) return count / unit_ / 2 * unit_;
    const std::size_t half = count / 2;
    return half < 16 * k_aligned ? half : half / k_aligned * k_aligned;
  }
  [[gnu::cold, gnu::noinline]] index_range claim_again(std::size_t at, std::size_t until) noexcept;

  const std::size_t unit_;
  std_atomics::atomic<std::size_t> next_;
  std_atomics::atomic<std::size_t> limit_;
  std_atomics::atomic<std::size_t> least_;
  std_atomics::atomic<offered_task*> parts_{nullptr};  // the newest; they know the older ones
  std_atomics::atomic<bool> is_passed_{false};
  std_atomics::atomic<bool> gives_lower_{false};
  std::uint32_t part_count_ = 0;
};

}  // namespace filch::inline v0::detail
