// The pending events of a simulation: a heap with four children per node, earliest event first.
//
// Events are ordered by (time, urgency, order of scheduling), so no two are equal and a run has one order only. Four
// children make the heap half as deep as two; the four stand next to each other, and the least of them is found without
// a branch.
//
// (I1) slots_[0, size_) is a heap; slots_[size_, …) are k_fence entries, at least four of them, later than every event.
//      So a node always has four children to compare.
// (I2) While has_hole_ is set, slots_[0] was taken and still counts in size_. The next push fills it, which costs one
//      sift instead of two; every other look at the heap closes it first.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/units.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace filch::inline v0::sim {

// Which of several events at one time comes first.
enum class urgency : std::uint8_t { urgent, normal, late };

// Names one scheduled event: unique within a heap, and never 0.
using ticket = std::uint64_t;
inline constexpr ticket k_no_ticket = 0;

template <class Payload>
class event_heap {
  static_assert(std::is_trivially_copyable_v<Payload>);

 public:
  struct entry {
    time_ns at_ns;
    sim::ticket ticket;  // urgency in the top byte, then the order of scheduling
    Payload what;
  };

  event_heap() : slots_(k_arity, fence()) {}

  [[nodiscard]] bool is_empty() const { return size_ == (has_hole_ ? 1 : 0); }
  [[nodiscard]] std::size_t size() const { return size_ - (has_hole_ ? 1 : 0); }

  // Schedules an event. Times are not negative.
  ticket push(time_ns at_ns, Payload what, urgency how = urgency::normal) {
    const entry fresh{at_ns, ticket_of(how, ++last_number_), what};
    insert(fresh);
    return fresh.ticket;
  }

  // The same for a user that numbers its events itself.
  void insert(const entry& fresh) {
    if (has_hole_) {
      has_hole_ = false;
      sift_down(fresh);
    } else {
      if (slots_.size() < size_ + 1 + k_arity) grow();
      sift_up(size_++, fresh);
    }
  }

  [[nodiscard]] static constexpr ticket ticket_of(urgency how, std::uint64_t number) {
    return (static_cast<std::uint64_t>(how) << 56) | number;
  }

  // Both parts in one comparison of 128 bits: no branch.
  [[nodiscard]] static bool is_before(const entry& a, const entry& b) {
    __extension__ using wide = unsigned __int128;
    const auto key = [](const entry& e) {
      return (static_cast<wide>(static_cast<std::uint64_t>(e.at_ns)) << 64) | e.ticket;
    };
    return key(a) < key(b);
  }

  // The earliest event; only when not empty.
  [[nodiscard]] const entry& top() {
    close_hole();
    return slots_[0];
  }

  // Removes the earliest event and returns it; only when not empty.
  entry take() {
    close_hole();
    has_hole_ = true;
    return slots_[0];
  }

  void reserve(std::size_t events) {
    if (slots_.size() < events + k_arity) slots_.resize(events + k_arity, fence());
  }

 private:
  static constexpr std::size_t k_arity = 4;

  static constexpr entry fence() { return entry{k_never_ns, UINT64_MAX, Payload{}}; }

  void grow() { slots_.resize(2 * slots_.size() + k_arity, fence()); }

  void close_hole() {
    if (!has_hole_) return;
    has_hole_ = false;
    const entry last = slots_[--size_];
    slots_[size_] = fence();
    if (size_ != 0) sift_down(last);
  }

  void sift_up(std::size_t at, const entry& fresh) {
    entry* const slots = slots_.data();
    while (at != 0) {
      const std::size_t parent = (at - 1) / k_arity;
      if (!is_before(fresh, slots[parent])) break;
      slots[at] = slots[parent];
      at = parent;
    }
    slots[at] = fresh;
  }

  // Puts `fresh` into the root's place.
  void sift_down(const entry& fresh) {
    entry* const slots = slots_.data();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size_; child = k_arity * at + 1) {
      const std::size_t left = child + (is_before(slots[child + 1], slots[child]) ? 1 : 0);
      const std::size_t right = child + 2 + (is_before(slots[child + 3], slots[child + 2]) ? 1 : 0);
      const std::size_t least = is_before(slots[right], slots[left]) ? right : left;
      if (!is_before(slots[least], fresh)) break;
      slots[at] = slots[least];
      at = least;
    }
    slots[at] = fresh;
  }

  std::vector<entry> slots_;
  std::size_t size_ = 0;
  bool has_hole_ = false;
  std::uint64_t last_number_ = 0;
};

}  // namespace filch::inline v0::sim
