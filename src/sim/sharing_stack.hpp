// What a simulated stack holds: the joins and loops that have begun on it, their frames, and what was offered of them.
//
// (I1) An offer is in the cell of one share point, or taken, or done, or free. A frame or a part that was offered is
//      settled by its own stack, and by then it is done, or the stack takes it back.
// (I2) Elements of a loop are claimed by its owner or in one part, never both: next ≤ limit, and a division lowers the
//      limit only.
#pragma once

#include "sharing_blocks.hpp"

#include <filch/base/assert.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>

#include <cstdint>
#include <vector>

namespace filch::inline v0::sim {

using stack_number = std::uint32_t;
using offer_number = std::uint32_t;
inline constexpr std::uint32_t k_none = UINT32_MAX;

// A join or a loop under way.
struct activation {
  enum class stage : std::uint8_t {
    begin,
    fork,    // of a join: what comes before it is computed
    first,   // … its first part runs
    joined,  // … its second part was run by a thief
    after,   // … both have ended
    serial,  // of a loop: a block is done whose elements said what they cost; there is no frame yet
    open,    // … elements are claimed from a frame
    settle,  // … all that its owner has claimed is done
    end,
  };
  enum class frame : std::uint8_t { none, latent, shared };

  part_id what;
  stage at = stage::begin;
  frame held = frame::none;
  bool is_few = false;           // of a loop: it is claimed one element after the other, without a clock
  bool is_part = false;          // … it goes through what was a part: it begins with a frame
  bool is_inside = false;        // … of elements that run parts: some of a block are left
  offer_number offers = k_none;  // the child of a join, or the newest part of a loop

  // Of a loop.
  std::uint64_t next = 0;
  std::uint64_t limit = 0;
  std::uint64_t goal = 0;     // where a walk ends
  std::uint64_t element = 0;  // the next of the block that was claimed, where elements run parts
  std::uint64_t least = 1;    // so many are worth a thief's trouble
  time_ns since_ns = 0;       // when it began, or its last block without a frame
  std::uint64_t block = 1;    // the length of that
  block_schedule blocks{};

  [[nodiscard]] std::uint64_t left() const { return limit - next; }
};

struct sharing_stack {
  std::vector<activation> open;    // the newest last
  std::uint32_t runs_at = k_none;  // the actor on which it runs, or ran last
  offer_number runs = k_none;      // what its first activation is; none: the caller's phases
  task_id task = task_id::none();
  time_ns began_ns = 0;
};

// A child or a part that was offered.
struct offer {
  enum class state : std::uint8_t { free, offered, taken, done };

  state how = state::free;
  std::uint32_t point = k_none;  // the share point where it was offered
  part_id what;
  bool is_range = false;
  bool is_few = false;
  element_range elements{};  // of a part of a loop
  time_ns offered_ns = 0;
  offer_number older = k_none;     // of the same loop
  stack_number waiter = k_none;    // the stack that waits for its end
  task_id task = task_id::none();  // once it was taken
  task_id parent = task_id::none();
};

// Things that come and go, under numbers that are used again.
template <class T>
class number_pool {
 public:
  [[nodiscard]] T& operator[](std::uint32_t number) { return all_[number]; }
  [[nodiscard]] const T& operator[](std::uint32_t number) const { return all_[number]; }

  [[nodiscard]] std::uint32_t make() {
    ++living_;
    if (free_.empty()) {
      all_.emplace_back();
      return static_cast<std::uint32_t>(all_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void free(std::uint32_t number) {
    FILCH_ASSERT(living_ != 0);
    --living_;
    all_[number] = T{};
    free_.push_back(number);
  }
  [[nodiscard]] std::uint32_t living() const { return living_; }

 private:
  std::vector<T> all_;
  std::vector<std::uint32_t> free_;
  std::uint32_t living_ = 0;
};

}  // namespace filch::inline v0::sim
