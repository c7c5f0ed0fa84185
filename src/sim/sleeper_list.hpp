// The simulated workers that sleep, in the order in which they parked.
//
// A woken worker leaves a gap, so leaving costs O(1) at every place. Gaps at the end are cut off at once, and when more
// than half of the list is gaps it is packed.
//
// (I1) The last entry is no gap.
// (I2) entries_[place_[w]] = w for every sleeper w.
#pragma once

#include <filch/base/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace filch::inline v0::sim {

class sleeper_list {
 public:
  explicit sleeper_list(std::uint32_t workers) : place_(workers) {}

  [[nodiscard]] bool is_empty() const { return entries_.empty(); }
  // The worker that parked last; only when not empty.
  [[nodiscard]] worker_id youngest() const { return entries_.back(); }

  void push(worker_id who) {
    place_[who.value] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(who);
  }

  void erase(worker_id who) {
    entries_[place_[who.value]] = worker_id::none();
    ++gaps_;
    while (!entries_.empty() && !entries_.back().is_some()) {
      entries_.pop_back();
      --gaps_;
    }
    if (2 * gaps_ > entries_.size()) pack();
  }

  // The longest asleep first. An entry that is none is a gap.
  [[nodiscard]] std::span<const worker_id> with_gaps() const { return entries_; }
  // … without gaps.
  [[nodiscard]] std::span<const worker_id> packed() {
    if (gaps_ != 0) pack();
    return entries_;
  }

 private:
  void pack() {
    std::size_t kept = 0;
    for (const worker_id each : entries_) {
      if (!each.is_some()) continue;
      place_[each.value] = static_cast<std::uint32_t>(kept);
      entries_[kept++] = each;
    }
    entries_.resize(kept);
    gaps_ = 0;
  }

  std::vector<worker_id> entries_;
  std::vector<std::uint32_t> place_;  // by worker
  std::size_t gaps_ = 0;
};

}  // namespace filch::inline v0::sim
