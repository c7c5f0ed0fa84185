// Pending events for a model whose events mostly come after one of a few delays: a look takes 500 ns, a task 10 µs.
//
// Events that are scheduled after the same delay come in the order in which they were scheduled, so a queue holds them
// in order for nothing. There are a few such queues, the lanes; an event goes to the lane whose last event is the
// latest that is not later than itself, and thus delays sort themselves into lanes. What fits into none goes to a heap.
// A heap alone costs more with every pending event; with 1024 workers it took three fifths of a simulation's time.
//
// The order is the heap's: by time, then by the order of scheduling.
//
// (I1) A lane is sorted. back_ns_[i] is the time of its last event, or k_free when it is empty.
// (I2) heads_[i] is the lane's first event, or the fence.
#pragma once

#include <filch/sim/event_heap.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace filch::inline v0::sim {

template <class Payload>
class event_lanes {
 public:
  using entry = typename event_heap<Payload>::entry;

  event_lanes() {
    back_ns_.fill(k_free);
    heads_.fill(fence());
  }

  [[nodiscard]] bool is_empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  // Schedules an event. Times are not negative.
  ticket push(time_ns at_ns, Payload what) {
    const entry fresh{at_ns, event_heap<Payload>::ticket_of(urgency::normal, ++last_number_), what};
    ++size_;
    std::size_t best = k_lanes;
    time_ns best_ns = k_free - 1;
    for (std::size_t i = 0; i != k_lanes; ++i) {
      const bool is_better = back_ns_[i] <= at_ns && back_ns_[i] > best_ns;
      best = is_better ? i : best;
      best_ns = is_better ? back_ns_[i] : best_ns;
    }
    if (best == k_lanes) {
      heap_.insert(fresh);
      ++in_heap_;
      return fresh.ticket;
    }
    if (back_ns_[best] == k_free) heads_[best] = fresh;
    else lanes_[best].push(fresh);
    back_ns_[best] = at_ns;
    return fresh.ticket;
  }

  // The earliest event; only when not empty.
  [[nodiscard]] const entry& top() {
    first_ = 0;
    for (std::size_t i = 1; i != k_lanes; ++i) {
      if (is_before(heads_[i], heads_[first_])) first_ = i;
    }
    if (heap_.is_empty() || is_before(heads_[first_], heap_.top())) return heads_[first_];
    first_ = k_lanes;
    return heap_.top();
  }

  // Removes the event that top() has just returned, and returns it.
  entry take_top() {
    --size_;
    if (first_ == k_lanes) return heap_.take();
    const entry taken = heads_[first_];
    ring& lane = lanes_[first_];
    if (lane.is_empty()) {
      heads_[first_] = fence();
      back_ns_[first_] = k_free;
    } else {
      heads_[first_] = lane.pop();
    }
    return taken;
  }

  // How many events went to the heap.
  [[nodiscard]] std::uint64_t in_heap() const { return in_heap_; }

 private:
  static constexpr std::size_t k_lanes = 4;
  static constexpr time_ns k_free = -1;

  // In order of arrival, in a power of two of cells.
  class ring {
   public:
    [[nodiscard]] bool is_empty() const { return size_ == 0; }
    void push(const entry& what) {
      if (size_ > mask_) grow();
      cells_[(first_ + size_++) & mask_] = what;
    }
    entry pop() {
      const entry what = cells_[first_++ & mask_];
      --size_;
      return what;
    }

   private:
    void grow() {
      std::vector<entry> larger(2 * cells_.size(), fence());
      for (std::size_t i = 0; i != size_; ++i) larger[i] = cells_[(first_ + i) & mask_];
      cells_.swap(larger);
      mask_ = cells_.size() - 1;
      first_ = 0;
    }

    std::vector<entry> cells_ = std::vector<entry>(16, fence());
    std::size_t mask_ = 15;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
  };

  static constexpr entry fence() { return entry{k_never_ns, UINT64_MAX, Payload{}}; }
  static bool is_before(const entry& a, const entry& b) { return event_heap<Payload>::is_before(a, b); }

  std::array<time_ns, k_lanes> back_ns_;
  std::array<entry, k_lanes> heads_;
  std::size_t first_ = 0;  // the lane of top(), or k_lanes for the heap
  std::size_t size_ = 0;
  std::uint64_t last_number_ = 0;
  std::array<ring, k_lanes> lanes_;
  event_heap<Payload> heap_;
  std::uint64_t in_heap_ = 0;
};

}  // namespace filch::inline v0::sim
