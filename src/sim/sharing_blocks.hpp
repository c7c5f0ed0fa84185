// How a loop's owner goes through its elements: the blocks at whose ends it looks for requests, in closed form.
//
// As in algo/detail/pace.hpp the first block is short, and all others are as long as a power of two of elements that
// takes about the block's time, and end at multiples of it.
#pragma once

#include <filch/base/units.hpp>
#include <filch/policy/demand.hpp>
#include <filch/sim/machine_model.hpp>
#include <filch/sim/sharing_program.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace filch::inline v0::sim {

// Elements of a loop.
struct element_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

// How many of `count` elements, which take `work_ns`, take about `span_ns`; at least one.
[[nodiscard]] inline std::uint64_t elements_in(time_ns span_ns, time_ns work_ns, std::uint64_t count) {
  __extension__ using wide = unsigned __int128;
  if (work_ns == 0) return count;
  const wide in_it = static_cast<wide>(span_ns) * count / static_cast<std::uint64_t>(work_ns);
  return static_cast<std::uint64_t>(std::clamp<wide>(in_it, 1, count));
}

class block_schedule {
 public:
  block_schedule() = default;
  // Of a strand that begins with `from` and has `left` elements: the first block is a quarter of the others, at most a
  // small part of all. The elements of the loop, `count` of them, take work_ns.
  block_schedule(std::uint64_t from, std::uint64_t left, time_ns work_ns, std::uint64_t count,
                 const policy::demand& rules)
      : from_{from}, block_{std::bit_floor(elements_in(rules.block_ns(), work_ns, count))} {
    constexpr std::uint64_t k_small_part = 32;
    const std::uint64_t quarter = std::bit_floor(elements_in(rules.block_ns() / 4, work_ns, count));
    first_ = std::min({quarter, std::bit_floor(left / k_small_part | 1), block_});
  }
  // One element after the other.
  [[nodiscard]] static block_schedule of_single_elements(std::uint64_t from) {
    block_schedule made;
    made.from_ = from;
    return made;
  }

  // The end of the n-th block behind `at`, which is where a block ends, from 0 on. It may lie beyond the last element.
  [[nodiscard]] std::uint64_t end_of(std::uint64_t at, std::uint64_t n) const {
    const std::uint64_t place = at - from_;
    if (place >= first_) return from_ + (place / block_ + 1 + n) * block_;
    return n == 0 ? from_ + first_ : from_ + (first_ / block_ + n) * block_;
  }
  // How many blocks lie between `at`, where one ends, and `until`, where one ends or the elements do.
  [[nodiscard]] std::uint64_t blocks(std::uint64_t at, std::uint64_t until) const {
    const bool is_cut_short = ended(until) == ended(until - 1);
    return ended(until) - ended(at) + (is_cut_short ? 1 : 0);
  }

 private:
  // How many blocks end in (from_, here].
  [[nodiscard]] std::uint64_t ended(std::uint64_t here) const {
    const std::uint64_t place = here - from_;
    return place < first_ ? 0 : 1 + place / block_ - first_ / block_;
  }

  std::uint64_t from_ = 0;
  std::uint64_t first_ = 1;
  std::uint64_t block_ = 1;
};

// An owner that goes through plain elements without a pause: where it is at which time.
class element_walk {
 public:
  // It is at `from`, where a block ends, at `began_ns`.
  element_walk(const program_part& loop, const block_schedule& blocks, const machine_model& machine,
               std::uint32_t worker, std::uint64_t from, std::uint64_t limit, time_ns began_ns)
      : loop_{loop},
        blocks_{blocks},
        machine_{machine},
        worker_{worker},
        from_{from},
        limit_{limit},
        began_ns_{began_ns} {}

  // When the elements before `to` are done.
  [[nodiscard]] time_ns done_ns(std::uint64_t to) const {
    if (to == from_) return began_ns_;
    const time_ns work_ns = loop_.elements_take_ns(to) - loop_.elements_take_ns(from_);
    const auto looks = static_cast<time_ns>(blocks_.blocks(from_, to));
    const time_ns span_ns = machine_.duration_ns(worker_, work_ns);
    return began_ns_ + looks * machine_.costs.look_ns +
           (machine_.disturbances.empty() ? span_ns : machine_.disturbed_ns(worker_, began_ns_, span_ns));
  }
  // The end of the block that is under way then: behind it nothing is claimed.
  [[nodiscard]] std::uint64_t claimed_by(time_ns at_ns) const {
    if (at_ns < began_ns_) return from_;
    const auto end = [this](std::uint64_t n) { return std::min(blocks_.end_of(from_, n), limit_); };
    std::uint64_t low = 0;  // the first block that is not done by then lies in [low, high]
    std::uint64_t high = 1;
    while (end(high) != limit_ && done_ns(end(high)) <= at_ns) {
      low = high;
      high *= 2;
    }
    while (low != high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (end(middle) == limit_ || done_ns(end(middle)) > at_ns) high = middle;
      else low = middle + 1;
    }
    return end(low);
  }

 private:
  const program_part& loop_;
  const block_schedule& blocks_;
  const machine_model& machine_;
  std::uint32_t worker_;
  std::uint64_t from_;
  std::uint64_t limit_;
  time_ns began_ns_;
};

}  // namespace filch::inline v0::sim
