// From the number that a task has in a recording to its place in a list: a table with open addressing, about ten times
// quicker than std::unordered_map for a million tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filch/trace/schema.hpp>
#include <vector>

namespace filch::analysis {

// k_no_task is no key.
class task_index {
 public:
  task_index() : slots_(std::size_t{1} << 10) {}

  // The place of `id`; a new one gets the next place.
  std::uint32_t place_of(std::uint64_t id) {
    std::size_t at = slot_of(id);
    if (slots_[at].id != id) {
      if (2 * (count_ + 1) > slots_.size()) {
        grow();
        at = slot_of(id);
      }
      slots_[at] = {id, count_++};
    }
    return slots_[at].place;
  }

  [[nodiscard]] std::uint32_t size() const { return count_; }

 private:
  struct slot {
    std::uint64_t id = trace::k_no_task;
    std::uint32_t place = 0;
  };

  // Where `id` is, or where it belongs.
  [[nodiscard]] std::size_t slot_of(std::uint64_t id) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>((id * 0x9e3779b97f4a7c15u) >> 20) & mask;
    while (slots_[at].id != id && slots_[at].id != trace::k_no_task) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<slot> before(slots_.size() * 2);
    before.swap(slots_);
    for (const slot& each : before) {
      if (each.id != trace::k_no_task) slots_[slot_of(each.id)] = each;
    }
  }

  std::vector<slot> slots_;
  std::uint32_t count_ = 0;
};

}  // namespace filch::analysis
