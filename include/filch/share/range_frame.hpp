// A fork of all that is left of a loop: one latent frame, however many elements there are.
//
// The owner claims elements from the lower end, a few at a time. When a thief requests work, the frame is divided: one
// half of what has not been claimed becomes a part, which the thief takes, and the owner continues with the other half.
// The frame stays where it is, and is divided again at the next request, until nothing is left. So a loop inside a loop
// can be divided while an element of the outer one runs, and costs one fork, not one for each element.
//
//   begin          next              end        divided:   [ claimed | unclaimed | part ]
//   [ claimed ....  | unclaimed .... ]          again:     [ claimed | uncl | part | part ]
//
// Who may call what: the owner, on the stack where the frame is linked; `can_divide`, `divide_for_visitor` and `pass`
// also a visitor; the owner calls these, `divide` and `add_part` with its share point closed.
//
// Invariants
//   I1  Every element was claimed by the owner or is in one part, never both (share/claimed_range.hpp).
//   I2  The parts are offers of their own. The frame is unlinked before the owner settles them, the newest first.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/ids.hpp>
#include <filch/share/claimed_range.hpp>
#include <filch/share/latent.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace filch::inline v0::detail {

class range_frame : public latent_frame {
 public:
  // Less than `least` elements are not worth a thief's trouble. It is divided at multiples of `unit`, counted from the
  // beginning; the owner claims such multiples, too.
  range_frame(index_range all, std::size_t unit, std::size_t least) : unit_{unit}, elements_{all}, least_{least} {}
  range_frame(const range_frame&) = delete;
  range_frame& operator=(const range_frame&) = delete;
  ~range_frame() = default;

  // Throws stack_exhausted.
  void fork(latent_stack& stack, const latent_kind& its_kind) {
    if (!fork_latent(stack, *this, its_kind) && !fork_slow_path(stack, *this)) __builtin_unreachable();
  }

  // The next elements, at most `most` of them; none: nothing is left for the owner.
  [[nodiscard]] index_range claim(const latent_stack& stack, std::size_t most) {
    const auto now = elements_.claim(most, stack.join_limit, latent_stack::k_join_requested);
    if (!now.is_sure) [[unlikely]]
      return claim_again(now.what);
    return now.what;
  }
  [[nodiscard]] index_range unclaimed() const { return elements_.unclaimed(); }
  // The owner continues elsewhere with what is left. Only of a frame that is passed by.
  [[nodiscard]] index_range take_unclaimed() { return elements_.take_unclaimed(); }
  // From now on `least` elements are worth a thief's trouble.
  void set_least(std::size_t least) { least_.store(least, std::memory_order_relaxed); }  // hint
  // While it is true, a division at the owner's own fork or join gives the lower half away.
  void give_lower(bool does) { gives_lower_ = does; }
  // Thieves pass it by: it was too short, or a recording has a part of it. What is left needs a frame of its own.
  [[nodiscard]] bool is_passed() const {
    // [L32] acquire load: no thread divides it any more, and what was taken before is seen ← [L33].
    return is_passed_.load(std::memory_order_acquire);
  }

  // Unlinks it. True: it has parts, which are to be settled.
  [[nodiscard]] bool unlink(leaving how) {
    const joined_frame found = join_latent(*this);
    if (found.needs_slow_path) (void)join_slow_path(*found.stack, *this, how);
    return parts_.load(std::memory_order_relaxed) != nullptr;  // ordered by [V1]
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
  // After unlink(), too: no visitor adds one any more.
  [[nodiscard]] bool has_parts() const { return parts_.load(std::memory_order_relaxed) != nullptr; }  // ordered by [V1]
  // Forgets parts that have ended, if there are many.
  void drop_ended_parts() noexcept;

  // ---- at a thief's request ----
  [[nodiscard]] bool can_divide() const {
    const index_range left = elements_.left();
    return left.size() != 0 && left.size() >= least_.load(std::memory_order_relaxed);  // hint
  }
  // Would the owner keep something of a division?
  [[nodiscard]] bool can_halve() const { return lower_half(elements_.left().size()) != 0; }
  enum class share : bool { half, all };
  // If it can. By the owner.
  [[nodiscard]] index_range divide(share how) {
    const index_range left = elements_.left();
    const std::size_t middle = how == share::all ? left.begin : left.begin + lower_half(left.size());
    return gives_lower_ && middle != left.begin ? elements_.take_lower(middle) : elements_.take_upper(middle);
  }
  // If it can. By a visitor, while the owner may be in the middle of a claim: the upper half.
  [[nodiscard]] index_range divide_for_visitor() {
    const index_range left = elements_.left();
    return elements_.take_upper(left.begin + lower_half(left.size()));
  }
  void add_part(offered_task& made) noexcept;
  void pass() {
    // [L33] release store: what was taken of it is seen → [L32].
    is_passed_.store(true, std::memory_order_release);
  }

 private:
  // Long ones are multiples of a cache line's elements, so that vectors stay aligned.
  [[nodiscard]] std::size_t lower_half(std::size_t count) const {
    constexpr std::size_t k_aligned = 64;
    if (unit_ != 1) return count / unit_ / 2 * unit_;
    const std::size_t half = count / 2;
    return half < 16 * k_aligned ? half : half / k_aligned * k_aligned;
  }
  [[gnu::cold, gnu::noinline]] index_range claim_again(index_range what) noexcept;

  const std::size_t unit_;
  claimed_range<> elements_;
  std_atomics::atomic<std::size_t> least_;
  // The newest, and how many; they know the older ones. Written with the share point closed, by the owner or a visitor.
  std_atomics::atomic<offered_task*> parts_{nullptr};
  std_atomics::atomic<std::uint32_t> part_count_{0};
  std_atomics::atomic<bool> is_passed_{false};
  bool gives_lower_ = false;
};

}  // namespace filch::inline v0::detail

namespace filch::inline v0 {

// True: it is a range of which too little is left for a thief, and thieves pass it by from now on.
[[nodiscard]] inline bool pass_if_spent(latent_frame& frame) {
  if (frame.kind->run_part == nullptr) return false;
  auto& range = static_cast<detail::range_frame&>(frame);
  if (!range.is_passed() && range.can_divide()) return false;
  range.pass();
  return true;
}

}  // namespace filch::inline v0
