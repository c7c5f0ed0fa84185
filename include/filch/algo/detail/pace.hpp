// How many elements a loop runs between two looks for a request, and whether its rest is worth sharing.
//
// A look costs a clock reading and one load of a flag. The first block is one element where nothing is known of the
// call site, and otherwise as many as should take k_trusted_ticks, at most a small part of all. Blocks grow by up to 64
// times each until one takes k_block_ticks, and shrink at once when one takes longer: cheap elements hardly pay for
// looking, and expensive ones are looked at one by one. Blocks are powers of two and end at multiples of themselves, so
// that the vectors in a block stay aligned if those of the whole are.
#pragma once

#include <filch/algo/hint.hpp>
#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>
#include <filch/policy/demand.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace filch::inline v0::algo::detail {

// A cheap clock, only good for comparing short spans with the constants below.
[[nodiscard]] inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

#if defined(__x86_64__)
inline constexpr std::uint64_t k_ticks_per_us = 2500;  // guess: machines have 2 to 4 GHz
#else
inline constexpr std::uint64_t k_ticks_per_us = 1000;
#endif
inline constexpr policy::demand k_demand;  // of the machines of its measurements
[[nodiscard]] constexpr std::uint64_t ticks_in(time_ns span_ns) {
  return static_cast<std::uint64_t>(span_ns) * k_ticks_per_us / static_cast<std::uint64_t>(k_ns_per_us);
}
// At this length looking is lost in the noise (bench/algo), and a sleeper takes longer than that to wake.
inline constexpr std::uint64_t k_block_ticks = ticks_in(k_demand.block_ns());
// Less work than this is not shared: waking a sleeper costs several microseconds here and 10 to 50 there.
inline constexpr std::uint64_t k_worth_ticks = ticks_in(k_demand.worth_waking_ns());
// The same for a thief that is awake: the half must take longer than its way there and back.
inline constexpr std::uint64_t k_worth_awake_ticks = ticks_in(k_demand.worth_awake_ns());
// A block shorter than this says little about the next: its first element may have missed the cache.
inline constexpr std::uint64_t k_sure_ticks = k_ticks_per_us;
// So long the first block takes if elements cost what they did the last time, and so small a part it is if they do not:
// a thousand cheap elements are two blocks.
inline constexpr std::uint64_t k_trusted_ticks = k_ticks_per_us;
inline constexpr std::size_t k_trusted_part = 32;
// So few elements are forked before anything is known of them: they may be large.
inline constexpr std::size_t k_few = 32;
// Elements that take as long are forks of their own: a fork costs a few nanoseconds (bench/fork).
inline constexpr std::uint64_t k_costly_ticks = k_ticks_per_us;
// Elements in which other loops run are forked in blocks that take about as long.
inline constexpr std::uint64_t k_forked_ticks = k_ticks_per_us / 4;

// What the elements of one call site took lately. A guess about the next call, nothing depends on it but speed.
class site_cost {
 public:
  [[nodiscard]] bool is_known() const { return ticks() != 0; }
  // If it is known.
  [[nodiscard]] double ticks_of(std::size_t count) const {
    return static_cast<double>(ticks()) * static_cast<double>(count) / k_unit;
  }
  // About how many elements take that long: a power of two.
  [[nodiscard]] std::size_t count_in(std::uint64_t span) const {
    const int room = static_cast<int>(std::bit_width(span * k_unit)) - static_cast<int>(std::bit_width(ticks()));
    return std::size_t{1} << (std::max)(room, 0);
  }
  void note(std::uint64_t spent, std::size_t count) {
    const int width = static_cast<int>(std::bit_width(spent * k_unit)) - static_cast<int>(std::bit_width(count));
    const std::uint32_t now = std::uint32_t{1} << std::clamp(width, 0, 31);  // a power of two near it: no division
    // Written only when it changed, so that threads do not fight for the line.
    if (now != ticks()) ticks_.store(now, std::memory_order_relaxed);  // statistic
  }

 private:
  static constexpr std::uint32_t k_unit = 64;  // elements: a cheap one takes less than a tick

  [[nodiscard]] std::uint32_t ticks() const { return ticks_.load(std::memory_order_relaxed); }  // statistic

  std_atomics::atomic<std::uint32_t> ticks_;
};
// A lambda has a type of its own, so each call site has its own.
template <class Site>
inline site_cost cost_at;

class pace {
 public:
  // Of a block that may end before all of its elements were looked at, the time says little about the next call.
  enum class trust : bool { nothing, site };

  pace(hint given, site_cost& site, trust how = trust::site)
      : site_{&site}, grain_{given.grain}, trusts_{how == trust::site} {}

  // How many of the `left` elements come next.
  [[nodiscard]] std::size_t next(std::size_t left) const {
    return (std::min)(grain_ != 0 ? grain_ : block_ - (place_ & (block_ - 1)), left);
  }
  [[nodiscard]] bool is_fresh() const { return done_ == 0; }
  [[nodiscard]] site_cost& site() const { return *site_; }
  // All blocks since start().
  [[nodiscard]] std::uint64_t total_ticks() const { return since_ - began_; }

  // With `count` elements.
  void start(std::size_t count) {
    since_ = began_ = ticks();
    place_ = 0;
    if (!trusts_ || grain_ != 0 || !is_fresh() || !site_->is_known()) return;
    const std::size_t most = std::bit_floor(count / k_trusted_part | 1);
    block_ = (std::min)({site_->count_in(k_trusted_ticks), most, k_max_block});
  }

  // A block of `count` elements is done. In one that is nested, other loops have run: its time says nothing of the call
  // site.
  void note(std::size_t count, bool is_nested = false) {
    const std::uint64_t now = ticks();
    const bool was_fresh = is_fresh();
    spent_ = (now - since_) | 1;
    since_ = now;
    done_ = count;
    place_ += count;
    if (was_fresh && !is_nested) site_->note(spent_, count);
    if (grain_ != 0) return;
    const int room = static_cast<int>(std::bit_width(k_block_ticks)) - static_cast<int>(std::bit_width(spent_));
    if (room >= 0) block_ = (std::min)(block_ << (std::min)(room, 6), k_max_block);
    else block_ = std::max<std::size_t>(block_ >> (std::min)(-room, 63), 1);
  }
  // After note(): does one element take as long as many forks?
  [[nodiscard]] bool is_costly() const { return grain_ == 0 && spent_ >= k_costly_ticks * done_; }
  // After note(): how many elements make a block that is worth a fork.
  [[nodiscard]] std::size_t forked_block() const {
    if (grain_ != 0) return grain_;
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(k_forked_ticks * done_ / spent_, 1, done_));
  }
  [[nodiscard]] std::size_t least_block() const { return (std::max)(grain_, std::size_t{1}); }

  // After note(): would half of `left` elements be worth another thread's trouble? `least` is what all of them must
  // take.
  [[nodiscard]] bool is_worth(std::size_t left, std::uint64_t least = k_worth_ticks) const {
    if (grain_ != 0) return left >= 2 * grain_;
    return left >= 2 && spent_ >= k_sure_ticks &&
           static_cast<double>(spent_) * static_cast<double>(left) >=
               static_cast<double>(least) * static_cast<double>(done_);
  }

  // Few elements: they may be large, whatever the call site cost the last time.
  [[nodiscard]] bool is_few(std::size_t left) const {
    if (grain_ != 0) return left >= 2 * grain_ && left / grain_ < k_few;
    return left >= 2 && left < k_few;
  }
  // Before the first note(): few of which nothing is known, or that were costly before.
  [[nodiscard]] bool is_few_and_costly(std::size_t left) const {
    return is_few(left) &&
           (grain_ != 0 || !site_->is_known() || site_->ticks_of(left) >= static_cast<double>(k_worth_ticks));
  }
  // How many elements are worth another thread's trouble, as far as it is known.
  [[nodiscard]] std::size_t least_shared() const {
    if (grain_ != 0) return grain_;
    const double least = static_cast<double>(k_worth_awake_ticks);
    if (!is_fresh())
      return static_cast<std::size_t>(least * static_cast<double>(done_) / static_cast<double>(spent_)) + 1;
    return site_->is_known() ? static_cast<std::size_t>(least / site_->ticks_of(1)) + 1 : 1;
  }
  // Before the first note(): would half of the elements be worth a steal if they took as long as the last time?
  [[nodiscard]] bool expects(std::size_t left, std::uint64_t least) const {
    return trusts_ && grain_ == 0 && left >= 2 && site_->is_known() &&
           site_->ticks_of(left) >= static_cast<double>(least);
  }
  // The same, by what is known now.
  [[nodiscard]] bool expects_or_shows(std::size_t left, std::uint64_t least) const {
    return is_fresh() ? expects(left, least) : is_worth(left, least);
  }
  [[nodiscard]] bool trusts() const { return trusts_; }
  // May a worker begin with the upper half? One that searches may end early, and begins with the lower.
  [[nodiscard]] bool may_begin_behind() const { return trusts_; }
  // The shorter part of a split: whole grains.
  [[nodiscard]] std::size_t lower_half(std::size_t left) const {
    if (grain_ != 0) return left / grain_ / 2 * grain_;
    const std::size_t half = left / 2;
    return half < 16 * k_aligned ? half : half / k_aligned * k_aligned;
  }

 private:
  static constexpr std::size_t k_max_block = std::size_t{1} << 24;
  static constexpr std::size_t k_aligned = 64;

  site_cost* site_;
  std::size_t block_ = 1;
  std::size_t grain_;
  bool trusts_;
  std::size_t place_ = 0;  // elements done since start()
  std::size_t done_ = 0;   // elements of the last block
  std::uint64_t spent_ = 0;
  std::uint64_t since_ = 0;
  std::uint64_t began_ = 0;
};

}  // namespace filch::inline v0::algo::detail
